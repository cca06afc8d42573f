/**
 * Response bodies: pulling, wrapping and cancelling them.
 *
 * @module
 */
import { checkChunk, isChunk } from '../base/bytes.ts'
import { describeValue } from '../base/describe.ts'
import { settle } from '../base/promise.ts'
import type { Body, Chunk, Closeable } from './types.ts'

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
      throw new TypeError(`The application returned ${what} as its body. Return an array or a generator of chunks.`)
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

// ------------------------------------------------------------ wrapping a body

/**
 * Returns a body with the chunks of another and a callback that runs when the server closes it: once, when the response
 * is complete or its client has disconnected.
 */
export function onClose(body: Body, callback: () => void): Body {
  const close = () => {
    callback()
    return body.close?.()
  }
  // An array stays one, so that the server still sends it with its length.
  if (Array.isArray(body)) return Object.assign([...body], { close })
  if (typeof body !== 'object' || body === null) return body
  if (Symbol.asyncIterator in body) return { [Symbol.asyncIterator]: () => body[Symbol.asyncIterator](), close }
  if (Symbol.iterator in body) return { [Symbol.iterator]: () => body[Symbol.iterator](), close }
  // The server reports a value that is not a body.
  return body
}

/**
 * A web stream as a body. `close()` cancels it, unless it has ended.
 *
 * Not an async generator: its `return()` would wait for the read in progress, so that the disconnect of a client could
 * not end a stream that is silent.
 */
export class StreamBody<Bytes> implements AsyncIterable<Bytes>, Closeable {
  readonly #stream: ReadableStream<Bytes>
  readonly #onCancel: (() => void) | undefined
  #reader: ReadableStreamDefaultReader<Bytes> | undefined
  // True once the stream has ended, failed or been cancelled.
  #ended = false

  /** @param onCancel - called before the stream is cancelled. */
  constructor(stream: ReadableStream<Bytes>, onCancel?: () => void) {
    this.#stream = stream
    this.#onCancel = onCancel
  }

  [Symbol.asyncIterator](): AsyncIterator<Bytes> {
    const reader = this.#stream.getReader()
    this.#reader = reader
    return {
      next: () => this.#next(reader),
      return: async () => {
        await this.close()
        return { done: true, value: undefined }
      },
    }
  }

  async #next(reader: ReadableStreamDefaultReader<Bytes>): Promise<IteratorResult<Bytes, undefined>> {
    try {
      const { done, value } = await reader.read()
      if (!done) return { done, value }
    } catch (error) {
      this.#ended = true
      throw error
    }
    this.#ended = true
    return { done: true, value: undefined }
  }

  async close(): Promise<void> {
    if (this.#ended) return
    this.#ended = true
    this.#onCancel?.()
    await (this.#reader ?? this.#stream).cancel()
  }
}
