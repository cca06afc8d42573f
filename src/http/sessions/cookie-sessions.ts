/**
 * Sessions in a cookie.
 *
 * @module
 */

import { isPromise } from '../../base/promise.ts'
import { isRecord } from '../../base/record.ts'
import type { KeptSession, ResponseCookie, SessionBackend } from './backend.ts'
import { type Codec, encryptedCodec, signedCodec } from './codec.ts'
import type { SessionValues } from './data.ts'
import { begin, endOf, hasEnded, remember, renewalInterval } from './lifespan.ts'
import type { SessionChanges } from './session.ts'
import type { SessionSettings } from './session-options.ts'
import type { SignedText } from './signer.ts'

/** Maximum length of a cookie that every browser stores (RFC 6265 §6.1). */
const MAX_COOKIE_LENGTH = 4096

/** Content of a cookie. */
interface Content extends KeptSession {
  /** Whether the cookie is sent again when the session is read. */
  readonly isDue: boolean
}

/** Sessions whose values are in the cookie. They cannot be ended on the server. */
export class CookieSessions implements SessionBackend<Content> {
  readonly waits: boolean
  readonly #settings: SessionSettings
  readonly #name: string
  readonly #codec: Codec

  /** @param name - name of the cookie. */
  constructor(settings: SessionSettings, name: string, isEncrypted: boolean) {
    this.waits = isEncrypted
    this.#settings = settings
    this.#name = name
    this.#codec = (isEncrypted ? encryptedCodec : signedCodec)(settings.secrets, name)
  }

  read(cookie: string): Content | undefined | Promise<Content | undefined> {
    const contentOf = (signed: SignedText | undefined) => signed && this.#contentOf(signed)
    const decoded = this.#codec.decode(cookie)
    return isPromise(decoded) ? decoded.then(contentOf) : contentOf(decoded)
  }

  begin(): Content {
    return { values: {}, ...begin(Date.now()), isDue: false }
  }

  save(changes: SessionChanges, kept: Content, cookie: ResponseCookie): Promise<void> | undefined {
    if (!changes.isChanged && !kept.isDue) return undefined
    const values = changes.applyTo(kept.values)
    if (Object.keys(values).length === 0) {
      cookie.remove()
      return undefined
    }
    const now = Date.now()
    const lifespan = remember(changes.isDestroyed ? begin(now) : kept, changes.remembered, now)
    const { until, began } = lifespan
    const text = JSON.stringify({ began, until, end: endOf(lifespan, this.#settings, now), values })
    const write = (value: string): void => {
      this.#checkLength(value)
      cookie.write(value, until)
    }
    const encoded = this.#codec.encode(text)
    if (isPromise(encoded)) return encoded.then(write)
    write(encoded)
    return undefined
  }

  /** Returns the content of a cookie, or undefined if its session has ended. */
  #contentOf({ text, isCurrent }: SignedText): Content | undefined {
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
    if (this.#name.length + value.length <= MAX_COOKIE_LENGTH) return
    throw new RangeError(
      `The session has ${value.length} characters, but a cookie holds ${MAX_COOKIE_LENGTH} at most. Keep the values in a store: session: { secret, store }.`,
    )
  }
}
