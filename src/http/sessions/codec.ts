/** Writes the text of a session to a cookie, signed or encrypted, and reads it again. */
import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { decodeBase64Url, encodeBase64Url } from '../../base/base64.ts'
import { concatBytes, encodeUtf8 } from '../../base/bytes.ts'
import { type SignedText, Signer } from './signer.ts'

/** A way to write text to a cookie. */
export interface Codec {
  /** Returns the value of a cookie. */
  encode(text: string): string | Promise<string>
  /** Returns the text, or undefined if the value was not made with one of the secrets. */
  decode(value: string): SignedText | undefined | Promise<SignedText | undefined>
}

/** Text that visitors can read, but not change. Synchronous. */
export class SignedCodec implements Codec {
  readonly #signer: Signer

  constructor(secrets: readonly string[], name: string) {
    this.#signer = new Signer(secrets, name)
  }

  encode(text: string): string {
    return this.#signer.sign(encodeBase64Url(encodeUtf8(text)))
  }

  decode(value: string): SignedText | undefined {
    const signed = this.#signer.verify(value)
    const bytes = signed === undefined ? undefined : decodeBase64Url(signed.text)
    if (signed === undefined || bytes === undefined) return undefined
    return { text: decoder.decode(bytes), isCurrent: signed.isCurrent }
  }
}

/** A key of WebCrypto. Its type has another name in each runtime. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** Length of the nonce of AES-GCM, in bytes (NIST SP 800-38D §8.2). */
const NONCE_LENGTH = 12

/** Text that visitors can neither read nor change: AES-256-GCM with a random nonce for each cookie. */
export class EncryptedCodec implements Codec {
  readonly #secrets: readonly string[]
  /** The name of the cookie is authenticated too, so that the value of another cookie is not accepted. */
  readonly #name: Uint8Array<ArrayBuffer>
  // Derived on first use: workerd allows no asynchronous work while modules are loaded.
  #derived: readonly Promise<Key>[] | undefined

  constructor(secrets: readonly string[], name: string) {
    this.#secrets = secrets
    this.#name = encodeUtf8(name)
  }

  async encode(text: string): Promise<string> {
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE_LENGTH))
    const key = await (this.#keys[0] as Promise<Key>)
    const encrypted = await crypto.subtle.encrypt(this.#algorithm(nonce), key, encodeUtf8(text))
    return encodeBase64Url(concatBytes([nonce, new Uint8Array(encrypted)]))
  }

  async decode(value: string): Promise<SignedText | undefined> {
    const bytes = decodeBase64Url(value)
    if (bytes === undefined) return undefined
    const algorithm = this.#algorithm(bytes.slice(0, NONCE_LENGTH))
    for (const [index, key] of this.#keys.entries()) {
      const encrypted = bytes.slice(NONCE_LENGTH)
      const text = await crypto.subtle.decrypt(algorithm, await key, encrypted).then(toText, notDecrypted)
      if (text !== undefined) return { text, isCurrent: index === 0 }
    }
    return undefined
  }

  get #keys(): readonly Promise<Key>[] {
    this.#derived ??= this.#secrets.map(keyOf)
    return this.#derived
  }

  #algorithm(iv: Uint8Array<ArrayBuffer>) {
    return { name: 'AES-GCM', iv, additionalData: this.#name }
  }
}

const decoder = new TextDecoder()

function toText(bytes: ArrayBuffer): string {
  return decoder.decode(bytes)
}

/** WebCrypto rejects with an error without details if a key does not fit or the data was changed. */
function notDecrypted(): undefined {}

function keyOf(secret: string): Promise<Key> {
  const key = hkdf(sha256, encodeUtf8(secret), undefined, encodeUtf8('propylon session cookie'), 32)
  return crypto.subtle.importKey('raw', Uint8Array.from(key), 'AES-GCM', false, ['encrypt', 'decrypt'])
}
