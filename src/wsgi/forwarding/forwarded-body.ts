/** The bodies of forwarded requests. */
import { parseContentLength } from '../response-head.ts'
import type { Environ } from '../types.ts'

/** A request body for another server. */
export interface ForwardedBody {
  /** Number of bytes; undefined if it is not known. */
  readonly length: number | undefined
  readonly pieces: AsyncIterable<Uint8Array>
}

/**
 * Maximum number of bytes of a body without Content-Length that are read before it is sent, because servers of HTTP/1.0,
 * such as WSGI servers, do not understand chunks.
 */
const MAX_COLLECTED = 1_048_576

/**
 * Returns the body of a request, undefined if it has none. A body without Content-Length is read up to its first MiB. If it ends
 * there, its length is known.
 *
 * @throws the error of the input, if the client disconnects.
 */
export async function forwardedBody(environ: Environ): Promise<ForwardedBody | undefined> {
  const { CONTENT_LENGTH: stated = '', HTTP_TRANSFER_ENCODING: coding } = environ
  const input = environ['wsgi.input']
  if (coding === undefined && stated === '') return undefined
  const length = parseContentLength(stated)
  // A transfer coding has precedence over Content-Length (RFC 9112 §6.3).
  if (coding === undefined && length >= 0) return { length, pieces: exactly(length, input) }
  const pieces: Uint8Array[] = []
  let collected = 0
  while (collected <= MAX_COLLECTED) {
    const piece = await input.read(MAX_COLLECTED + 1 - collected)
    if (piece.length === 0) return { length: collected, pieces: exactly(collected, following(pieces)) }
    pieces.push(piece)
    collected += piece.length
  }
  return { length: undefined, pieces: following(pieces, input) }
}

/** Yields the bytes of a body, and throws if their number is another one: the next request would begin with the rest. */
async function* exactly(length: number, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let missing = length
  for await (const piece of pieces) {
    if (piece.length > missing) break
    missing -= piece.length
    yield piece
    if (missing === 0) return
  }
  if (missing !== 0)
    throw new RangeError(`The body of the request does not have the ${length} bytes of Content-Length.`)
}

async function* following(
  pieces: readonly Uint8Array[],
  rest: AsyncIterable<Uint8Array> | readonly Uint8Array[] = [],
): AsyncGenerator<Uint8Array, void> {
  yield* pieces
  yield* rest
}
