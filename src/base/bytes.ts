/**
 * Chunks of bodies: checks, lengths, UTF-8 and concatenation, on any runtime.
 *
 * @module
 */

import { describeValue } from './describe.ts'
import { isPromise } from './promise.ts'

/** A piece of a body. Strings go out as UTF-8. */
export type Chunk = string | Uint8Array

const encoder = new TextEncoder()

/** Returns the number of bytes of a string in UTF-8. A lone surrogate counts as the three bytes of U+FFFD. */
export const utf8Length: (text: string) => number =
  typeof Buffer === 'undefined' ? (text) => encoder.encode(text).length : Buffer.byteLength

export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text)
}

/** A chunk as bytes: strings as UTF-8, bytes as they are. */
export function toBytes(chunk: Chunk): Uint8Array {
  return typeof chunk === 'string' ? encoder.encode(chunk) : chunk
}

/**
 * Returns the number of bytes that a chunk is sent as.
 *
 * @throws TypeError - `chunk` is neither a string nor bytes.
 */
export function chunkLength(chunk: Chunk): number {
  if (typeof chunk === 'string') return utf8Length(chunk)
  checkChunk(chunk)
  return chunk.byteLength
}

export function totalLength(chunks: readonly Chunk[]): number {
  let length = 0
  for (const chunk of chunks) length += chunkLength(chunk)
  return length
}

export function concatBytes(chunks: readonly Uint8Array[]): Uint8Array {
  const only = chunks.length === 1 ? chunks[0] : undefined
  if (only !== undefined) return only
  const whole = new Uint8Array(totalLength(chunks))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}

/** Returns true for a string or bytes. */
export function isChunk(value: unknown): value is Chunk {
  return typeof value === 'string' || value instanceof Uint8Array
}

/** @throws TypeError - `chunk` is neither a string nor bytes. */
export function checkChunk(chunk: unknown): asserts chunk is Chunk {
  if (isChunk(chunk)) return
  throw new TypeError(
    isPromise(chunk)
      ? 'A chunk of the body is a promise: use an async generator, or await it first.'
      : `A chunk of the body is ${describeValue(chunk)}: chunks are strings or Uint8Arrays.`,
  )
}
