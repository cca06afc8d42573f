/**
 * The request's body: read once, under a limit, decompressed.
 *
 * @module
 */

import { isBodyMemoryError, RETRY_AFTER } from '../wsgi/body-memory.ts'
import { concatBytes } from '../wsgi/bytes.ts'
import { emptyInput, inputStream, PulledInput } from '../wsgi/input.ts'
import { parseContentLength } from '../wsgi/response-head.ts'
import type { Environ, InputStream } from '../wsgi/types.ts'
import {
  HTTPBadRequest,
  HTTPRequestEntityTooLarge,
  HTTPServiceUnavailable,
  HTTPUnsupportedMediaType,
} from './status-exceptions.ts'

/** The length that the request states, `undefined` when it states none. */
export function statedLength(environ: Environ): number | undefined {
  const length = parseContentLength(environ.CONTENT_LENGTH ?? '')
  return length < 0 ? undefined : length
}

// Bodies that have been read, by the input they came from: several Request objects may stand for one request, and
// an environ may be copied on its way through middleware. A server's input holds its body itself, since an entry here
// takes longer than to read a small form.
const bodies = new WeakMap<InputStream, Promise<Uint8Array>>()

function keptBody(input: InputStream): Promise<Uint8Array> | undefined {
  return input instanceof PulledInput ? input.kept : bodies.get(input)
}

function keepBody(input: InputStream, body: Promise<Uint8Array>): void {
  if (input instanceof PulledInput) input.kept = body
  // The empty input is every request's.
  else if (input !== emptyInput) bodies.set(input, body)
}

/**
 * The whole body, decompressed. It is read once and kept. `wsgi.input` is then replaced by one that yields the same
 * bytes again, for an application that this request may be passed on to.
 *
 * @param limit - in bytes, of the body as it was sent and as it is decompressed.
 * @throws HTTPRequestEntityTooLarge over the limit: before anything is read when Content-Length says so.
 * @throws HTTPBadRequest when Content-Length is malformed, when fewer bytes come than it says, when compressed data is
 *   broken.
 * @throws HTTPUnsupportedMediaType for a Content-Encoding other than gzip and deflate.
 * @throws HTTPServiceUnavailable when the server has no memory left for it.
 */
export function readBody(environ: Environ, limit: number): Promise<Uint8Array> {
  const input = environ['wsgi.input']
  const known = keptBody(input)
  if (known !== undefined) return known
  const body = readAndDecode(environ, input, limit)
  keepBody(input, body)
  return body
}

async function readAndDecode(environ: Environ, input: InputStream, limit: number): Promise<Uint8Array> {
  const stated = statedLength(environ)
  if (stated === undefined && (environ.CONTENT_LENGTH ?? '') !== '') {
    throw new HTTPBadRequest('The Content-Length of the request is not a number.')
  }
  const format = compressionOf(environ)
  if (stated !== undefined && stated > limit) throw tooLarge(limit)
  if (stated === 0) return new Uint8Array()
  try {
    // PEP 3333: what lies beyond Content-Length is not this request's body. One byte more than the limit tells that
    // there is more.
    const most = stated ?? Math.floor(limit) + 1
    const first = await input.read(most === Number.POSITIVE_INFINITY ? undefined : most)
    const bytes = first.length === stated ? first : await readOn(input, first, most)
    if (bytes.length > limit) throw tooLarge(limit)
    if (stated !== undefined && bytes.length < stated) {
      throw new HTTPBadRequest(`The body of the request ends after ${bytes.length} of ${stated} bytes.`)
    }
    if (bytes.length === 0) return bytes
    const body = format === undefined ? bytes : await inflate(bytes, format, limit, input)
    const again = inputStream(bytes)
    keepBody(again, Promise.resolve(body))
    if (environ['wsgi.input'] === input) environ['wsgi.input'] = again
    return body
  } catch (cause) {
    if (!isBodyMemoryError(cause)) throw cause
    throw new HTTPServiceUnavailable(
      'The server has no memory left for the body of the request.',
      { 'Retry-After': String(RETRY_AFTER) },
      { cause },
    )
  }
}

/** Reads on behind the first piece: an input may give less at once than it is asked for. */
async function readOn(input: InputStream, first: Uint8Array, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [first]
  let length = first.length
  while (length < most && chunks.at(-1)?.length !== 0) {
    const chunk = await input.read(most === Number.POSITIVE_INFINITY ? undefined : most - length)
    chunks.push(chunk)
    length += chunk.length
  }
  return concatBytes(chunks)
}

function tooLarge(limit: number): HTTPRequestEntityTooLarge {
  return new HTTPRequestEntityTooLarge(`The body may have ${limit} bytes at most.`)
}

type Compression = 'gzip' | 'deflate'

function compressionOf(environ: Environ): Compression | undefined {
  const encoding = environ.HTTP_CONTENT_ENCODING?.trim().toLowerCase()
  switch (encoding) {
    case undefined:
    case '':
    case 'identity':
      return undefined
    case 'gzip':
    case 'x-gzip':
      return 'gzip'
    case 'deflate':
      return 'deflate'
    default:
      throw new HTTPUnsupportedMediaType('The body may be compressed with gzip or deflate, once.', {
        'Accept-Encoding': 'gzip, deflate',
      })
  }
}

/** Decompresses piece by piece and stops as soon as there is too much: a small body can hold a very large one. */
async function inflate(
  bytes: Uint8Array,
  format: Compression,
  limit: number,
  input: InputStream,
): Promise<Uint8Array> {
  const source = new Blob([new Uint8Array(bytes)]).stream()
  const reader = source.pipeThrough(new DecompressionStream(format)).getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const chunk = await nextChunk(reader, format)
    if (chunk === undefined) return concatBytes(chunks)
    length += chunk.length
    try {
      if (length > limit) throw tooLarge(limit)
      if (input instanceof PulledInput) input.count(chunk.length)
    } catch (error) {
      await reader.cancel()
      throw error
    }
    chunks.push(chunk)
  }
}

async function nextChunk(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  format: Compression,
): Promise<Uint8Array | undefined> {
  try {
    const { done, value } = await reader.read()
    return done ? undefined : value
  } catch (cause) {
    throw new HTTPBadRequest(`The body of the request is not ${format} data.`, undefined, { cause })
  }
}

// Decoders that decode a whole text at a time keep nothing of it, and making one costs more than to decode a form.
const strictUtf8 = new TextDecoder('utf-8', { fatal: true })
const utf8 = new TextDecoder()

function isUtf8(charset: string): boolean {
  return charset === 'utf-8' || charset === 'UTF-8'
}

/** A form's bytes as text, in which malformed bytes are U+FFFD, and the name of its encoding. */
export function decodeForm(bytes: Uint8Array, charset: string): { text: string; encoding: string } {
  if (isUtf8(charset)) return { text: utf8.decode(bytes), encoding: 'utf-8' }
  const { encoding } = makeDecoder(charset)
  return { text: new TextDecoder(encoding).decode(bytes), encoding }
}

/** Text in the charset that the request states. */
export function decodeText(bytes: Uint8Array, charset: string): string {
  const decoder = isUtf8(charset) ? strictUtf8 : makeDecoder(charset)
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new HTTPBadRequest(`The body of the request is not ${decoder.encoding} text.`, undefined, { cause })
  }
}

/**
 * A decoder for a charset's label, strict about malformed bytes.
 *
 * @throws HTTPUnsupportedMediaType when the charset is unknown.
 */
export function makeDecoder(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset, { fatal: true })
  } catch (cause) {
    throw new HTTPUnsupportedMediaType('The charset of the request is not known here.', undefined, { cause })
  }
}
