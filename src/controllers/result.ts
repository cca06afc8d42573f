/** What an action returned, made into an answer. */

import { type ResponseBody, toGatewayBody } from '../http/body.ts'
import { HTTPException } from '../http/exceptions.ts'
import { Response } from '../http/response.ts'
import type { Body, Chunk, WSGIApplication } from '../wsgi/types.ts'

/**
 * What an action may return.
 *
 * Text, bytes and a Blob are the body; null and undefined leave `this.response` as it stands; an object or array goes out as
 * JSON; iterables and streams go out chunk by chunk; a Response (the framework's or the platform's), an HTTPException
 * or a WSGI application is the answer itself.
 */
export type ActionResult =
  | string
  | Uint8Array
  | ArrayBuffer
  | Blob
  | null
  | undefined
  | Response
  | globalThis.Response
  | HTTPException
  | WSGIApplication
  | Iterable<Chunk>
  | AsyncIterable<Chunk>
  | ReadableStream<Uint8Array>
  | object

/** The answer to a request: a response, or an application that makes one. */
export type Answer = Response | HTTPException | WSGIApplication

/**
 * Makes the answer. `standing` is the controller's own response: its headers, cookies and what was written to it
 * belong to the answer.
 *
 * @returns undefined for what is no answer: numbers, booleans and the like, and an error that is returned, not thrown.
 */
export function toAnswer(result: unknown, standing: Response | undefined): Answer | undefined {
  if (typeof result === 'string' || result instanceof Uint8Array) return withBody(result, standing)
  if (result === null || result === undefined) return standing ?? new Response()
  if (typeof result === 'function') return result as WSGIApplication
  if (typeof result !== 'object') return undefined
  if (!isLiteral(result)) {
    if (result instanceof Response || result instanceof HTTPException) return result
    if (result instanceof Error) return undefined
    if (result instanceof globalThis.Response) return Response.from(result)
    if (result instanceof Blob) return withBody(result, standing)
    // As JSON they would be {} or numbers by their index, and the bytes would be lost.
    if (result instanceof ArrayBuffer) return withBody(new Uint8Array(result), standing)
    if (ArrayBuffer.isView(result)) return withBody(bytesOf(result), standing)
  }
  if (hasWSGI(result)) return result.wsgi
  if (!Array.isArray(result) && isStream(result)) return withBody(result, standing)
  return withBody(JSON.stringify(result), standing, 'application/json')
}

/** Whether it is what a literal makes, and so of no class that needs to be asked for: asking costs more than the rest. */
function isLiteral(result: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(result)
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

function withBody(
  body: string | Uint8Array | Blob | Body,
  standing: Response | undefined,
  contentType?: string,
): Response {
  if (standing === undefined)
    return new Response(body, contentType === undefined ? undefined : { contentType })
  if (contentType !== undefined && !standing.headers.has('content-type')) standing.contentType = contentType
  if (typeof body === 'string' || body instanceof Uint8Array) standing.write(body)
  else standing.body = standing.body === null ? body : behind(standing.body, body)
  return standing
}

/** What was written to the response goes out before what the action returned. */
async function* behind(written: ResponseBody, rest: ResponseBody): AsyncGenerator<Chunk> {
  yield* toGatewayBody(written)
  yield* toGatewayBody(rest)
}

/** The body that an action returned after it called `start_response` itself. */
export function startedBody(result: unknown): Body {
  if (result === null || result === undefined) return []
  if (typeof result === 'string' || result instanceof Uint8Array) return [result]
  if (typeof result === 'object' && isStream(result)) return result
  throw new TypeError('after calling start_response an action returns the body: an iterable of chunks')
}

function hasWSGI(result: object): result is { wsgi: WSGIApplication } {
  return 'wsgi' in result && typeof result.wsgi === 'function'
}

function isStream(result: object): result is Body {
  return Symbol.asyncIterator in result || Symbol.iterator in result
}
