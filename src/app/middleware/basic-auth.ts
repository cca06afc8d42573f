/**
 * HTTP Basic authentication (RFC 7617).
 *
 * @module
 */

import { sha256 } from '@noble/hashes/sha2.js'
import { decodeBase64 } from '../../base/base64.ts'
import { encodeUtf8 } from '../../base/bytes.ts'
import { describeValue } from '../../base/describe.ts'
import { isPromise } from '../../base/promise.ts'
import { HTTPUnauthorized } from '../../http/exceptions.ts'
import type { Body, Environ, Middleware, StartResponse } from '../../wsgi/types.ts'
import { checkOptions, isBoolean, isFunction } from '../check-options.ts'

/**
 * The result of a check: the name of the user in the application, or true for the name that was sent. False,
 * null and undefined refuse the credentials.
 */
export type BasicIdentity = string | boolean | null | undefined

/** Returns the identity of a user with this password. It may be asynchronous. */
export type BasicAuthCheck = (
  user: string,
  password: string,
  environ: Environ,
) => BasicIdentity | Promise<BasicIdentity>

/** Options of {@link basicAuth}. */
export interface BasicAuthOptions {
  /** Name of the protected space, which browsers show. Default `application`. */
  readonly realm?: string
  /** Whether requests without Basic credentials pass, without a user. Wrong ones are still refused. Default `false`. */
  readonly optional?: boolean
}

/** A password or user name with control characters is malformed (RFC 7617 §2). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
const CONTROL = /[\x00-\x1f\x7f]/

/**
 * Requires credentials by HTTP Basic (RFC 7617). The identity that `check` returns is `environ.REMOTE_USER`, and
 * `environ.AUTH_TYPE` is `Basic`. Missing, malformed and wrong credentials are 401 with `WWW-Authenticate`.
 *
 * Compare secrets with {@link safeEqual} or a password hash, never with `===`. Use https only: the password is sent
 * with each request.
 *
 * @throws TypeError - `check` is not a function, or an option is unknown or has a wrong value.
 *
 * @example
 * ```ts
 * import { FrameworkApp, Mapper } from 'propylon'
 * import { basicAuth, safeEqual } from 'propylon/middleware'
 *
 * const secret = process.env.METRICS_PASSWORD
 * if (secret === undefined) throw new Error('Set METRICS_PASSWORD.')
 *
 * export default new FrameworkApp({
 *   map: new Mapper(),
 *   controllers: {},
 *   middleware: [basicAuth((user, password) => user === 'metrics' && safeEqual(password, secret))],
 * })
 * ```
 */
export function basicAuth(check: BasicAuthCheck, options: BasicAuthOptions = {}): Middleware {
  if (!isFunction(check)) throw new TypeError('basicAuth() requires a function (user, password) => identity.')
  checkOptions('basicAuth()', options, {
    realm: [(value) => typeof value === 'string' && /^[\x20-\x7e]*$/.test(value), 'printable ASCII characters'],
    optional: [isBoolean, 'true or false'],
  })
  const { realm = 'application', optional = false } = options
  const challenge = `Basic realm="${realm.replaceAll(/["\\]/g, '\\$&')}", charset="UTF-8"`
  const refuse = (environ: Environ, start_response: StartResponse): Body =>
    new HTTPUnauthorized(undefined, { 'WWW-Authenticate': challenge }).send(environ, start_response)

  return (app) => (environ, start_response) => {
    const { HTTP_AUTHORIZATION: authorization = '' } = environ
    if (optional && !/^basic\b/i.test(authorization)) return app(environ, start_response)
    const credentials = parseCredentials(authorization)
    if (credentials === undefined) return refuse(environ, start_response)
    const { user, password } = credentials
    const decide = (identity: BasicIdentity): Body | Promise<Body> => {
      if (identity === false || identity === '' || identity === null || identity === undefined) {
        return refuse(environ, start_response)
      }
      if (identity !== true && typeof identity !== 'string') throw wrongIdentity(identity)
      environ.REMOTE_USER = identity === true ? user : identity
      environ.AUTH_TYPE = 'Basic'
      return app(environ, start_response)
    }
    const identity = check(user, password, environ)
    return isPromise(identity) ? Promise.resolve(identity).then(decide) : decide(identity)
  }
}

function wrongIdentity(identity: unknown): TypeError {
  return new TypeError(
    `basicAuth(): check returned ${describeValue(identity)}. Return the name of the user, true for the name that was sent, or false.`,
  )
}

/** Parses an Authorization header of the scheme Basic. Returns undefined if it is malformed or of another scheme. */
function parseCredentials(header: string): { user: string; password: string } | undefined {
  const token = /^basic +([A-Za-z0-9+/]+=*) *$/i.exec(header)?.[1]
  const bytes = token === undefined ? undefined : decodeBase64(token)
  if (bytes === undefined) return undefined
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
  const colon = text.indexOf(':')
  if (colon === -1 || CONTROL.test(text)) return undefined
  return { user: text.slice(0, colon), password: text.slice(colon + 1) }
}

/**
 * Returns true if two texts are equal. The time it takes does not depend on their content or on the position of the
 * first difference, so that it does not help to guess a secret.
 *
 * @example
 * ```ts
 * import { safeEqual } from 'propylon/middleware'
 *
 * export function isToken(sent: string, secret: string): boolean {
 *   return safeEqual(sent, secret)
 * }
 * ```
 */
export function safeEqual(one: string, other: string): boolean {
  const [first, second] = [sha256(encodeUtf8(one)), sha256(encodeUtf8(other))]
  let difference = 0
  for (let at = 0; at < first.length; at++) difference |= (first[at] ?? 0) ^ (second[at] ?? 0)
  return difference === 0
}
