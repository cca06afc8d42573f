/**
 * Reads the body of a request once, up to a limit, and decompresses it.
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

/** Returns the Content-Length, or `undefined` if it is absent or malformed. */
export function statedLength(environ: Environ): number | undefined {
  const length = parseContentLength(environ.CONTENT_LENGTH ?? '')
  return length < 0 ? undefined : length
}

// Bodies by input, because several Request objects, also of copied environs, may share one. The input of a server has a
// property for its body, which is faster than an entry in a WeakMap.
const bodies = new WeakMap<InputStream, Promise<Uint8Array>>()

function keptBody(input: InputStream): Promise<Uint8Array> | undefined {
  return input instanceof PulledInput ? input.kept : bodies.get(input)
}

function keepBody(input: InputStream, body: Promise<Uint8Array>): void {
  if (input instanceof PulledInput) input.kept = body
  // The empty input is shared by all requests without a body.
  else if (input !== emptyInput) bodies.set(input, body)
}

/**
 * Returns the body, decompressed. It is read once and kept. `wsgi.input` is replaced by an input with the same bytes, for
 * an application to which the request is forwarded.
 *
 * @param limit - maximum length in bytes, before and after decompression.
 * @throws HTTPRequestEntityTooLarge - the body exceeds the limit. If its Content-Length does, nothing is read.
 * @throws HTTPBadRequest - Content-Length is malformed, the body is shorter, or the compressed data is malformed.
 * @throws HTTPUnsupportedMediaType - the Content-Encoding is neither gzip nor deflate.
 * @throws HTTPServiceUnavailable - the server has no memory left for the body.
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
    throw new HTTPBadRequest('The Content-Length of the request is malformed.')
  }
  const format = compressionOf(environ)
  if (stated !== undefined && stated > limit) throw tooLarge(limit)
  if (stated === 0) return new Uint8Array()
  try {
    // PEP 3333: bytes beyond Content-Length are not part of the body. Without it, one byte more than the limit is read, to
    // find out whether the body exceeds it.
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

/** Reads the rest of the body: read() may return fewer bytes than requested. */
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
  return new HTTPRequestEntityTooLarge(`The body of the request exceeds the limit of ${limit} bytes.`)
}

/**
 * Returns a read that may be abandoned: an action can fail while it runs, before it awaits the read. The client decides
 * whether a read fails, by disconnecting or by a malformed body, and must not be able to end the process by an unhandled
 * rejection.
 */
export function abandonable<T>(read: Promise<T>): Promise<T> {
  read.catch(ignore)
  return read
}

function ignore(): void {}

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
      throw new HTTPUnsupportedMediaType(
        'The body of the request has an unsupported Content-Encoding. Use gzip or deflate, once.',
        {
          'Accept-Encoding': 'gzip, deflate',
        },
      )
  }
}

/** Decompresses in chunks and stops at the limit, because a small body can decompress to a very large one. */
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

// Shared, because creating a decoder takes longer than decoding a small form. They have no state between calls.
const strictUtf8 = new TextDecoder('utf-8', { fatal: true })
const utf8 = new TextDecoder()

function isUtf8(charset: string): boolean {
  return charset === 'utf-8' || charset === 'UTF-8'
}

/** Decodes a form, with U+FFFD for malformed bytes. Returns the text and the name of its encoding. */
export function decodeForm(bytes: Uint8Array, charset: string): { text: string; encoding: string } {
  if (isUtf8(charset)) return { text: utf8.decode(bytes), encoding: 'utf-8' }
  const { encoding } = makeDecoder(charset)
  return { text: new TextDecoder(encoding).decode(bytes), encoding }
}

/** Decodes a body. Throws HTTPBadRequest for malformed bytes. */
export function decodeText(bytes: Uint8Array, charset: string): string {
  const decoder = isUtf8(charset) ? strictUtf8 : makeDecoder(charset)
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new HTTPBadRequest(`The body of the request is not ${decoder.encoding} text.`, undefined, { cause })
  }
}

/**
 * Returns a decoder that throws for malformed bytes.
 *
 * @throws HTTPUnsupportedMediaType - the charset is unknown.
 */
export function makeDecoder(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset, { fatal: true })
  } catch (cause) {
    throw new HTTPUnsupportedMediaType(
      `The charset ${JSON.stringify(charset.slice(0, 40))} of the request is unknown.`,
      undefined,
      { cause },
    )
  }
}
