/**
 * What a response's body may be, and how each kind is sent.
 *
 * @module
 */

import { utf8Length } from '../wsgi/bytes.ts'
import type { Body, Chunk, Closeable } from '../wsgi/types.ts'

/**
 * A response's body: text (sent as UTF-8), bytes, nothing, chunks that are at hand (an array) or are made while they
 * are sent (a generator, an async generator, a web stream), or a Blob.
 */
export type ResponseBody =
  | string
  | Uint8Array
  | null
  | Iterable<Chunk>
  | AsyncIterable<Chunk>
  | ReadableStream<Chunk>
  | Blob

/** The length in bytes of a body that is at hand, -1 of one that is made while it is sent. */
export function bodyLength(body: ResponseBody): number {
  if (typeof body === 'string') return utf8Length(body)
  if (body === null) return 0
  if (body instanceof Uint8Array) return body.byteLength
  if (Array.isArray(body)) {
    let length = 0
    for (const chunk of body) length += chunkLength(chunk)
    return length
  }
  if (body instanceof Blob) return body.size
  return body instanceof UnsentBody ? 0 : -1
}

function chunkLength(chunk: unknown): number {
  if (typeof chunk === 'string') return utf8Length(chunk)
  if (chunk instanceof Uint8Array) return chunk.byteLength
  throw new TypeError(
    `a body's chunks are strings or Uint8Arrays, not ${chunk === null ? 'null' : typeof chunk}`,
  )
}

/**
 * The content type of a body that was given none: HTML for text and what is generated (as WSGI frameworks have it),
 * `application/octet-stream` for bytes, so that a browser never takes somebody's upload for a page.
 */
export function defaultContentType(body: ResponseBody): string | undefined {
  if (body === null) return undefined
  if (typeof body === 'string') return HTML
  if (body instanceof Uint8Array || body instanceof ReadableStream) return BYTES
  return body instanceof Blob ? body.type || BYTES : HTML
}

const HTML = 'text/html; charset=utf-8'
const BYTES = 'application/octet-stream'

/** A body in the form in which the gateway sends it. */
export function toGatewayBody(body: ResponseBody): Body {
  if (typeof body === 'string') return body === '' ? [] : [body]
  if (body === null) return []
  if (body instanceof Uint8Array) return body.byteLength === 0 ? [] : [body]
  if (body instanceof Blob) return new StreamBody(body.stream())
  if (body instanceof ReadableStream) return new StreamBody(body)
  return body
}

/** A body of no chunks that still closes the one it stands for: for HEAD and for statuses without content. */
export function emptyBodyFor(body: ResponseBody): Body {
  return isStreamed(body) ? new UnsentBody(body) : []
}

type Streamed = (Iterable<Chunk> | AsyncIterable<Chunk>) & Closeable & { return?(): unknown }

/** Whether a body is made while it is sent, so that it can be sent only once and wants to be closed. */
function isStreamed(body: ResponseBody): body is Streamed {
  return body !== null && typeof body === 'object' && !isAtHand(body)
}

function isAtHand(body: object): boolean {
  return body instanceof Uint8Array || Array.isArray(body) || body instanceof Blob
}

/** Ends a body that is not going to be read (to its end). */
async function closeBody(body: ResponseBody): Promise<void> {
  if (!isStreamed(body)) return
  if (body instanceof ReadableStream) {
    if (!body.locked) await body.cancel()
    return
  }
  if (body.close !== undefined) await body.close()
  else if (body.return !== undefined) await body.return()
}

/** A web stream as a gateway body: what is left of it is cancelled when the body is closed. */
class StreamBody implements AsyncIterable<Chunk> {
  readonly #stream: ReadableStream<Chunk>
  #reader: ReadableStreamDefaultReader<Chunk> | undefined
  #ended = false

  constructor(stream: ReadableStream<Chunk>) {
    this.#stream = stream
  }

  // Not an async generator: its return() would wait for a read that is under way, so a client that leaves while the
  // source is silent could not end it.
  [Symbol.asyncIterator](): AsyncIterator<Chunk> {
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

  async #next(reader: ReadableStreamDefaultReader<Chunk>): Promise<IteratorResult<Chunk, undefined>> {
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
    await (this.#reader ?? this.#stream).cancel()
  }
}

/** No chunks; closing it closes the body it stands for. */
class UnsentBody implements Iterable<Chunk> {
  readonly #body: ResponseBody

  constructor(body: ResponseBody) {
    this.#body = body
  }

  *[Symbol.iterator](): Iterator<Chunk> {}

  close(): Promise<void> {
    return closeBody(this.#body)
  }
}
