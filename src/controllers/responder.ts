/** Makes the response to a request from an action's result, and sends it. */

import { andThen } from '../base/promise.ts'
import { isInstance } from '../base/thrown.ts'
import { HTTPException } from '../http/exceptions.ts'
import { FORMATS_KEY } from '../http/formats.ts'
import { isWebResponse, Response } from '../http/response.ts'
import { closeBody, type ResponseBody, toGatewayBody } from '../http/response-body.ts'
import { CHANGES, type Session } from '../http/sessions/session.ts'
import { hasWSGI } from '../wsgi/application.ts'
import type { Body, Chunk, HeaderPair, StartResponse, WSGIApplication } from '../wsgi/types.ts'
import { type CallState, type Controller, finish, stateOf } from './call-state.ts'
import { UnusableResultError } from './controller-errors.ts'
import { begin, type GeneratorBody, isGenerator } from './generator-body.ts'

/** The object that answers a request: a response, or an application that makes one. */
export type Responder = Response | WSGIApplication

/**
 * Makes a responder from an action's result.
 *
 * @param own - the controller's own response. Its headers, its cookies and what was written to it are part of the result.
 * @returns undefined for values that cannot be sent: numbers, booleans, dates, and errors that were returned.
 */
export function toResponder(
  result: unknown,
  own: Response | undefined,
): Responder | HTTPException | undefined {
  if (typeof result === 'string' || result instanceof Uint8Array) return withBody(result, own)
  if (result === null || result === undefined) return own ?? new Response()
  if (typeof result === 'function') return result as WSGIApplication
  if (typeof result !== 'object') return undefined
  if (!isLiteral(result)) {
    if (result instanceof Response || result instanceof HTTPException) return result
    if (result instanceof Error || result instanceof Date) return undefined
    if (isWebResponse(result)) return Response.from(result)
    if (result instanceof Blob) return withBody(result, own)
    // JSON would lose the bytes: an ArrayBuffer has none, and a view becomes an object of numbers.
    if (result instanceof ArrayBuffer) return withBody(new Uint8Array(result), own)
    if (ArrayBuffer.isView(result)) return withBody(bytesOf(result), own)
  }
  if (hasWSGI(result)) return result.wsgi
  if (!Array.isArray(result) && isStream(result)) return withBody(result, own)
  return withBody(JSON.stringify(result), own, 'application/json')
}

/** Returns true for a value that a schema describes, and false for text, bytes, streams, responses, applications and undefined. */
export function isValue(result: unknown): boolean {
  if (typeof result === 'string' || typeof result === 'function' || result === undefined) return false
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return true
  if (isLiteral(result)) return !hasWSGI(result) && !isStream(result)
  if (isInstance(result, Error) || hasWSGI(result)) return false
  if (result instanceof Response || isWebResponse(result) || result instanceof Blob) return false
  return !(result instanceof ArrayBuffer) && !ArrayBuffer.isView(result) && !isStream(result)
}

/** Returns a response of JSON, with the header fields of the controller's own response. */
export function jsonResponse(text: string, own: Response | undefined): Response {
  return withBody(text, own, 'application/json')
}

