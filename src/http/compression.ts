/**
 * Content codings (RFC 9110 §8.4.1): those that a client prefers, the content that is worth compressing, and
 * compression by node:zlib, which Bun and Deno have too; and decompression of bodies.
 *
 * @module
 */

import type { Transform } from 'node:stream'
import { builtin } from '../base/builtin.ts'
import { concatBytes } from '../base/bytes.ts'
import { parseAccept } from './negotiation.ts'

/** Name of a content coding in header fields. */
export type ContentCoding = 'br' | 'zstd' | 'gzip'

/** The codings that are sent, in order of preference: the shortest result first. */
const CODINGS: readonly ContentCoding[] = ['br', 'zstd', 'gzip']

/** Shorter content is not compressed, because it fits into one packet as it is. In bytes. */
export const MIN_COMPRESSED_LENGTH = 1024

/**
 * Returns the codings that a client accepts (RFC 9110 §12.5.3), the one to use first. The order follows the client's
 * weights, and among equal weights the server's: browsers list gzip first for historical reasons.
 *
 * @param header - the Accept-Encoding header.
 * @returns an empty list if the content must be sent as it is. Codings with a lower weight than `identity` are omitted.
 *
 * @example
 * ```ts
 * acceptedCodings('gzip, deflate, br;q=0.5') // ['gzip', 'br']
 * ```
 */
export function acceptedCodings(header: string | undefined): ContentCoding[] {
  if (header === undefined || header === '') return []
  const weights = new Map<string, number>()
  for (const { value, quality } of parseAccept(header)) {
    if (!weights.has(value)) weights.set(value, quality)
  }
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0
  const least = weights.get('identity') ?? 0
  return CODINGS.filter((coding) => weightOf(coding) > 0 && weightOf(coding) >= least).sort(
    (one, other) => weightOf(other) - weightOf(one),
  )
}

const COMPRESSIBLE = new RegExp(
  `^(?:${[
    'text/(?!event-stream)[^;]+',
    '[^;]+\\+(?:json|text|xml|yaml)',
    'application/(?:(?:x-)?javascript|json|json5|jsonl|(?:x-)?ndjson|rtf|(?:x-)?sh|sql|toml|wasm|xml|xml-dtd|(?:x-)?yaml)',
    'application/(?:x-font-ttf|vnd\\.ms-fontobject)',
    'font/(?:collection|otf|sfnt|ttf)',
    'image/(?:bmp|vnd\\.microsoft\\.icon|x-icon)',
  ].join('|')})\\s*(?:;|$)`,
  'i',
)

/**
 * Returns true for types whose content becomes shorter by compression: text, JSON, XML, scripts, uncompressed fonts.
 * False for images, audio, video, archives, types that are not known, and event streams.
 *
 * @example
 * ```ts
 * isCompressible('text/css; charset=utf-8') // true
 * ```
 */
export function isCompressible(contentType: string): boolean {
  return COMPRESSIBLE.test(contentType)
}

/**
 * Returns a stream that compresses what is written to it. Each written chunk is flushed, so that the client can
 * decode it before the next one exists.
 *
 * @throws Error - the runtime lacks node:zlib.
 */
function createCompressor(coding: ContentCoding): Transform {
  const { constants, createBrotliCompress, createGzip, createZstdCompress } = builtin('node:zlib')
  if (coding === 'zstd') return createZstdCompress({ flush: constants.ZSTD_e_flush })
  if (coding === 'gzip') return createGzip({ flush: constants.Z_SYNC_FLUSH })
  // The default quality of Brotli, 11, is a hundred times slower than the defaults of the others. With a window of
  // 2^18 bytes instead of 2^22, a long stream takes 3 MiB of memory instead of 10 MiB.
  const { BROTLI_OPERATION_FLUSH: flush, BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY } = constants
  return createBrotliCompress({ flush, params: { [BROTLI_PARAM_QUALITY]: 4, [BROTLI_PARAM_LGWIN]: 18 } })
}

/**
 * Compresses content that is kept and sent many times: slower than {@link createCompressor}, and shorter.
 *
 * @throws Error - the runtime lacks node:zlib.
 */
