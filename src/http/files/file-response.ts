/**
 * The response for an open file: conditions (RFC 9110 §13), ranges (§14) and headers.
 *
 * @module
 */

import mime from 'mime'
import { type EntityTag, isStrongMatch } from '../conditional.ts'
import { parseHttpDate } from '../date.ts'
import type { HeadersLike } from '../headers.ts'
import type { Request } from '../request.ts'
import { Response } from '../response.ts'
import { HTTPPreconditionFailed, HTTPRequestRangeNotSatisfiable } from '../status-exceptions.ts'
import { entityTagOfFile } from './fingerprints.ts'
import type { OpenFile } from './open-file.ts'

/**
 * Returns the response with the content of a file: 200, or 206 for a range, 304 or 412 by the conditions of the
 * request, 416 for a range beyond the end (RFC 9110 §13.2.2). The response closes the file.
 *
 * @param headers - further fields, with the Content-Type.
 */
export async function fileResponse(request: Request, file: OpenFile, headers: HeadersLike): Promise<Response> {
  const response = beginResponse(request, file, await entityTagOfFile(file), headers)
  if (response.status !== 200) {
    await file.close()
    if (response.status !== 412) return response
    return response.mergeInto(new HTTPPreconditionFailed().toResponse(request.environ))
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
export function beginResponse(request: Request, file: OpenFile, etag: string, headers: HeadersLike): Response {
  const response = new Response(null, { headers })
  response.etag = etag
  if (hasDate(file)) response.lastModified = file.modified
  // A browser that guesses another type could run an uploaded file as a script.
  response.headers.setDefault('X-Content-Type-Options', 'nosniff')
  return response.makeConditional(request)
}

/**
 * Returns false for times in the first second of the epoch or before. Images of Nix, Bazel and buildpacks have such
 * times for all files, so that a change would not change the date.
 */
function hasDate({ modified }: OpenFile): boolean {
  return modified.getTime() >= 1000
}

/** Ranges apply to GET only (RFC 9110 §14.2). */
function rangeOf(
  { method, headers }: Request,
  file: OpenFile,
  { etag = '' }: Response,
): ByteRange | 'unsatisfiable' | undefined {
  const range = headers.get('range')
  // Some clients and caches request a range of everything, and Content-Range cannot express one of an empty file.
  if (range === undefined || method !== 'GET' || file.size === 0) return undefined
  return allowsRange(headers.get('if-range'), etag, file) ? parseRange(range, file.size) : undefined
}

/** A part of a content. */
interface ByteRange {
  /** Position of the first byte, counted from 0. */
  readonly start: number
  /** Number of bytes, at least 1. */
  readonly length: number
}

const SINGLE_RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i

/**
 * Parses a Range header for a content of `size` bytes, at least one.
 *
 * @returns `'unsatisfiable'` if the range begins beyond the content (416), `undefined` if the header must be ignored:
 *   it is malformed, has another unit, or several ranges, which may be answered with the whole content (RFC 9110
 *   §15.3.7).
 */
function parseRange(header: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = SINGLE_RANGE.exec(header) ?? []
  if (first === '') {
    if (last === '') return undefined
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, length }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? 'unsatisfiable' : { start, length: end - start + 1 }
}

/**
 * Returns true if If-Range allows a part to be sent: it is absent, or names the current version (RFC 9110 §13.1.5).
 * Weak tags and other dates than the exact one do not match.
 */
function allowsRange(ifRange: string | undefined, etag: EntityTag, file: OpenFile): boolean {
  if (ifRange === undefined) return true
  if (ifRange.includes('"')) return isStrongMatch(ifRange, etag)
  const date = parseHttpDate(ifRange)
  const sent = hasDate(file) ? Math.floor(file.modified.getTime() / 1000) * 1000 : undefined
  return date !== undefined && date.getTime() === sent
}

/**
 * Returns the Content-Type for a file name, by the table of the package `mime` (IANA's types and those in common use).
 * Text is UTF-8. Unknown types are `application/octet-stream`, which browsers save instead of showing.
 *
 * @example
 * ```ts
 * contentTypeOf('app.css') // 'text/css; charset=utf-8'
 * ```
 */
export function contentTypeOf(name: string): string {
  // A name without a slash and a dot would be taken for an extension.
  const type = mime.getType(`/${name}`) ?? 'application/octet-stream'
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type
}
