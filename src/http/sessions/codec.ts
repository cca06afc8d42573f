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

/** Returns the codec of text that visitors can read, but not change. Synchronous. */
export function signedCodec(secrets: readonly string[], name: string): Codec {
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
 * Returns the codec of text that visitors can neither read nor change: AES-256-GCM with a random nonce for each cookie. The name of
 * the cookie is authenticated too, so that the value of another cookie is not accepted.
 */
export function encryptedCodec(secrets: readonly string[], name: string): Codec {
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
        const text = await crypto.subtle.decrypt(parameters, await key, encrypted).then(toText, notDecrypted)
        if (text !== undefined) return { text, isCurrent: index === 0 }
      }
      return undefined
    },
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
