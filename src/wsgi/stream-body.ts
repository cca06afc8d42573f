import type { Closeable } from './types.ts'

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
