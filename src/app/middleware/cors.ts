/**
 * Cross-Origin Resource Sharing (https://fetch.spec.whatwg.org/#http-cors-protocol).
 *
 * @module
 */

import { METHODS } from '../../base/methods.ts'
import { originSet } from '../../http/cross-site.ts'
import { HeaderList } from '../../http/headers.ts'
import { isToken } from '../../wsgi/response-head.ts'
import type { Body, Environ, HeaderPair, Middleware, StartResponse } from '../../wsgi/types.ts'
import { checkOptions, headerNames, isBoolean, methodNames, type OptionRule, seconds } from '../check-options.ts'
import { ALLOWED_ORIGINS } from '../cross-site.ts'

/** Options of {@link cors}. */
export interface CorsOptions {
  /**
   * Origins whose pages may read responses: a list such as `['https://app.example']`, `'*'` or a list with it for
   * all, or a function that returns true for an allowed origin.
   */
  readonly origins: '*' | readonly string[] | ((origin: string, environ: Environ) => boolean)
  /** Methods that other origins may use. Default: GET, HEAD, POST, PUT, PATCH, DELETE. */
  readonly methods?: readonly string[]
  /** Request headers that other origins may send. Default: the headers that the preflight names. */
  readonly headers?: readonly string[]
  /** Response headers that other origins may read, besides those that are always readable. Default: none. */
  readonly expose?: readonly string[]
  /** Whether requests may carry cookies and responses to them may be read. Default `false`. */
  readonly credentials?: boolean
  /** Time in seconds for which browsers remember a preflight. Default: the browser's own time, mostly 5 seconds. */
  readonly maxAge?: number
}

const DEFAULT_METHODS = METHODS.filter((method) => method !== 'OPTIONS')

/**
 * Allows pages of other origins to read responses, and answers the preflight requests of browsers before they are
 * routed.
 *
 * `Vary: Origin` is added to every response unless all origins are allowed. Headers that the application sets are kept.
 *
 * CORS only lets pages read responses. Unsafe requests of other sites are still refused with 403 by FrameworkApp.
 * List an origin that may send them in `FrameworkApp({ crossSite: [origin] })` as well.
 *
 * @throws TypeError - an option is unknown or has a wrong value, an entry of `origins` is not an origin, or `origins`
 *   is `'*'` with `credentials`, which browsers refuse and which would open the application to every site.
 *
 * @example
 * ```ts
 * import { FrameworkApp, Mapper } from 'propylon'
 * import { cors } from 'propylon/middleware'
 *
 * const origins = ['https://app.example']
 * export default new FrameworkApp({
 *   map: new Mapper(),
 *   controllers: {},
 *   crossSite: origins,
 *   middleware: [cors({ origins, credentials: true, maxAge: 600 })],
 * })
 * ```
 */
export function cors(options: CorsOptions): Middleware {
  const rules = {
    origins: [isOrigins, "a list of origins such as ['https://app.example'], '*', or a function"],
    methods: methodNames,
    headers: headerNames,
    expose: headerNames,
    credentials: [isBoolean, 'true or false'],
    maxAge: seconds,
  } satisfies Record<string, OptionRule>
  checkOptions('cors()', options, rules, ['origins'])
  const { methods = DEFAULT_METHODS, headers: names, expose = [], credentials = false, maxAge } = options
  const origins = Array.isArray(options.origins) && options.origins.includes('*') ? '*' : options.origins
  if (origins === '*' && credentials) {
    throw new TypeError(
      "cors(): origins is '*' and credentials is true, so that every site could read what a visitor sees. Browsers refuse this. List the origins, or leave out credentials.",
    )
  }
  const allowsAll = origins === '*'
  const allowedOrigin = originFor(origins)
  const allowsCredentials: HeaderPair[] = credentials ? [['Access-Control-Allow-Credentials', 'true']] : []
  const ofResponses: HeaderPair[] = [...allowsCredentials]
  if (expose.length > 0) ofResponses.push(['Access-Control-Expose-Headers', expose.join(', ')])
  const ofPreflights: HeaderPair[] = [...allowsCredentials, ['Access-Control-Allow-Methods', methods.join(', ')]]
  if (maxAge !== undefined) ofPreflights.push(['Access-Control-Max-Age', String(maxAge)])

  /** Adds the headers that allow the origin of the request to read a response. */
  const addTo = (list: HeaderList, environ: Environ): void => {
    if (!allowsAll) list.addToken('Vary', 'Origin')
    const allowed = allowedOrigin(environ)
    if (allowed === undefined) return
    list.setDefault('Access-Control-Allow-Origin', allowed)
    for (const [name, value] of ofResponses) list.setDefault(name, value)
  }

  const answerPreflight = (environ: Environ, start_response: StartResponse): Body => {
    const list = new HeaderList()
    if (!allowsAll) list.append('Vary', 'Origin')
    if (names === undefined) list.addToken('Vary', 'Access-Control-Request-Headers')
    const allowed = allowedOrigin(environ)
    if (allowed !== undefined) {
      list.append('Access-Control-Allow-Origin', allowed)
      list.extend(ofPreflights)
      const listed = names?.join(', ') ?? requestedHeaders(environ)
      if (listed !== '') list.append('Access-Control-Allow-Headers', listed)
    }
    // Without these headers the browser does not send the request.
    start_response('204 No Content', list.toPairs())
    return []
  }

  const middleware: Middleware = (app) => (environ, start_response) => {
    if (isPreflight(environ)) return answerPreflight(environ, start_response)
    return app(environ, (status, pairs, excInfo) => {
      const list = new HeaderList(pairs)
      addTo(list, environ)
      return start_response(status, list.toPairs(), excInfo)
    })
  }
  return Object.assign(middleware, { [ALLOWED_ORIGINS]: origins })
}

/** Returns true for a preflight: the request before another one that a browser may not send otherwise. */
function isPreflight(environ: Environ): boolean {
  return (
    environ.REQUEST_METHOD === 'OPTIONS' &&
    environ.HTTP_ORIGIN !== undefined &&
    environ.HTTP_ACCESS_CONTROL_REQUEST_METHOD !== undefined
  )
}

function isOrigins(value: unknown): boolean {
  return value === '*' || Array.isArray(value) || typeof value === 'function'
}

/**
 * Returns a function that returns `Access-Control-Allow-Origin`. Undefined if the origin is not allowed, or the
 * request has none.
 */
function originFor(origins: CorsOptions['origins']): (environ: Environ) => string | undefined {
  if (origins === '*') return () => '*'
  if (typeof origins !== 'function') {
    const set = originSet('cors(): origins', origins)
    return originFor((origin) => set.has(origin))
  }
  return (environ) => {
    const { HTTP_ORIGIN: origin } = environ
    return origin !== undefined && origins(origin, environ) ? origin : undefined
  }
}

/** Returns the headers that a preflight lists, as far as they are tokens. */
function requestedHeaders(environ: Environ): string {
  const { HTTP_ACCESS_CONTROL_REQUEST_HEADERS: names = '' } = environ
  return names
    .split(',')
    .map((name) => name.trim())
    .filter(isToken)
    .join(', ')
}
