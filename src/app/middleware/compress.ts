/**
 * Compression of responses.
 *
 * @module
 */
import { chunkLength, concatBytes, toBytes } from '../../base/bytes.ts'
import { isPromise } from '../../base/promise.ts'
import {
  acceptedCodings,
  ChunkCompressor,
  type ContentCoding,
  hasCompressor,
  isCompressible,
  MIN_COMPRESSED_LENGTH,
} from '../../http/compression.ts'
import { type EntityTag, isWeakMatch, parseEntityTags } from '../../http/conditional.ts'
import { isSafe } from '../../http/cross-site.ts'
import { HeaderList } from '../../http/headers.ts'
import { BodySource } from '../../wsgi/body.ts'
import { isBodyless, parseContentLength, readStatus } from '../../wsgi/response-head.ts'
import type {
  Body,
  Chunk,
  Closeable,
  Environ,
  HeaderPair,
  Middleware,
  StartResponse,
  Write,
  WSGIApplication,
} from '../../wsgi/types.ts'
import { checkOptions, isFunction } from '../check-options.ts'

/** Options of {@link compress}. */
export interface CompressOptions {
  /** Minimum length of a compressed body, in bytes. Streams of unknown length are always compressed. Default 1,024. */
  readonly threshold?: number
  /** Returns true for the content types to compress. Default: text, JSON, XML, scripts and uncompressed fonts. */
  readonly types?: (contentType: string) => boolean
}

/** Response fields that describe the bytes of the body, so that the body cannot be changed. */
const UNCHANGEABLE = ['content-encoding', 'content-range', 'content-md5', 'content-digest', 'repr-digest', 'digest']

/**
 * Compresses response bodies with Brotli, zstd or gzip, as Accept-Encoding allows (RFC 9110 §12.5.3). Among codings of
 * equal weight, the order is Brotli, zstd, gzip.
 *
 * Text, JSON, XML and scripts from 1 KiB on are compressed. Each chunk of a stream is compressed and flushed at once.
 * Event streams, media that is compressed already, partial responses (206), attachments with `Accept-Ranges: bytes`,
 * and responses with `Content-Encoding` or `Cache-Control: no-transform` are sent as they are. `Vary:
 * Accept-Encoding` is added to every response of a compressible type. A strong ETag becomes specific to the coding
 * (`"v1"` → `"v1-br"`), and conditional requests with it reach the application with its own tag.
 *
 * A page that contains a secret and text from the request reveals the secret by its compressed length (BREACH). The
 * form token of `authenticateForm` is masked in every page and is not affected.
 *
 * Requires `node:zlib` (Node, Bun, Deno). Other runtimes send responses uncompressed.
 *
 * @throws TypeError - an option is unknown or has a wrong value.
 *
 * @example
 * ```ts
 * import { FrameworkApp, Mapper } from 'propylon'
 * import { compress } from 'propylon/middleware'
 *
 * export default new FrameworkApp({
 *   map: new Mapper(),
 *   controllers: {},
 *   middleware: [compress()],
 * })
 * ```
 */
export function compress(options: CompressOptions = {}): Middleware {
  checkOptions('compress()', options, {
    threshold: [(value) => typeof value === 'number' && value >= 0, 'a number of bytes from 0'],
    types: [isFunction, 'a function of the content type that returns true or false'],
  })
  const { threshold = MIN_COMPRESSED_LENGTH, types = isCompressible } = options
  return (app) => (environ, start_response) => {
    const coding = acceptedCodings(environ.HTTP_ACCEPT_ENCODING).find(hasCompressor)
    return new Compression({ coding, threshold, types }, environ, start_response).run(app)
  }
}

interface Settings extends Required<CompressOptions> {
  /** The coding that the client prefers. Undefined if it accepts none. */
  readonly coding: ContentCoding | undefined
}

type Head = Parameters<StartResponse>

/** The compression of one response. */
class Compression {
  readonly #settings: Settings
  readonly #environ: Environ
  readonly #start: StartResponse
  readonly #noneMatch: string | undefined
  #state: 'holding' | 'plain' | 'streaming' = 'holding'
  // The head while it is not known whether the whole body is in memory.
  #held: Head | undefined

  /** The coding of the response. Undefined if it is not compressed, and before the head exists. */
  coding: ContentCoding | undefined
  /** The Content-Length that the application has set; -1 without one. */
  declared = -1

  constructor(settings: Settings, environ: Environ, start_response: StartResponse) {
    this.#settings = settings
    this.#environ = environ
    this.#start = start_response
    this.#noneMatch = environ.HTTP_IF_NONE_MATCH
  }

