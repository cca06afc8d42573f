/**
 * Pulls chunks from a body, an iterable or async iterable.
 *
 * @module
 */

import { checkChunk, isChunk } from '../base/bytes.ts'
import { describeValue } from '../base/describe.ts'
import { settle } from '../base/promise.ts'
import type { Body, Chunk } from './types.ts'

/** A body that is pulled chunk by chunk. */
export class BodySource {
  readonly #body: Body
  #iterator: Iterator<Chunk> | undefined
  #asyncIterator: AsyncIterator<Chunk> | undefined
  #closed = false
  // Whether a call of next() is pending.
  #waits = false

  /** @throws TypeError - the body is not iterable, or is a Uint8Array, whose elements are not chunks. */
  constructor(body: Body) {
    this.#body = body
    if (typeof body === 'string') {
      // Sent as one chunk instead of one per character.
      this.#iterator = [body][Symbol.iterator]()
    } else if (typeof body !== 'object' || body === null || body instanceof Uint8Array) {
      const what = body instanceof Uint8Array ? 'bare bytes' : describeValue(body)
      throw new TypeError(
        `The application returned ${what} as its body. Return an array or a generator of chunks.`,
      )
    } else if (Symbol.asyncIterator in body) this.#asyncIterator = body[Symbol.asyncIterator]()
    else if (Symbol.iterator in body) this.#iterator = body[Symbol.iterator]()
    else
      throw new TypeError(
        'The application returned an object that is not iterable. Return an array or a generator of chunks.',
      )
  }

  /**
   * Returns the next non-empty chunk, or undefined at the end.
   *
   * @throws the iterator's error; TypeError if it yields something other than a chunk.
   */
  pull(): Chunk | undefined | Promise<Chunk | undefined> {
    if (this.#asyncIterator !== undefined) return this.#pullAsync(this.#asyncIterator)
    const iterator = this.#iterator
    if (iterator === undefined) return undefined
    // return() must not be called on an iterator that has ended or thrown.
    this.#iterator = undefined
    for (;;) {
      const { done, value } = iterator.next()
      if (done) return undefined
      if (isChunk(value) && value.length === 0) continue
      this.#iterator = iterator
      checkChunk(value)
      return value
    }
  }

  async #pullAsync(iterator: AsyncIterator<Chunk>): Promise<Chunk | undefined> {
    while (!this.#closed) {
      let result: IteratorResult<Chunk>
      this.#waits = true
      try {
        result = await iterator.next()
      } catch (error) {
        this.#asyncIterator = undefined
        throw error
      } finally {
        this.#waits = false
      }
      if (result.done) break
      const { value } = result
      if (isChunk(value) && value.length === 0) continue
      checkChunk(value)
      return value
    }
    this.#asyncIterator = undefined
    return undefined
  }

  /**
   * Calls `return()` of an iterator that has not ended, then the body's `close()`.
   *
   * @param report - receives the errors of both.
   * @returns a promise if one of them is asynchronous. It never rejects.
   */
  close(report: (error: unknown) => void): void | Promise<void> {
    const iterator = this.#asyncIterator ?? this.#iterator
    this.#closed = true
    this.#asyncIterator = undefined
    this.#iterator = undefined
    const returned = settle(() => iterator?.return?.(), report)
    if (returned === undefined) return this.#closeBody(report)
    if (!this.#waits) return returned.then(() => this.#closeBody(report))
    // return() waits for the pending next(), which may end only after close().
    return Promise.all([returned, this.#closeBody(report)]).then(() => undefined)
  }

  #closeBody(report: (error: unknown) => void): Promise<void> | undefined {
    return settle(() => this.#body.close?.(), report)
  }
}
