/**
 * The body of a response, the header fields that describe it, and its conversion to a gateway body.
 *
 * @module
 */
import { StreamBody } from '../wsgi/body.ts'
import type { Body, Chunk, Closeable, HeaderPair } from '../wsgi/types.ts'

/**
 * The body of a response: text (sent as UTF-8), bytes, null for none, an array of chunks, a generator, an async
 * generator, a web stream, or a Blob.
 */
export type ResponseBody =
  | string
  | Uint8Array
  | null
  | Iterable<Chunk>
  | AsyncIterable<Chunk>
  | ReadableStream<Chunk>
  | Blob

/** Returns true for a body that is complete in memory, so that the server can count its bytes. */
export function isInMemory(body: ResponseBody): boolean {
  return body === null || typeof body === 'string' || body instanceof Uint8Array || Array.isArray(body)
}

/**
 * Returns the content type of a body without one: HTML for text and iterables, as in WSGI frameworks, and
 * `application/octet-stream` for bytes, so that browsers do not render uploads as pages.
 */
export function defaultContentType(body: ResponseBody): string | undefined {
  if (body === null) return undefined
  if (typeof body === 'string') return HTML
  if (body instanceof Uint8Array || body instanceof ReadableStream) return BYTES
  return body instanceof Blob ? body.type || BYTES : HTML
}

const HTML = 'text/html; charset=utf-8'
const BYTES = 'application/octet-stream'

/** Header fields that describe a body. They are not merged into a response with another body. */
export const BODY_FIELDS: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'content-language',
  'content-location',
  'content-range',
  'content-disposition',
  'content-digest',
  'transfer-encoding',
])

/** Returns true unless the field is Content-Length. */
export function isNotContentLength([name]: HeaderPair): boolean {
  return name.toLowerCase() !== 'content-length'
}

/** Returns true for a field that a response without a body may have. Content-Location is metadata of a 304 too. */
export function isFieldWithoutBody([name]: HeaderPair): boolean {
  const key = name.toLowerCase()
  return key === 'content-location' || !BODY_FIELDS.has(key)
}

/** Converts a body to a gateway body. */
export function toGatewayBody(body: ResponseBody): Body {
  if (typeof body === 'string') return body === '' ? [] : [body]
  if (body === null) return []
  if (body instanceof Uint8Array) return body.byteLength === 0 ? [] : [body]
  if (body instanceof Blob) return new StreamBody(body.stream())
  if (body instanceof ReadableStream) return new StreamBody(body)
  return body
}

/** Returns a body without chunks whose `close()` closes `body`. For statuses without content. */
export function emptyBodyFor(body: ResponseBody): Body {
  return isStreamed(body) ? { *[Symbol.iterator]() {}, close: () => closeBody(body) } : []
}

type Streamed = (Iterable<Chunk> | AsyncIterable<Chunk>) & Closeable & { return?(): unknown }

/** Returns true for a body that is produced while it is sent: it can be sent only once and must be closed. */
function isStreamed(body: ResponseBody): body is Streamed {
  return !isInMemory(body) && !(body instanceof Blob)
}

/** Closes a body that will not be read further. */
export async function closeBody(body: ResponseBody): Promise<void> {
  if (!isStreamed(body)) return
  if (body instanceof ReadableStream) {
    if (!body.locked) await body.cancel()
    return
  }
  if (body.close !== undefined) await body.close()
  else if (body.return !== undefined) await body.return()
}

/**
 * Returns a body with a chunk behind it.
 *
 * @throws TypeError - the body is a stream, an iterator or a Blob.
 */
export function appended(body: ResponseBody, chunk: Chunk): ResponseBody {
  if (body === null || body === '') return chunk
  if (typeof body === 'string' && typeof chunk === 'string') return body + chunk
  if (typeof body === 'string' || body instanceof Uint8Array) return [body, chunk]
  if (Array.isArray(body)) return [...body, chunk]
  throw new TypeError(
    'write() requires a body of text, bytes or an array, but the body is a stream or a Blob.',
  )
}
