/** Converts responses to stored responses and back. */

import { concatBytes, toBytes } from '../../base/bytes.ts'
import { HeaderList } from '../../http/headers.ts'
import { Response } from '../../http/response.ts'
import type { ResponseBody } from '../../http/response-body.ts'
import type { Chunk, HeaderPair } from '../../wsgi/types.ts'
import type { WSGIController } from '../wsgi-controller.ts'
import type { CachedResponse } from './memory-cache.ts'
import { varyFields } from './sharing.ts'

/**
 * Copies a response, with the headers of the given names. `Vary` is added once the response is finished.
 *
 * @returns undefined if the body is not in memory.
 */
export function copyOf(response: Response, names: ReadonlySet<string>): CachedResponse | undefined {
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

/** Returns a stored response with a `Vary` header of the given fields. */
export function varying(response: CachedResponse, fields: readonly string[]): CachedResponse {
  return fields.length === 0
    ? response
    : { ...response, headers: [...response.headers, ['Vary', fields.join(', ')]] }
}

/** Returns a stored response without content whose `Vary` header names the fields in the key of the actual one. */
export function pointer(fields: readonly string[]): CachedResponse {
  return varying({ status: '200 OK', headers: [], body: '' }, fields)
}

/** Returns the fields of the `Vary` header of a stored response, see {@link varyFields}. */
export function variesBy({ headers }: CachedResponse): readonly string[] {
  return varyFields(new HeaderList(headers))
}

/** Creates a response, which hooks may change: 304 if the copy of the client is current. */
export function replay(controller: WSGIController, { status, headers, body }: CachedResponse): Response {
  const response = new Response(body, { status, headers })
  if (!response.headers.has('content-type')) response.contentType = null
  return response.makeConditional(controller.request)
}
