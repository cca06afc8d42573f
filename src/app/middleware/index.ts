/**
 * Middleware: functions from one application to another, for `FrameworkApp({ middleware })` and plain applications.
 *
 * @module
 */
export {
  type BasicAuthCheck,
  type BasicAuthOptions,
  type BasicIdentity,
  basicAuth,
  safeEqual,
} from './basic-auth.ts'
export { clientAddress } from './client-address.ts'
export { type CompressOptions, compress } from './compress.ts'
export {
  type ContentSecurityPolicy,
  type ContentSecurityPolicyDirective,
  NONCE,
} from './content-security-policy.ts'
export { type CorsOptions, cors } from './cors.ts'
export { type HealthOptions, health } from './health.ts'
export { type LimitOptions, limit, type RateLimiter } from './limit.ts'
export {
  type AttemptOptions,
  type CounterState,
  type FailureCounter,
  type FailureLimit,
  type FailureLimitOptions,
  limitFailures,
} from './limit-failures.ts'
export type { LimitRule } from './limit-rule.ts'
export { type RequestLogEntry, type RequestLogOptions, requestLog } from './request-log.ts'
export { type SecureHeadersOptions, type StrictTransportSecurity, secureHeaders } from './secure-headers.ts'
