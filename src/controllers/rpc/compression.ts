/** Sends answers compressed to clients that ask for it. */
import { acceptsEncoding } from '../../http/negotiation.ts'
import { concatBytes, encodeUtf8 } from '../../wsgi/bytes.ts'
import type { Body, Chunk, Environ, HeaderPair, StartResponse } from '../../wsgi/types.ts'

/** Shorter answers fit in a packet as they are. */
const WORTHWHILE = 1400

/**
 * Lets `serve` answer, and compresses the answer with gzip when the client accepts that and the answer is a single
 * text long enough to gain by it. The answer keeps a Content-Length, since some clients cannot do without.
 */
export async function sendCompressed(
  environ: Environ,
  start_response: StartResponse,
  serve: (start_response: StartResponse) => Body | Promise<Body>,
): Promise<Body> {
  const accepted = environ.HTTP_ACCEPT_ENCODING
  if (
    typeof accepted !== 'string' ||
    typeof CompressionStream === 'undefined' ||
    acceptsEncoding(accepted, ['gzip', 'identity']) !== 'gzip'
  ) {
    return serve(start_response)
  }
  const head = new HeldHead(start_response)
  const body = await serve(head.start)
  const text = onlyChunk(body)
  const bytes = typeof text === 'string' ? encodeUtf8(text) : text
  if (bytes === undefined || bytes.length < WORTHWHILE || !head.isCompressible) {
    head.release()
    return body
  }
  const compressed = await gzip(bytes)
  if (compressed.length >= bytes.length) {
    head.release()
    return body
  }
  head.release([
    ['Content-Encoding', 'gzip'],
    ['Vary', 'Accept-Encoding'],
    ['Content-Length', String(compressed.length)],
  ])
  return [compressed]
}

/** A `start_response` that waits until it is known how the body goes out. */
class HeldHead {
  readonly #start_response: StartResponse
  #held: { status: string; headers: HeaderPair[]; excInfo: unknown } | undefined
  #released = false
  #write: ((chunk: Chunk) => void) | undefined

  constructor(start_response: StartResponse) {
    this.#start_response = start_response
  }

  readonly start: StartResponse = (status, headers, excInfo) => {
    if (this.#released) return this.#start_response(status, headers, excInfo)
    this.#held = { status, headers, excInfo }
    return (chunk) => {
      this.release()
      this.#write?.(chunk)
    }
  }

  get isCompressible(): boolean {
    const { status = '', headers = [] } = this.#held ?? {}
    return status.startsWith('200') && !headers.some(([name]) => name.toLowerCase() === 'content-encoding')
  }

  /** Sends the head; `changes` take the place of fields of the same name. */
  release(changes: readonly HeaderPair[] = []): void {
    if (this.#released) return
    this.#released = true
    if (this.#held === undefined) return
    const { status, headers, excInfo } = this.#held
    const changed = new Set(changes.map(([name]) => name.toLowerCase()))
    const kept = headers.filter(([name]) => !changed.has(name.toLowerCase()))
    this.#write = this.#start_response(status, [...kept, ...changes], excInfo)
  }
}

function onlyChunk(body: Body): Chunk | undefined {
  return Array.isArray(body) && body.length === 1 ? body[0] : undefined
}

async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new CompressionStream('gzip'))
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return concatBytes(chunks)
    chunks.push(value)
  }
}
