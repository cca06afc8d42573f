/**
 * Pulling chunks from a body, whatever kind of iterable it is.
 *
 * @module
 */
import { checkChunk, isChunk } from './bytes.ts'
import { settle } from './promise.ts'
import { shown } from './response-head.ts'
import type { Body, Chunk } from './types.ts'

/** A body that is being pulled. */
export class BodySource {
  readonly #body: Body
  #iterator: Iterator<Chunk> | undefined
  #asyncIterator: AsyncIterator<Chunk> | undefined
  #closed = false
  // Whether an async iterator has been asked and has not answered.
  #waits = false

  /** @throws TypeError when the body is not iterable, or is iterable but certainly not by chunks. */
  constructor(body: Body) {
    this.#body = body
    if (typeof body === 'string') {
      // Its chunks would be its characters; the bytes are the same.
      this.#iterator = [body][Symbol.iterator]()
    } else if (typeof body !== 'object' || body === null || body instanceof Uint8Array) {
      const what = body instanceof Uint8Array ? 'bare bytes' : shown(body)
      throw new TypeError(
        `The application returned ${what} as its body: return an array or a generator of chunks.`,
      )
    } else if (Symbol.asyncIterator in body) this.#asyncIterator = body[Symbol.asyncIterator]()
    else if (Symbol.iterator in body) this.#iterator = body[Symbol.iterator]()
    else
      throw new TypeError(
        'The application returned an object that is not iterable: return an array or a generator.',
      )
  }

  /**
   * The next chunk that is not empty, undefined at the end.
   *
   * @throws what the iterator throws, and TypeError when it yields something else than chunks.
   */
  pull(): Chunk | undefined | Promise<Chunk | undefined> {
    if (this.#asyncIterator !== undefined) return this.#pullAsync(this.#asyncIterator)
    const iterator = this.#iterator
    if (iterator === undefined) return undefined
    // An iterator that has ended or thrown is not to be told to return.
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
   * Tells an iterator that is not at its end to return, and calls the body's `close()`.
   *
   * @param report - takes what either of them throws.
   * @returns a promise where one of them waits for something; it never rejects.
   */
  close(report: (error: unknown) => void): void | Promise<void> {
    const iterator = this.#asyncIterator ?? this.#iterator
    this.#closed = true
    this.#asyncIterator = undefined
    this.#iterator = undefined
    const returned = settle(() => iterator?.return?.(), report)
    if (returned === undefined) return this.#closeBody(report)
    if (!this.#waits) return returned.then(() => this.#closeBody(report))
    // The generator stands at an await, which close() may be what ends: return() has to wait for that.
    return Promise.all([returned, this.#closeBody(report)]).then(() => undefined)
  }

  #closeBody(report: (error: unknown) => void): Promise<void> | undefined {
    return settle(() => this.#body.close?.(), report)
  }
}
