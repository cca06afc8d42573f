/** Compression of RPC responses. */

import { chunkLength, isChunk, toBytes } from '../../base/bytes.ts'
import { acceptsEncoding } from '../../http/negotiation.ts'
import type { Response } from '../../http/response.ts'
import type { Environ } from '../../wsgi/types.ts'

/** Minimum length of a compressed body, in bytes. Shorter ones fit into one packet as they are. */
const MIN_LENGTH = 1400

/**
 * Compresses the body of a 200 response with gzip, if the client accepts that and the body is text or bytes that get
 * shorter. The whole body is compressed at once, because some XML-RPC clients require a Content-Length.
 *
 * @returns a promise only if the body is compressed.
 */
export function compressResponse(response: Response, environ: Environ): Promise<void> | undefined {
  const { body } = response
  const accepted = environ.HTTP_ACCEPT_ENCODING
  if (
    typeof accepted !== 'string' ||
    typeof CompressionStream === 'undefined' ||
    response.status !== 200 ||
    !isChunk(body) ||
    chunkLength(body) < MIN_LENGTH ||
    response.headers.has('content-encoding') ||
    acceptsEncoding(accepted, ['gzip', 'identity']) !== 'gzip'
  ) {
    return undefined
  }
  return compress(response, toBytes(body))
}

async function compress(response: Response, bytes: Uint8Array): Promise<void> {
  const compressed = await gzip(bytes)
  if (compressed.length >= bytes.length) return
  response.body = compressed
  response.headers.set('Content-Encoding', 'gzip')
  response.headers.addToken('Vary', 'Accept-Encoding')
}

async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new globalThis.Response(stream).arrayBuffer())
}
