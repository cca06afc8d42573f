/**
 * Sessions in a cookie.
 *
 * @module
 */

import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { decodeBase64Url, encodeBase64Url } from '../../base/base64.ts'
import { concatBytes, encodeUtf8 } from '../../base/bytes.ts'
import { isPromise } from '../../base/promise.ts'
import { isRecord } from '../../base/record.ts'
import {
  begin,
  endOf,
  hasEnded,
  type KeptSession,
  type ResponseCookie,
  remember,
  renewalInterval,
  type SessionBackend,
} from './backend.ts'
import type { SessionValues } from './data.ts'
import type { SessionChanges } from './session.ts'
import type { SessionSettings } from './session-options.ts'
import { type SignedText, Signer } from './signer.ts'

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

/** A way to write text to a cookie. */
interface Codec {
  /** Returns the value of a cookie. */
  encode(text: string): string | Promise<string>
  /** Returns the text, or undefined if the value was not made with one of the secrets. */
  decode(value: string): SignedText | undefined | Promise<SignedText | undefined>
}

/** Returns the codec of text that visitors can read, but not change. Synchronous. */
function signedCodec(secrets: readonly string[], name: string): Codec {
  const signer = new Signer(secrets, name)
  return {
    encode: (text) => signer.sign(encodeBase64Url(encodeUtf8(text))),
    decode(value) {
      const signed = signer.verify(value)
      const bytes = signed && decodeBase64Url(signed.text)
      return signed && bytes && { text: decoder.decode(bytes), isCurrent: signed.isCurrent }
    },
  }
}

/** A key of WebCrypto. Its type has another name in each runtime. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** Length of the nonce of AES-GCM, in bytes (NIST SP 800-38D §8.2). */
const NONCE_LENGTH = 12

/**
 * Returns the codec of text that visitors can neither read nor change: AES-256-GCM with a random nonce for each
 * cookie. The name of the cookie is authenticated too, so that the value of another cookie is not accepted.
 */
function encryptedCodec(secrets: readonly string[], name: string): Codec {
  // Derived on first use: workerd allows no asynchronous work while modules are loaded.
  let derived: readonly Promise<Key>[] | undefined
  const keys = () => {
    derived ??= secrets.map(keyOf)
    return derived
  }
  const algorithm = (iv: Uint8Array<ArrayBuffer>) => ({
    name: 'AES-GCM',
    iv,
    additionalData: encodeUtf8(name),
  })
  return {
    async encode(text) {
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_LENGTH))
      const key = await (keys()[0] as Promise<Key>)
      const encrypted = await crypto.subtle.encrypt(algorithm(nonce), key, encodeUtf8(text))
      return encodeBase64Url(concatBytes([nonce, new Uint8Array(encrypted)]))
    },
    async decode(value) {
      const bytes = decodeBase64Url(value)
      if (bytes === undefined) return undefined
      const parameters = algorithm(bytes.slice(0, NONCE_LENGTH))
      const encrypted = bytes.slice(NONCE_LENGTH)
      for (const [index, key] of keys().entries()) {
        const text = await crypto.subtle.decrypt(parameters, await key, encrypted).then(
          (text) => decoder.decode(text),
          // WebCrypto rejects with an error without details if a key does not fit or the data was changed.
          () => undefined,
        )
        if (text !== undefined) return { text, isCurrent: index === 0 }
      }
      return undefined
    },
  }
}

const decoder = new TextDecoder()

function keyOf(secret: string): Promise<Key> {
  const key = hkdf(sha256, encodeUtf8(secret), undefined, encodeUtf8('propylon session cookie'), 32)
  return crypto.subtle.importKey('raw', Uint8Array.from(key), 'AES-GCM', false, ['encrypt', 'decrypt'])
}
