/**
 * Response headers that restrict what browsers do with a response.
 *
 * @module
 */

import { isBodyless, readStatus } from '../../wsgi/response-head.ts'
import type { HeaderPair, Middleware } from '../../wsgi/types.ts'
import { checkOptions, isBoolean, oneOf, seconds } from '../check-options.ts'
import { type ContentSecurityPolicy, policyFormatter } from './content-security-policy.ts'

const REFERRER_POLICIES = [
  'no-referrer',
  'no-referrer-when-downgrade',
  'origin',
  'origin-when-cross-origin',
  'same-origin',
  'strict-origin',
  'strict-origin-when-cross-origin',
  'unsafe-url',
] as const
const OPENER_POLICIES = ['same-origin', 'same-origin-allow-popups', 'noopener-allow-popups', 'unsafe-none'] as const
const RESOURCE_POLICIES = ['same-origin', 'same-site', 'cross-origin'] as const

/** Options of Strict-Transport-Security (RFC 6797 §6.1). */
export interface StrictTransportSecurity {
  /** Time in seconds for which browsers use https only. Default: 31,536,000 (a year). */
  readonly maxAge?: number
  /** Whether this applies to all subdomains. Default `false`. */
  readonly includeSubDomains?: boolean
  /** Whether browsers may list the domain in advance (https://hstspreload.org). Default `false`. */
  readonly preload?: boolean
}

/** Options of {@link secureHeaders}. */
export interface SecureHeadersOptions {
  /**
   * Directives of the Content-Security-Policy. Each replaces the default of the same name; `null` removes it. `false`
   * sends no policy.
   */
  readonly csp?: ContentSecurityPolicy | false
  /** Whether browsers only report violations of the policy. Default `false`. */
  readonly reportOnly?: boolean
  /** Strict-Transport-Security, sent over https only. `false` sends none. */
  readonly hsts?: StrictTransportSecurity | false
  /** Referrer-Policy. Default `strict-origin-when-cross-origin`. `false` sends none. */
  readonly referrerPolicy?: (typeof REFERRER_POLICIES)[number] | false
  /** Cross-Origin-Opener-Policy of pages. Default `same-origin`. `false` sends none. */
  readonly coop?: (typeof OPENER_POLICIES)[number] | false
  /** Cross-Origin-Resource-Policy. Default `same-origin`. `false` sends none. */
  readonly corp?: (typeof RESOURCE_POLICIES)[number] | false
}

/** Content types of pages. */
const PAGE = /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i

/**
 * Adds security headers to responses that do not set them:
 *
 * - to pages, a Content-Security-Policy that allows resources of the own origin, inline scripts and styles with the
 *   nonce of the response, and no framing; and `Cross-Origin-Opener-Policy: same-origin`;
 * - to all responses `X-Content-Type-Options: nosniff`, `Referrer-Policy: strict-origin-when-cross-origin` and
 *   `Cross-Origin-Resource-Policy: same-origin`;
 * - over https, `Strict-Transport-Security: max-age=31536000`.
 *
 * The nonce is `it.nonce` in templates and `environ['propylon.nonce']`. Responses without a body, such as 304, carry no
 * policy, because its nonce would differ from the nonce of the page in the cache.
 *
 * @throws TypeError - an option, a directive or a keyword is unknown or has a wrong value.
 *
 * @example
 * ```ts
 * import { FrameworkApp, Mapper } from 'propylon'
 * import { secureHeaders } from 'propylon/middleware'
 *
 * export default new FrameworkApp({
 *   map: new Mapper(),
 *   controllers: {},
 *   middleware: [secureHeaders({ csp: { 'img-src': ["'self'", 'https://images.example'] } })],
 * })
 * ```
 */
export function secureHeaders(options: SecureHeadersOptions = {}): Middleware {
  checkOptions('secureHeaders()', options, {
    csp: [isObjectOrFalse, 'directives, or false'],
    reportOnly: [isBoolean, 'true or false'],
    hsts: [isObjectOrFalse, '{ maxAge }, or false'],
    referrerPolicy: oneOf([...REFERRER_POLICIES, false]),
    coop: oneOf([...OPENER_POLICIES, false]),
    corp: oneOf([...RESOURCE_POLICIES, false]),
  })
  const { csp = {}, hsts = {}, referrerPolicy = 'strict-origin-when-cross-origin' } = options
  const { coop = 'same-origin', corp = 'same-origin' } = options
  const policyName = `Content-Security-Policy${options.reportOnly === true ? '-Report-Only' : ''}`
  const policyWith = csp === false ? undefined : policyFormatter(csp)
  const transport = hsts === false ? undefined : transportSecurity(hsts)
  const common = fields({
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': referrerPolicy,
    'Cross-Origin-Resource-Policy': corp,
  })
  const ofPages = fields({ 'Cross-Origin-Opener-Policy': coop })

  return (app) => (environ, start_response) => {
    // 122 random bits, ten times faster than getRandomValues() on Node.
    const nonce = crypto.randomUUID()
    environ['propylon.nonce'] = nonce
    const isSecure = environ['wsgi.url_scheme'] === 'https'
    return app(environ, (status, headers, excInfo) => {
      const added = [...common]
      if (isSecure && transport !== undefined) added.push(['Strict-Transport-Security', transport])
      if (isPage(status, headers)) {
        added.push(...ofPages)
        if (policyWith !== undefined) added.push([policyName, policyWith(nonce)])
      }
      return start_response(status, [...headers, ...added.filter(([name]) => !has(headers, name))], excInfo)
    })
  }
}

function isObjectOrFalse(value: unknown): boolean {
  return value === false || (typeof value === 'object' && value !== null)
}

function transportSecurity(options: StrictTransportSecurity): string {
  checkOptions('secureHeaders({ hsts })', options, {
    maxAge: seconds,
    includeSubDomains: [isBoolean, 'true or false'],
    preload: [isBoolean, 'true or false'],
  })
  const { maxAge = 31_536_000, includeSubDomains = false, preload = false } = options
  if (preload && !includeSubDomains) {
    throw new TypeError('secureHeaders(): hsts has preload without includeSubDomains, which browsers ignore. Set both.')
  }
  return `max-age=${maxAge}${includeSubDomains ? '; includeSubDomains' : ''}${preload ? '; preload' : ''}`
}

function fields(values: Record<string, string | false>): HeaderPair[] {
  return Object.entries(values).flatMap(([name, value]): HeaderPair[] => (value === false ? [] : [[name, value]]))
}

function isPage(status: string, headers: readonly HeaderPair[]): boolean {
  if (isBodyless(readStatus(status).code)) return false
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1]
  return type !== undefined && PAGE.test(type)
}

function has(headers: readonly HeaderPair[], wanted: string): boolean {
  const lower = wanted.toLowerCase()
  return headers.some(([name]) => name.toLowerCase() === lower)
}
