/**
 * Sessions in a cookie.
 *
 * @module
 */

import { isPromise } from '../../base/promise.ts'
import { isRecord } from '../../base/record.ts'
import type { Environ } from '../../wsgi/types.ts'
import type { Response } from '../response.ts'
import { type Codec, EncryptedCodec, SignedCodec } from './codec.ts'
import type { SessionCookie } from './cookie.ts'
import type { SessionValues } from './data.ts'
import { begin, endOf, hasEnded, type Lifespan, remember, renewalInterval } from './lifespan.ts'
import { OpenSessions } from './open-sessions.ts'
import type { Session } from './session.ts'
import type { SessionSettings } from './session-options.ts'
import type { Sessions } from './sessions.ts'
import type { SignedText } from './signer.ts'

/** Maximum length of a cookie that every browser stores (RFC 6265 §6.1). */
const MAX_COOKIE_LENGTH = 4096

/** Content of a cookie. */
interface Content extends Lifespan {
  readonly values: SessionValues
  /** Whether the cookie is sent again when the session is read. */
  readonly isDue: boolean
}

/** Sessions whose values are in the cookie. They cannot be ended on the server. */
export class CookieSessions implements Sessions {
  readonly #settings: SessionSettings
  readonly #cookie: SessionCookie
  readonly #codec: Codec
  readonly #open = new OpenSessions<Content>()

  constructor(settings: SessionSettings, cookie: SessionCookie, isEncrypted: boolean) {
    this.#settings = settings
    this.#cookie = cookie
    this.#codec = new (isEncrypted ? EncryptedCodec : SignedCodec)(settings.secrets, cookie.name)
  }

  load(environ: Environ): Promise<void> | undefined {
    // Reading a signed cookie is synchronous, so it waits until the session is used.
    if (this.#codec instanceof SignedCodec) return undefined
    const decoded = this.#decode(environ)
    if (!isPromise(decoded)) return undefined
    return decoded.then((signed) => {
      if (signed === undefined) this.#open.none(environ)
      else this.#adopt(environ, signed)
    })
  }

  open(environ: Environ): Session {
    const present = this.#open.find(environ)
    if (present !== undefined) return present
    const decoded = this.#decode(environ)
    if (!isPromise(decoded)) return this.#adopt(environ, decoded)
    this.#open.checkLoaded(environ)
    return this.#adopt(environ, undefined)
  }

  save(
    session: Session,
    environ: Environ,
    scriptName: string,
    response: Response,
  ): Promise<void> | undefined {
    const closed = this.#open.close(session, environ, response)
    if (closed === undefined) return undefined
    const { changes, origin } = closed
    if (!changes.isChanged && !origin.isDue) return undefined
    const values = changes.applyTo(origin.values)
    if (Object.keys(values).length === 0) {
      this.#cookie.remove(environ, scriptName, response)
      return undefined
    }
    const now = Date.now()
    const lifespan = remember(changes.isDestroyed ? begin(now) : origin, changes.remembered, now)
    const { until, began } = lifespan
    const text = JSON.stringify({ began, until, end: endOf(lifespan, this.#settings, now), values })
    const write = (value: string): void => {
      this.#checkLength(value)
      const maxAge = until === undefined ? undefined : Math.ceil((until - now) / 1000)
      this.#cookie.write(value, maxAge, environ, scriptName, response)
    }
    const encoded = this.#codec.encode(text)
    if (isPromise(encoded)) return encoded.then(write)
    write(encoded)
    return undefined
  }

  #decode(environ: Environ): SignedText | undefined | Promise<SignedText | undefined> {
    const value = this.#cookie.read(environ)
    return value === undefined ? undefined : this.#codec.decode(value)
  }

  #adopt(environ: Environ, signed: SignedText | undefined): Session {
    const content = signed === undefined ? undefined : this.#read(signed)
    const { values, ...origin } = content ?? { values: {}, ...begin(Date.now()), isDue: false }
    return this.#open.open(environ, values, { values, ...origin })
  }

  /** Returns the content of a cookie, or undefined if its session has ended. */
  #read({ text, isCurrent }: SignedText): Content | undefined {
    const content: unknown = JSON.parse(text)
    // A cookie that another version of the framework has signed may have other members.
    if (!isRecord(content) || !isRecord(content.values)) return undefined
    const { began, until, end } = content
    if (typeof began !== 'number' || typeof end !== 'number') return undefined
    const lifespan = { began, until: typeof until === 'number' ? until : undefined }
    const now = Date.now()
    if (now > end || hasEnded(lifespan, this.#settings, now)) return undefined
    const extension = endOf(lifespan, this.#settings, now) - end
    // The end is too late if the clock was set back in the meantime.
    const isRenewable = Math.abs(extension) >= renewalInterval(this.#settings)
    // The signature covers the values, and only JSON values are signed.
    return { ...lifespan, values: content.values as SessionValues, isDue: isRenewable || !isCurrent }
  }

  #checkLength(value: string): void {
    if (this.#cookie.name.length + value.length <= MAX_COOKIE_LENGTH) return
    throw new RangeError(
      `The session has ${value.length} characters, but a cookie holds ${MAX_COOKIE_LENGTH} at most. Keep the values in a store: session: { secret, store }.`,
    )
  }
}