export async function compressWell(content: Uint8Array, coding: ContentCoding): Promise<Uint8Array> {
  const { brotliCompress, constants, gzip, zstdCompress } = builtin('node:zlib')
  const { promisify } = builtin('node:util')
  if (coding === 'gzip') return promisify(gzip)(content, { level: 9 })
  if (coding === 'zstd') {
    return promisify(zstdCompress)(content, { params: { [constants.ZSTD_c_compressionLevel]: 12 } })
  }
  const { BROTLI_PARAM_QUALITY: quality, BROTLI_PARAM_SIZE_HINT: size } = constants
  return promisify(brotliCompress)(content, { params: { [quality]: 7, [size]: content.byteLength } })
}

/** Returns true if the runtime has a compressor for a coding. Node has one for zstd since 22.15. */
export function hasCompressor(coding: ContentCoding): boolean {
  try {
    const zlib = builtin('node:zlib')
    return coding !== 'zstd' || typeof zlib.createZstdCompress === 'function'
  } catch {
    // A runtime without node:zlib.
    return false
  }
}

type Done = (error?: Error | null) => void

/**
 * Compresses chunks one at a time. The bytes returned so far decode to all chunks written so far. Call {@link close} to
 * release the memory of the compressor before the end.
 */
export class ChunkCompressor {
  readonly #stream: Transform
  #output: Uint8Array[] = []
  #abandon: Done | undefined

  /** @throws Error - the runtime lacks node:zlib. */
  constructor(coding: ContentCoding) {
    this.#stream = createCompressor(coding)
    this.#stream.on('data', (piece: Uint8Array) => this.#output.push(piece))
    // The callbacks receive the errors as well.
    this.#stream.on('error', () => {})
  }

  /** Compresses a chunk. */
  write(chunk: Uint8Array): Promise<Uint8Array> {
    return this.#run((done) => this.#stream.write(chunk, done))
  }

  /** Compresses the last chunk and ends. */
  end(chunk: Uint8Array): Promise<Uint8Array> {
    return this.#run((done) => {
      this.#stream.once('end', done).once('error', done)
      this.#stream.end(chunk)
    })
  }

  /** Ends without a result. A pending call resolves to no bytes. */
  close(): void {
    this.#output = []
    this.#abandon?.()
    this.#stream.destroy()
  }

  #run(step: (done: Done) => void): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const done: Done = (error) => {
        this.#abandon = undefined
        if (error) reject(error)
        else resolve(concatBytes(this.#output.splice(0)))
      }
      this.#abandon = done
      step(done)
    })
  }
}

/** Coding of a body that is decompressed. */
export type Compression = 'gzip' | 'deflate'

/**
 * Decompresses a stream. A body with the coding gzip may have several members (RFC 1952 §2.2), unless the runtime lacks
 * node:zlib: a DecompressionStream accepts one. The stream is cancelled if the iterator returns early.
 *
 * @throws the error of the stream; Error if the data is malformed or incomplete, or bytes follow it that begin no
 *   member.
 */
export function decompressed(source: ReadableStream<Uint8Array>, format: Compression): AsyncIterator<Uint8Array> {
  if (format === 'gzip' && hasCompressor('gzip')) return gunzipped(source)
  return source.pipeThrough(new DecompressionStream(format))[Symbol.asyncIterator]()
}

async function* gunzipped(source: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const gunzip = builtin('node:zlib').createGunzip()
  const reader = source.getReader()
  let length = 0
  let isWritten = false
  const write = async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const { value } = next
      length += value.length
      // Waits until the chunk is decompressed and its pieces are read.
      await new Promise((resolve) => gunzip.write(value, resolve))
    }
    isWritten = true
    gunzip.end()
  }
  write().catch((error) => gunzip.destroy(error))
  try {
    for await (const piece of gunzip) {
      yield new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength)
    }
    // zlib ends at padding after a member and leaves it unread.
    if (!isWritten || gunzip.bytesWritten !== length) throw new Error('Bytes follow the last member.')
  } finally {
    gunzip.destroy()
    // Rejects with the error of the stream, if there is one.
    await reader.cancel().catch(() => {})
  }
}
