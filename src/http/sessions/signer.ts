import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { encodeBase64Url } from '../../base/base64.ts'
import { encodeUtf8 } from '../../base/bytes.ts'

/** A text whose signature is right. */
export interface SignedText {
  readonly text: string
  /** Whether the newest secret signed it. */
  readonly isCurrent: boolean
}

/** Signs texts with HMAC-SHA-256, and accepts the signatures of several secrets. */
export class Signer {
  readonly #keys: readonly Uint8Array[]
  readonly #name: string

  /**
   * @param secrets - the first one signs.
   * @param name - name of the cookie. It is signed too, so that the value of another cookie is not accepted.
   */
  constructor(secrets: readonly string[], name: string) {
    this.#keys = secrets.map(encodeUtf8)
    this.#name = name
  }

  /** Returns the text with its signature. */
  sign(text: string): string {
    return `${text}.${this.#signature(text, this.#keys[0] as Uint8Array)}`
  }

  /** Returns the text without its signature, or undefined if no secret has signed it. */
  verify(signed: string): SignedText | undefined {
    const dot = signed.lastIndexOf('.')
    const text = signed.slice(0, Math.max(dot, 0))
    const signature = signed.slice(dot + 1)
    const index = this.#keys.findIndex((key) => isSameSecret(this.#signature(text, key), signature))
    return index === -1 ? undefined : { text, isCurrent: index === 0 }
  }

  #signature(text: string, key: Uint8Array): string {
    return encodeBase64Url(hmac(sha256, key, encodeUtf8(`${this.#name}=${text}`)))
  }
}

/** Compares two secrets in constant time, so that the duration does not reveal the position of a difference. */
export function isSameSecret(one: string, other: string): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  for (let at = 0; at < one.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}
