/**
 * Compression by node:zlib, which Bun and Deno have too.
 *
 * @module
 */

import type { Transform } from 'node:stream'
import { builtin } from '../base/builtin.ts'
import type { ContentCoding } from './content-coding.ts'

/**
 * Returns a stream that compresses what is written to it. Each written chunk is flushed, so that the client can decode it
 * before the next one exists.
 *
 * @throws Error - the runtime lacks node:zlib.
 */
export function createCompressor(coding: ContentCoding): Transform {
  const { constants, createBrotliCompress, createGzip, createZstdCompress } = builtin('node:zlib')
  if (coding === 'zstd') return createZstdCompress({ flush: constants.ZSTD_e_flush })
  if (coding === 'gzip') return createGzip({ flush: constants.Z_SYNC_FLUSH })
  // The default quality of Brotli, 11, is a hundred times slower than the defaults of the others. With a window of 2^18 bytes
  // instead of 2^22, a long stream takes 3 MiB of memory instead of 10 MiB.
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
