/**
 * The cookie of sessions.
 *
 * @module
 */

import { describeValue } from '../../base/describe.ts'
import { isRecord } from '../../base/record.ts'
import { checkNames } from '../../base/suggest.ts'
import { errorMessage } from '../../base/thrown.ts'
import type { Environ } from '../../wsgi/types.ts'
import { type CookieOptions, formatCookie, prefixRules } from '../cookies.ts'
import { Request } from '../request.ts'
import { COOKIES } from '../request-head.ts'
import type { Response } from '../response.ts'
import type { ResponseCookie } from './backend.ts'
import type { SessionCookieOptions } from './session-options.ts'

/** The cookie of sessions: its name and its attributes for each request. */
export class SessionCookie {
  readonly name: string
  readonly #attributes: CookieOptions
  readonly #isAlwaysSecure: boolean

  /** @throws TypeError - an attribute is unknown or malformed, or browsers would refuse the cookie. */
  constructor(options: SessionCookieOptions = {}) {
    const given: unknown = options
    if (!isRecord(given)) {
      throw new TypeError(
        `session.cookie is ${describeValue(given)}. Give its attributes, such as cookie: { name: 'sid' }.`,
      )
    }
    checkNames('session.cookie', options, 'name path domain secure httpOnly sameSite partitioned priority')
    const { name = 'session', ...attributes } = defined(options)
    const { secure, hostOnly } = prefixRules(name)
    this.name = name
    this.#attributes = hostOnly ? { path: '/', ...attributes } : attributes
    this.#isAlwaysSecure = secure || attributes.sameSite === 'none' || attributes.partitioned === true
    if (this.#isAlwaysSecure && attributes.secure === false) {
      throw new TypeError(
        `session.cookie.secure is false, but browsers require Secure for the name ${name} with these attributes.`,
      )
    }
    try {
      formatCookie(name, '', { secure: this.#isAlwaysSecure, ...this.#attributes })
    } catch (error) {
      throw new TypeError(`session.cookie cannot be sent: ${errorMessage(error)}.`, { cause: error })
    }
  }

  /** Returns the value of the cookie of a request. */
  read(environ: Environ): string | undefined {
    return Request.of(environ)[COOKIES]()[this.name]
  }

  /**
   * Returns the cookie in the response to a request.
   *
   * @param mountPoint - mount point of the application, percent-encoded.
   */
  of(environ: Environ, mountPoint: string, response: Response): ResponseCookie {
    const attributes = this.#attributesFor(environ, mountPoint)
    return {
      write: (value, until) => {
        const maxAge = until === undefined ? {} : { maxAge: Math.ceil((until - Date.now()) / 1000) }
        response.setCookie(this.name, value, { ...attributes, ...maxAge })
      },
      remove: () => {
        if (this.read(environ) !== undefined) response.deleteCookie(this.name, attributes)
      },
    }
  }

  #attributesFor(environ: Environ, mountPoint: string): CookieOptions {
    const secure = this.#isAlwaysSecure || environ['wsgi.url_scheme'] === 'https'
    return { secure, path: cookiePath(mountPoint), ...this.#attributes }
  }
}

/** Returns the options that are not undefined, which would hide the defaults. */
function defined(options: SessionCookieOptions): SessionCookieOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

/** Returns the path of a cookie for a mount point. A semicolon would end the attribute, so it is `/` then. */
function cookiePath(mountPoint: string): string {
  return mountPoint === '' || mountPoint.includes(';') ? '/' : mountPoint
}