  run(app: WSGIApplication): Body | Promise<Body> {
    addPlainTags(this.#environ, this.#settings.coding)
    const body = app(this.#environ, (...head) => this.#begin(head))
    return isPromise(body) ? body.then((later) => this.#accept(later)) : this.#accept(body)
  }

  #begin(head: Head): Write {
    if (this.#state !== 'holding') return this.#send(head, this.#state === 'plain' ? 0 : undefined)
    // Without excInfo, a second call is an error that the server throws.
    if (this.#held !== undefined && (head[2] === undefined || head[2] === null)) this.#start(...this.#held)
    this.#held = head
    let write: Write | undefined
    return (chunk) => {
      if (write === undefined) {
        // Chunks that are passed to write() cannot be delayed, so the response is not compressed.
        this.#state = 'plain'
        write = this.#send(head, 0)
      }
      write(chunk)
    }
  }

  /** @param length - see {@link #decide}. */
  #send([status, headers, excInfo]: Head, length: number | undefined): Write {
    return this.#start(status, this.#decide(status, headers, length), excInfo)
  }

  #accept(body: Body): Body | Promise<Body> {
    const held = this.#held
    if (this.#state === 'plain') return body
    if (Array.isArray(body)) return held === undefined ? body : this.#acceptArray(body, held)
    this.#state = 'streaming'
    // A body whose head does not exist yet calls start_response itself.
    if (held === undefined) return new CompressedBody(body, this)
    this.#send(held, undefined)
    if (this.coding === undefined) {
      this.#state = 'plain'
      return body
    }
    return this.#environ.REQUEST_METHOD === 'HEAD' ? withoutChunks(body) : new CompressedBody(body, this)
  }

  #acceptArray(body: Body & Chunk[], [status, headers, excInfo]: Head): Body | Promise<Body> {
    const length = body.reduce((sum, chunk) => sum + chunkLength(chunk), 0)
    const sent = this.#decide(status, headers, length)
    if (this.coding === undefined || this.#environ.REQUEST_METHOD === 'HEAD') {
      this.#start(status, sent, excInfo)
      return this.coding === undefined ? body : withoutChunks(body)
    }
    return new ChunkCompressor(this.coding).end(concatBytes(body.map(toBytes))).then((compressed) => {
      this.#start(status, sent, excInfo)
      return Object.assign([compressed], 'close' in body && { close: () => body.close?.() })
    })
  }

  /**
   * Decides whether a response is compressed.
   *
   * @param length - length of the body. Undefined if it is a stream.
   * @returns the header fields to send.
   */
  #decide(status: string, headers: HeaderPair[], length: number | undefined): HeaderPair[] {
    const { coding, threshold, types } = this.#settings
    const fields = new HeaderList(headers)
    const { code } = readStatus(status)
    const type = fields.get('content-type')
    const declared = parseContentLength(fields.get('content-length') ?? '')
    this.declared = declared
    this.coding = undefined
    if (code === 304 && (type === undefined || types(type))) {
      const etag = fields.get('etag')
      if (etag !== undefined && coding !== undefined) {
        fields.set('ETag', matchedTag(etag, coding, this.#noneMatch))
      }
      return fields.addToken('Vary', 'Accept-Encoding').toPairs()
    }
    if (isBodyless(code) || code === 206 || type === undefined || !types(type)) return headers
    if (UNCHANGEABLE.some((name) => fields.has(name)) || isFixed(fields.get('cache-control'))) return headers
    if (isResumable(fields)) return headers
    fields.addToken('Vary', 'Accept-Encoding')
    const varying = fields.toPairs()
    // The body of a HEAD may be absent. Its Content-Length describes the body of a GET.
    const isHead = this.#environ.REQUEST_METHOD === 'HEAD'
    const actual = length === undefined || (isHead && length === 0) ? declared : length
    if (coding === undefined || (actual >= 0 ? actual < threshold : length !== undefined)) return varying
    // The server reports a Content-Length that is wrong.
    if (!isHead && length !== undefined && declared >= 0 && declared !== length) return varying
    const etag = fields.get('etag')
    if (etag !== undefined) fields.set('ETag', codedTag(etag, coding))
    // A range of the application would be one of the uncompressed bytes.
    fields.delete('accept-ranges')
    fields.delete('content-length')
    fields.append('Content-Encoding', coding)
    this.coding = coding
    return fields.toPairs()
  }
}

/** Returns true if Cache-Control forbids changing the content (RFC 9111 §5.2.2.6). */
function isFixed(cacheControl: string | undefined): boolean {
  return cacheControl !== undefined && /(?:^|,)\s*no-transform\s*(?:,|$)/i.test(cacheControl)
}

/** Returns true for a download that a client can resume by a range. The ranges count uncompressed bytes. */
function isResumable(fields: HeaderList): boolean {
  return (
    fields.get('accept-ranges')?.toLowerCase() === 'bytes' &&
    /^attachment\b/i.test(fields.get('content-disposition') ?? '')
  )
}

/** Returns the body of a HEAD response whose length is not known. The server would count an array. */
function withoutChunks(body: Body): Body {
  return { [Symbol.iterator]: () => [][Symbol.iterator](), close: () => body.close?.() }
}

/** A stream that is compressed chunk by chunk, at the pace at which it is read. */
class CompressedBody implements AsyncIterable<Chunk>, Closeable {
  readonly #compression: Compression
  readonly #source: BodySource
  #compressor: ChunkCompressor | undefined
  #received = 0
  #isOver = false

  /** @throws TypeError - the body is not iterable. */
  constructor(body: Body, compression: Compression) {
    this.#source = new BodySource(body)
    this.#compression = compression
  }

  [Symbol.asyncIterator](): AsyncIterator<Chunk> {
    return { next: () => this.#next() }
  }

  async close(): Promise<void> {
    this.#isOver = true
    this.#compressor?.close()
    const errors: unknown[] = []
    await this.#source.close((error) => errors.push(error))
    for (const error of errors) throw error
  }

  async #next(): Promise<IteratorResult<Chunk>> {
    while (!this.#isOver) {
      const chunk = await this.#source.pull()
      if (this.#isOver) break
      if (chunk === undefined) this.#isOver = true
      const value = await this.#compress(chunk)
      if (value.length > 0) return { done: false, value }
    }
    return { done: true, value: undefined }
  }

  /** @param chunk - undefined at the end of the body. */
  #compress(chunk: Chunk | undefined): Chunk | Promise<Uint8Array> {
    const { coding, declared } = this.#compression
    if (coding === undefined) return chunk ?? ''
    this.#compressor ??= new ChunkCompressor(coding)
    if (chunk === undefined) {
      if (declared >= 0 && declared !== this.#received) throw wrongLength(declared, this.#received)
      return this.#compressor.end(new Uint8Array())
    }
    const bytes = toBytes(chunk)
    this.#received += bytes.length
    return this.#compressor.write(bytes)
  }
}

/** The server cannot compare the length of a body that was compressed. */
function wrongLength(declared: number, received: number): Error {
  return new Error(
    `Content-Length is ${declared}, but the body has ${received} bytes. Count bytes of UTF-8 instead of characters, or leave Content-Length to the server.`,
  )
}

const CODED = /^((?:W\/)?".*)-(br|zstd|gzip)"$/s

/** Returns the tag of a representation in a coding. A weak tag applies to all codings, so it is returned unchanged. */
export function codedTag(tag: EntityTag, coding: ContentCoding): EntityTag {
  return tag.startsWith('"') && tag.endsWith('"') ? `${tag.slice(0, -1)}-${coding}"` : tag
}

/**
 * Adds the tags of the application to If-Match and If-None-Match of a request.
 *
 * If-None-Match of GET and HEAD is compared with the representation that would be sent, so only tags of its coding are
 * extended. All other comparisons are about the state of the resource, of which every coding is a witness. If-Range,
 * and If-Match of a range request, are left alone: ranges are never compressed, so they must not continue a part of
 * a compressed representation.
 *
 * @param coding - the coding of a compressed response to this request.
 */
export function addPlainTags(environ: Environ, coding: ContentCoding | undefined): void {
  const { HTTP_IF_MATCH: match, HTTP_IF_NONE_MATCH: noneMatch } = environ
  const isRead = isSafe(environ.REQUEST_METHOD)
  const isRange = isRead && environ.HTTP_RANGE !== undefined
  if (match !== undefined && !isRange) environ.HTTP_IF_MATCH = withPlainTags(match, () => true)
  if (noneMatch === undefined) return
  environ.HTTP_IF_NONE_MATCH = withPlainTags(noneMatch, (own) => !isRead || own === coding)
}

function withPlainTags(header: string, isKnown: (coding: string) => boolean): string {
  const tags = parseEntityTags(header)
  if (tags === '*') return header
  const plain = tags.flatMap((tag) => {
    const [, start = '', coding = ''] = CODED.exec(tag) ?? []
    return isKnown(coding) && start !== '' ? [`${start}"`] : []
  })
  return [header, ...plain].join(', ')
}

/**
 * Returns the tag of a 304 response: the one that the client has, if the application matched the tag from which it was
 * made.
 *
 * @param noneMatch - If-None-Match of the request, as sent by the client.
 */
export function matchedTag(tag: EntityTag, coding: ContentCoding, noneMatch: string | undefined): EntityTag {
  const sent = parseEntityTags(noneMatch ?? '')
  const coded = codedTag(tag, coding)
  return sent !== '*' && sent.some((one) => isWeakMatch(one, coded)) ? coded : tag
}
