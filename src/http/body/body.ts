/**
 * Reads the body of a request once, up to a limit, and decompresses it.
 *
 * @module
 */
import { concatBytes } from '../../base/bytes.ts'
import { requireLimit } from '../../base/limit.ts'
import { isDisconnect } from '../../base/thrown.ts'
import { isBodyMemoryError, RETRY_AFTER } from '../../wsgi/body-memory.ts'
import { emptyInput, GatheredBytes, inputStream, PulledInput } from '../../wsgi/input.ts'
import { parseContentLength } from '../../wsgi/response-head.ts'
import type { Environ, InputStream } from '../../wsgi/types.ts'
import { type Compression, decompressed } from '../compression.ts'
import { worded } from '../error-texts.ts'
import {
  HTTPBadRequest,
  HTTPRequestEntityTooLarge,
  HTTPServiceUnavailable,
  HTTPUnsupportedMediaType,
} from '../status-exceptions.ts'

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
 * Returns the body, decompressed. It is read once and kept. `wsgi.input` is replaced by an input with the same bytes,
 * for an application to which the request is forwarded.
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

/** A body that is read piece by piece. */
export interface StreamedBody {
  /** The pieces, decompressed. */
  readonly pieces: AsyncIterator<Uint8Array>
  /**
   * Counts bytes that the reader holds in memory.
   *
   * @throws HTTPServiceUnavailable - the server has no memory left for them.
   */
  hold(length: number): void
  /** Stops counting all bytes. */
  release(): void
}

/**
 * Returns the body for reading it piece by piece, decompressed. The other methods that read it reject from now on. A
 * body that has been read whole is returned from memory.
 *
 * @param limit - maximum Content-Length in bytes. The caller limits what it reads.
 * @throws HTTPRequestEntityTooLarge - Content-Length exceeds the limit.
 * @throws HTTPBadRequest - Content-Length is malformed.
 * @throws HTTPUnsupportedMediaType - the Content-Encoding is neither gzip nor deflate.
 */
export function streamBody(environ: Environ, limit: number): StreamedBody {
  const input = environ['wsgi.input']
  const known = keptBody(input)
  if (known !== undefined) return { pieces: inMemory(known), hold: ignore, release: ignore }
  checkLength(environ, limit)
  const format = compressionOf(environ)
  const refusal = new TypeError(
    'The body of the request has been read by request.parts(). Use either parts(), once, or the methods that read the whole body.',
  )
  keepBody(input, abandonable(Promise.reject(refusal)))
  return {
    pieces: format === undefined ? input[Symbol.asyncIterator]() : inflated(input.stream, format),
    hold: (length) => hold(input, length),
    release: () => {
      if (input instanceof PulledInput) input.uncount()
    },
  }
}

async function* inMemory(body: Promise<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield await body
}

function hold(input: InputStream, length: number): void {
  if (!(input instanceof PulledInput)) return
  try {
    input.count(length)
  } catch (error) {
    throw outOfMemory(error)
  }
}

/** Returns the exception for a {@link BodyMemoryError}, and any other error as it is. */
function outOfMemory(error: unknown): unknown {
  if (!isBodyMemoryError(error)) return error
  const headers = { 'Retry-After': String(RETRY_AFTER) }
  return worded(HTTPServiceUnavailable, 'propylon.body.memory', {}, { headers, cause: error })
}

/**
 * Returns the Content-Length, undefined if there is none.
 *
 * @throws RangeError - the limit is not a number, or below 0.
 */
function checkLength(environ: Environ, limit: number): number | undefined {
  requireLimit('The limit of the body', limit)
  const stated = statedLength(environ)
  if (stated === undefined && (environ.CONTENT_LENGTH ?? '') !== '') {
    throw worded(HTTPBadRequest, 'propylon.body.length')
  }
  if (stated !== undefined && stated > limit) throw tooLarge(limit)
  return stated
}

