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
export { type CompressOptions, compress } from './compress.ts'
export { type CorsOptions, cors } from './cors.ts'
export { type HealthOptions, health } from './health.ts'
export {
  type AttemptOptions,
  type CounterState,
  clientAddress,
  type FailureCounter,
  type FailureLimit,
  type FailureLimitOptions,
  type LimitOptions,
  type LimitRule,
  limit,
  limitFailures,
  type RateLimiter,
  type RequestLimit,
} from './limit.ts'
export { type RequestLogEntry, type RequestLogOptions, requestLog } from './request-log.ts'
export {
  type ContentSecurityPolicy,
  type ContentSecurityPolicyDirective,
  NONCE,
  type SecureHeadersOptions,
  type StrictTransportSecurity,
  secureHeaders,
} from './secure-headers.ts'
