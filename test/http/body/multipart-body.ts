/** Encodes multipart bodies, and cuts them into pieces. */
import { Request, type RequestLimits } from 'propylon'
import { createEnviron, type HeaderPair } from 'propylon/wsgi'

export const BOUNDARY = 'xYz'

export type PartText = readonly [header: string, content: string]

/** Encodes a body from header lines and contents. */
export function body(...parts: readonly PartText[]): string {
  const written = parts.map(([header, content]) => `--${BOUNDARY}\r\n${header}\r\n\r\n${content}\r\n`)
  return `${written.join('')}--${BOUNDARY}--\r\n`
}

export function field(name: string, content: string): PartText {
  return [`Content-Disposition: form-data; name="${name}"`, content]
}

export function file(filename: string, content = 'x', rest = ''): PartText {
  return [`Content-Disposition: form-data; name="f"; filename="${filename}"${rest}`, content]
}

/** Pieces that are produced when they are read. */
export class Pieces implements AsyncIterable<Uint8Array> {
  /** Number of pieces that have been read. */
  taken = 0
  readonly #pieces: readonly Uint8Array[]
  readonly #error: Error | undefined

  /**
   * @param size - length of a piece, in bytes.
   * @param error - thrown behind the last piece.
   */
  constructor(content: string | Uint8Array, size: number, error?: Error) {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
    const pieces: Uint8Array[] = []
    for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.slice(at, at + size))
    this.#pieces = pieces
    this.#error = error
  }

  get count(): number {
    return this.#pieces.length
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (const piece of this.#pieces) {
      this.taken += 1
      yield piece
    }
    if (this.#error !== undefined) throw this.#error
  }
}

interface Options {
  readonly limits?: Partial<RequestLimits>
  readonly type?: string
  readonly headers?: readonly HeaderPair[]
}

/** Creates a request with a multipart body. */
export function multipartRequest(
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
  { limits = {}, type = `multipart/form-data; boundary="${BOUNDARY}"`, headers = [] }: Options = {},
): Request {
  const environ = createEnviron({
    method: 'POST',
    headers: [['Content-Type', type], ...headers],
    body: content,
  })
  return new Request(environ, limits)
}