async function readAndDecode(environ: Environ, input: InputStream, limit: number): Promise<Uint8Array> {
  const format = compressionOf(environ)
  const stated = checkLength(environ, limit)
  if (stated === 0) return new Uint8Array()
  try {
    // PEP 3333: bytes beyond Content-Length are not part of the body. Without it, one byte more than the limit is
    // read, to find out whether the body exceeds it.
    const most = stated ?? Math.floor(limit) + 1
    const first = await input.read(most === Number.POSITIVE_INFINITY ? undefined : most)
    const bytes = first.length === stated ? first : await readOn(input, first, most)
    if (bytes.length > limit) throw tooLarge(limit)
    if (stated !== undefined && bytes.length < stated) {
      throw worded(HTTPBadRequest, 'propylon.body.incomplete', { length: bytes.length, stated })
    }
    if (bytes.length === 0) return bytes
    const body = format === undefined ? bytes : await inflate(bytes, format, limit, input)
    if (input instanceof PulledInput) input.putBack(bytes)
    else if (environ['wsgi.input'] === input) {
      const again = inputStream(bytes)
      keepBody(again, Promise.resolve(body))
      environ['wsgi.input'] = again
    }
    return body
  } catch (error) {
    throw outOfMemory(error)
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
  return worded(HTTPRequestEntityTooLarge, 'propylon.body.tooLarge', { limit })
}

/**
 * Returns a read that may be abandoned: an action can fail while it runs, before it awaits the read. The client decides
 * whether a read fails, by disconnecting or by a malformed body, and must not be able to end the process by an
 * unhandled rejection.
 */
export function abandonable<T>(read: Promise<T>): Promise<T> {
  read.catch(ignore)
  return read
}

function ignore(): void {}

const COMPRESSIONS: ReadonlyMap<string, Compression | undefined> = new Map([
  ['', undefined],
  ['identity', undefined],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
])

function compressionOf({ HTTP_CONTENT_ENCODING: sent }: Environ): Compression | undefined {
  if (sent === undefined) return undefined
  const coding = sent.trim().toLowerCase()
  if (COMPRESSIONS.has(coding)) return COMPRESSIONS.get(coding)
  const headers = { 'Accept-Encoding': 'gzip, deflate' }
  throw worded(HTTPUnsupportedMediaType, 'propylon.body.coding', {}, { headers })
}

/** Decompresses in chunks and stops at the limit, because a small body can decompress to a very large one. */
async function inflate(bytes: Uint8Array, format: Compression, limit: number, input: InputStream): Promise<Uint8Array> {
  const gathered = new GatheredBytes()
  let length = 0
  for await (const chunk of inflated(new Blob([new Uint8Array(bytes)]).stream(), format)) {
    length += chunk.length
    if (length > limit) throw tooLarge(limit)
    const bytes = gathered.add(chunk)
    if (input instanceof PulledInput) input.count(bytes)
  }
  return concatBytes(gathered.pieces())
}

/** Decompresses a stream. Cancels it if the reader stops early. */
async function* inflated(
  source: ReadableStream<Uint8Array>,
  format: Compression,
): AsyncGenerator<Uint8Array, void, undefined> {
  const pieces = decompressed(source, format)
  try {
    for (let next = await nextPiece(pieces, format); !next.done; next = await nextPiece(pieces, format)) {
      yield next.value
    }
  } finally {
    // Rejects with the error that has been thrown, if there is one.
    await pieces.return?.().catch(ignore)
  }
}

async function nextPiece(pieces: AsyncIterator<Uint8Array>, format: Compression): Promise<IteratorResult<Uint8Array>> {
  try {
    return await pieces.next()
  } catch (cause) {
    if (isDisconnect(cause)) throw cause
    throw worded(HTTPBadRequest, 'propylon.body.format', { format }, { cause })
  }
}

// Shared, because creating a decoder takes longer than decoding a small form. They have no state between calls.
const strictUtf8 = new TextDecoder('utf-8', { fatal: true })
// A byte order mark is text in forms ("UTF-8 decode without BOM" of the URL and XHR standards).
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

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
    throw worded(HTTPBadRequest, 'propylon.body.encoding', { encoding: decoder.encoding }, { cause })
  }
}

/**
 * Returns a decoder that throws for malformed bytes.
 *
 * @throws HTTPUnsupportedMediaType - the charset is unknown.
 */
function makeDecoder(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset, { fatal: true })
  } catch (cause) {
    const values = { charset: JSON.stringify(charset.slice(0, 40)) }
    throw worded(HTTPUnsupportedMediaType, 'propylon.body.charset', values, { cause })
  }
}
