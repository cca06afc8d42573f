import { concatBytes } from '../../base/bytes.ts'

/** The body of a response is longer than the limit. */
export class ResponseLengthError extends Error {
  override readonly name = 'ResponseLengthError'
}

/**
 * Reads the body of a response.
 *
 * @throws ResponseLengthError - the body is longer than `max` bytes.
 */
export async function readBody(body: ReadableStream<Uint8Array> | null, max: number): Promise<Uint8Array> {
  if (body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    const chunk: Uint8Array = value
    length += chunk.length
    if (length > max) {
      await reader.cancel()
      throw new ResponseLengthError(`the response is longer than ${max} bytes`)
    }
    chunks.push(chunk)
  }
  return concatBytes(chunks)
}

/** Statuses of responses without a body, for which `Response` refuses one. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

/** Creates a response. The body of a status that has none is closed. */
export async function responseOf(
  body: ReadableStream<Uint8Array>,
  init: { readonly status: number; readonly headers: Headers },
): Promise<Response> {
  if (!BODILESS.has(init.status)) return new Response(body, init)
  await body.cancel()
  return new Response(null, init)
}

/** Converts chunks to a stream that is read at the pace of its reader. */
export function streamOf(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