/** Returns true for object and array literals, which need none of the `instanceof` checks. */
function isLiteral(result: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(result)
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

function withBody(
  body: string | Uint8Array | Blob | Body,
  own: Response | undefined,
  contentType?: string,
): Response {
  if (own === undefined) return new Response(body, contentType === undefined ? undefined : { contentType })
  if (contentType !== undefined && !own.headers.has('content-type')) own.contentType = contentType
  if (typeof body === 'string' || body instanceof Uint8Array) own.write(body)
  else own.body = own.body === null ? body : concatenated(own.body, body)
  return own
}

/** Yields what was written to the response before what the action returned. */
async function* concatenated(written: ResponseBody, rest: ResponseBody): AsyncGenerator<Chunk> {
  yield* toGatewayBody(written)
  yield* toGatewayBody(rest)
}

/** Returns the body of an action that called `start_response` itself. */
function startedBody(result: unknown): Body {
  if (result === null || result === undefined) return []
  if (typeof result === 'string' || result instanceof Uint8Array) return [result]
  if (typeof result === 'object' && isStream(result)) return result
  throw new TypeError(
    'An action that calls start_response must return the body: an iterable of strings and bytes.',
  )
}

function isStream(result: object): result is Body {
  return Symbol.asyncIterator in result || Symbol.iterator in result
}

/**
 * Makes the responder for an action's result and stores a response as the controller's own, for `__after__` to change.
 *
 * @throws UnusableResultError - the result cannot be sent.
 */
export function respond(controller: Controller, result: unknown): Responder {
  const state = stateOf(controller)
  if (state.started) {
    const body = startedBody(result)
    const { head } = state
    return head === undefined
      ? () => body
      : (_environ, start_response) => {
          const write = start_response(head.status, head.headers, head.excInfo)
          for (const chunk of head.chunks) write(chunk)
          return body
        }
  }
  const responder = toResponder(result, state.response)
  if (isGenerator(result)) state.generator = result
  if (responder === undefined) {
    throw new UnusableResultError(`${state.metadata.name}.${state.action}`, result)
  }
  if (typeof responder === 'function') return responder
  return useResponse(controller, responder)
}

/** Makes the response for an HTTP exception. Throws any other error. */
export function respondToError(controller: Controller, error: unknown): Response {
  if (!isInstance(error, HTTPException)) throw error
  const state = stateOf(controller)
  if (state.started) {
    // The action's own response is replaced, which PEP 3333 allows only with exc_info.
    const start = state.start_response
    state.started = false
    state.start_response = (status, headers) => start(status, headers, error)
  }
  return useResponse(controller, error)
}

/**
 * Adds the headers of the controller's own response to `response`, which takes its place.
 *
 * An action may return one Response for many requests, so `__after__` receives a copy of it.
 */
export function useResponse(controller: Controller, response: Response | HTTPException): Response {
  const state = stateOf(controller)
  const made =
    response instanceof Response
      ? response
      : controller.app.exceptionResponse(response, state.environ, controller)
  const merged = state.response?.mergeInto(made) ?? made
  state.response = merged === response && state.metadata.after !== undefined ? merged.copy() : merged
  return state.response
}

/**
 * Saves the session and sends the response: the controller's own, unless an application makes it. A generator runs to its first
 * chunk before.
 */
export function send(controller: Controller, responder: Responder): Body | Promise<Body> {
  const state = stateOf(controller)
  if (state.generator !== undefined) return sendGenerated(controller, responder, state.generator)
  const { environ, start_response, session } = state
  if (session !== undefined && !state.isSessionSaved) return saveAndSend(controller, session, responder)
  try {
    if (typeof responder === 'function') {
      finish(state, undefined)
      return responder(environ, addOwnHeaders(state, start_response))
    }
    if (isNegotiated(state)) state.response = NEGOTIATED.mergeInto(state.response ?? responder)
    const response = state.response ?? responder
    const pending = finish(state, response)
    if (pending === undefined) return response.send(environ, start_response)
    return pending.then(() => response.send(environ, start_response))
  } catch (error) {
    return fail(controller, error)
  }
}

function sendGenerated(
  controller: Controller,
  responder: Responder,
  generator: GeneratorBody,
): Body | Promise<Body> {
  const state = stateOf(controller)
  state.generator = undefined
  // `__after__` may have replaced the body.
  if (state.response?.body !== generator) return send(controller, responder)
  return andThen(
    () => begin(generator),
    () => send(controller, responder),
    (error) => sendError(controller, error),
  )
}

function sendError(controller: Controller, error: unknown): Body | Promise<Body> {
  let response: Response
  try {
    response = respondToError(controller, error)
  } catch (unexpected) {
    return failAction(controller, unexpected)
  }
  return send(controller, response)
}

function saveAndSend(controller: Controller, session: Session, responder: Responder): Body | Promise<Body> {
  const state = stateOf(controller)
  const headers = new Response()
  const proceed = (): Body | Promise<Body> => {
    state.isSessionSaved = true
    // An action that called start_response before it used the session has sent the head.
    if (state.started && state.head === undefined && headers.headers.has('set-cookie')) {
      const label = `${state.metadata.name}.${state.action}`
      const error = new Error(
        `${label}() changed its session after it called start_response, so its cookie cannot be sent. Change the session first.`,
      )
      return fail(controller, error)
    }
    const own = state.response ?? (typeof responder === 'function' ? new Response() : responder)
    // A copy, because the response may serve many requests.
    state.response = headers.mergeInto(own)
    return send(controller, responder)
  }
  const failSaving = async (error: unknown): Promise<never> => {
    if (typeof responder !== 'function') await closeBody((state.response ?? responder).body)
    return fail(controller, error)
  }
  let saving: Promise<void> | undefined
  try {
    saving = controller.app.saveSession(session, state.environ, headers)
  } catch (error) {
    return failSaving(error)
  }
  return saving === undefined ? proceed() : saving.then(proceed, failSaving)
}

/** Throws an error that ends the request without a response of the controller. */
export function fail(controller: Controller, error: unknown): never {
  finish(stateOf(controller), undefined)
  throw error
}

/**
 * Throws an unexpected error of the action. The session is not saved, but one that was destroyed ends: a logout whose page
 * fails is a logout.
 */
export function failAction(controller: Controller, error: unknown): never | Promise<never> {
  const { session, environ, isSessionSaved } = stateOf(controller)
  if (session === undefined || isSessionSaved || !session[CHANGES].isDestroyed) return fail(controller, error)
  const rethrow = (): never => fail(controller, error)
  const save = async (): Promise<void> => controller.app.saveSession(session, environ, new Response())
  // The application has logged an error of the store.
  return save().then(rethrow, rethrow)
}

/**
 * Returns a `start_response` that adds `Set-Cookie`, `Vary`, `Cache-Control` and `X-` headers of a controller's own
 * response to the headers of an application. Its other headers describe a body that is not sent.
 */
export function addOwnHeaders(state: CallState, start_response: StartResponse): StartResponse {
  return (status, headers, excInfo) => {
    const own = isNegotiated(state) ? NEGOTIATED.mergeInto(state.response ?? new Response()) : state.response
    return start_response(status, withOwn(headers, own), excInfo)
  }
}

/** The header fields of a negotiated response. They are added last, because the action may have replaced `Vary`. */
const NEGOTIATED = new Response(null, { headers: { Vary: 'Accept' } })

/** Returns true if the response depends on the Accept header, whatever its status (RFC 9110 §12.5.5). */
function isNegotiated({ isAction, isForReader, metadata, action, environ }: CallState): boolean {
  if (isForReader) return true
  const method = isAction ? metadata.action(action) : undefined
  if (method === undefined) return false
  return method.result?.page !== undefined || (method.takesFormat && Array.isArray(environ[FORMATS_KEY]))
}

const ADDED = /^(?:set-cookie|vary|cache-control|x-.*)$/i

function withOwn(headers: HeaderPair[], own: Response | undefined): HeaderPair[] {
  if (own === undefined) return headers
  const added = [...own.headers].filter(([name]) => ADDED.test(name))
  const merged = new Response(null, { headers: added }).mergeInto(new Response(null, { headers }))
  return merged.headers.toPairs()
}
