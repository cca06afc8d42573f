/**
 * The response for an open file: conditions (RFC 9110 §13), ranges (§14) and headers.
 *
 * @module
 */

import type { HeadersLike } from '../headers.ts'
import type { Request } from '../request.ts'
import { Response } from '../response.ts'
import { HTTPRequestRangeNotSatisfiable } from '../status-exceptions.ts'
import { entityTagOfFile } from './content-hash.ts'
import type { OpenFile } from './open-file.ts'
import { allowsRange, type ByteRange, parseRange } from './range.ts'

/**
 * Returns the response with the content of a file: 200, or 206 for a range, 304 or 412 by the conditions of the request, 416
 * for a range beyond the end (RFC 9110 §13.2.2). The response closes the file.
 *
 * @param headers - further fields, with the Content-Type.
 */
export async function fileResponse(
  request: Request,
  file: OpenFile,
  headers: HeadersLike,
): Promise<Response> {
  const response = beginResponse(request, file, await entityTagOfFile(file), headers)
  if (response.status !== 200) {
    await file.close()
    return response
  }
  response.headers.set('Accept-Ranges', 'bytes')
  const range = rangeOf(request, file, response)
  if (range === 'unsatisfiable') {
    await file.close()
    const fields = { 'Content-Range': `bytes */${file.size}` }
    return new HTTPRequestRangeNotSatisfiable(undefined, fields).toResponse(request.environ)
  }
  if (range !== undefined) {
    const { start, length } = range
    response.status = 206
    response.headers.set('Content-Range', `bytes ${start}-${start + length - 1}/${file.size}`)
  }
  response.body = await file.content(range?.start, range?.length)
  response.headers.set('Content-Length', String(range?.length ?? file.size))
  return response
}

/** Returns a response with validators and without a body. Its status is 304 or 412 if the conditions require it. */
export function beginResponse(
  request: Request,
  file: OpenFile,
  etag: string,
  headers: HeadersLike,
): Response {
  const response = new Response(null, { headers })
  response.etag = etag
  response.lastModified = file.modified
  // A browser that guesses another type could run an uploaded file as a script.
  response.headers.setDefault('X-Content-Type-Options', 'nosniff')
  return response.makeConditional(request)
}

/** Ranges apply to GET only (RFC 9110 §14.2). */
function rangeOf(
  { method, headers }: Request,
  { size, modified }: OpenFile,
  { etag = '' }: Response,
): ByteRange | 'unsatisfiable' | undefined {
  const range = headers.get('range')
  if (range === undefined || method !== 'GET') return undefined
  return allowsRange(headers.get('if-range'), etag, modified) ? parseRange(range, size) : undefined
}
