/** Answers as a cache store keeps them, made of responses and made into responses. */
import type { WSGIController } from '../controllers/wsgi-controller.ts'
import type { ResponseBody } from '../http/body.ts'
import { HeaderList } from '../http/headers.ts'
import { Response } from '../http/response.ts'
import { concatBytes, toBytes } from '../wsgi/bytes.ts'
import type { Chunk, HeaderPair } from '../wsgi/types.ts'
import type { CachedAnswer } from './memory-cache.ts'
import { varyFields } from './sharing.ts'

/**
 * Copies a response, with the headers of the given names. `Vary` is added when the response is finished.
 *
 * @returns undefined if the body is made while it is sent.
 */
export function copyOf(response: Response, names: ReadonlySet<string>): CachedAnswer | undefined {
  const body = bodyInMemory(response.body)
  if (body === undefined) return undefined
  const headers: HeaderPair[] = []
  for (const pair of response.headers) {
    const name = pair[0].toLowerCase()
    if (names.has(name) && name !== 'vary') headers.push(pair)
  }
  if (response.contentType !== null && !response.headers.has('content-type')) {
    headers.push(['Content-Type', response.contentType])
  }
  return { status: response.statusLine, headers, body }
}

function bodyInMemory(body: ResponseBody): string | Uint8Array | undefined {
  if (body === null) return ''
  if (typeof body === 'string') return body
  // A copy, because the action may reuse its buffer.
  if (body instanceof Uint8Array) return body.slice()
  return Array.isArray(body) ? concatBytes(body.map((chunk: Chunk) => toBytes(chunk))) : undefined
}

/** Returns an answer with a `Vary` header of the given fields. */
export function varying(answer: CachedAnswer, fields: readonly string[]): CachedAnswer {
  return fields.length === 0
    ? answer
    : { ...answer, headers: [...answer.headers, ['Vary', fields.join(', ')]] }
}

/** An answer without content: its `Vary` header names the fields that belong to the key of the actual answer. */
export function pointer(fields: readonly string[]): CachedAnswer {
  return varying({ status: '200 OK', headers: [], body: '' }, fields)
}

/** Returns the fields of an answer's `Vary` header, see {@link varyFields}. */
export function variesBy({ headers }: CachedAnswer): readonly string[] {
  return varyFields(new HeaderList(headers))
}

/** Makes a new response, which hooks may change: 304 if the client has the answer already. */
export function replay(controller: WSGIController, { status, headers, body }: CachedAnswer): Response {
  const response = new Response(body, { status, headers })
  if (!response.headers.has('content-type')) response.contentType = null
  return response.makeConditional(controller.request)
}
