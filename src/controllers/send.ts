/** Sends the response of a call: begins a generator, saves the session, adds header fields. */

import { isRead } from '../base/methods.ts'
import { isPromise } from '../base/promise.ts'
import { FORMATS_KEY } from '../http/formats.ts'
import { HeaderList } from '../http/headers.ts'
import { closeBody, Response } from '../http/response.ts'
import { CHANGES, type Session } from '../http/sessions/session.ts'
import type { Body, HeaderPair, StartResponse } from '../wsgi/types.ts'
import { drive, type Steps, wait } from './call.ts'
import { type CallState, finish, type GeneratorBody } from './call-state.ts'
import { type Responder, respondToError } from './represent.ts'

/** Sends the response: the controller's own, unless an application makes it. */
export function send(state: CallState, responder: Responder): Body | Promise<Body> {
  const { session, finishing, generator } = state
  const needsSteps = session !== undefined || finishing !== undefined || generator !== undefined
  return needsSteps ? drive(sendSteps(state, responder)) : sendNow(state, responder)
}

/** Begins a generator, saves the session, calls the callbacks of {@link whenFinished}, then sends the response. */
function* sendSteps(state: CallState, made: Responder): Steps<Body | Promise<Body>> {
  const responder = yield* begunSteps(state, made)
  try {
    if (state.session !== undefined) yield* saveSteps(state, state.session, responder)
    if (typeof responder === 'function') yield* wait(finish(state, undefined))
    else {
      if (state.finishing !== undefined && isNegotiated(state))
        state.response = NEGOTIATED.mergeInto(state.response ?? responder)
      yield* wait(finish(state, state.response ?? responder))
    }
  } catch (error) {
    return fail(state, error)
  }
  return sendNow(state, responder)
}

function sendNow(state: CallState, responder: Responder): Body | Promise<Body> {
  const { environ, start_response, response } = state
  state.finishing = null
  if (typeof responder === 'function') return responder(environ, addOwnHeaders(state, start_response))
  return (response ?? responder).send(environ, isNegotiated(state) ? varying(start_response) : start_response)
}

function varying(start_response: StartResponse): StartResponse {
  return (status, headers, excInfo) => start_response(status, withAccept(headers), excInfo)
}

/** Adds `Vary: Accept` to the fields of a negotiated response. Last, because the action may have replaced `Vary`. */
function withAccept(headers: HeaderPair[]): HeaderPair[] {
  const hasVary = headers.some(([name]) => name.toLowerCase() === 'vary')
  return hasVary ? new HeaderList(headers).addToken('Vary', 'Accept').toPairs() : [...headers, VARY_ACCEPT]
}

const VARY_ACCEPT: HeaderPair = ['Vary', 'Accept']

/**
 * Runs a generator that is the body to its first chunk. Until then it may set header fields and values of the
 * session, or abort.
 *
 * @returns the responder, or the response for an HTTP exception of the generator.
 */
function* begunSteps(state: CallState, responder: Responder): Steps<Responder> {
  const { response, generator } = state
  // `__after__` may have replaced the body.
  if (generator === undefined || response?.body !== generator) return responder
  try {
    yield* wait(begin(generator))
    return responder
  } catch (error) {
    try {
      return respondToError(state, error)
    } catch (unexpected) {
      return yield* failSteps(state, unexpected)
    }
  }
}

/** Saves the session. Its cookie and its fields for caches are added to the response. */
function* saveSteps(state: CallState, session: Session, responder: Responder): Steps<void> {
  const added = new Response()
  try {
    yield* wait(state.controller.app.saveSession(session, state.environ, added))
  } catch (error) {
    if (typeof responder !== 'function') yield* wait(closeBody((state.response ?? responder).body))
    throw error
  }
  // An action that called start_response before it used the session has sent the head.
  if (state.started !== undefined && state.started.head === undefined && added.headers.has('set-cookie')) {
    throw new Error(
      `${state.description.name}.${state.action}() changed its session after it called start_response, so its cookie cannot be sent. Change the session first.`,
    )
  }
  const own = state.response ?? (typeof responder === 'function' ? new Response() : responder)
  // A copy, because the response may serve many requests.
  state.response = added.mergeInto(own)
}

/** Throws an error that ends the request without a response of the controller. */
export function fail(state: CallState, error: unknown): never {
  finish(state, undefined)
  throw error
}

/**
 * Throws an unexpected error of the action. The session is not saved, but one that was destroyed ends: a logout whose
 * page fails is a logout.
 */
export function failAction(state: CallState, error: unknown): never | Promise<never> {
  return drive(failSteps(state, error))
}

function* failSteps(state: CallState, error: unknown): Steps<never> {
  const { session, environ } = state
  if (session?.[CHANGES].isDestroyed === true) {
    try {
      yield* wait(state.controller.app.saveSession(session, environ, new Response()))
    } catch {
      // The application has logged an error of the store.
    }
  }
  return fail(state, error)
}

/**
 * Returns a `start_response` that adds `Set-Cookie`, `Vary`, `Cache-Control` and `X-` headers of a controller's own
 * response to the headers of an application. Its other headers describe a body that is not sent.
 */
export function addOwnHeaders(state: CallState, start_response: StartResponse): StartResponse {
  return (status, headers, excInfo) => {
    const fields = withOwn(headers, state.response)
    return start_response(status, isNegotiated(state) ? withAccept(fields) : fields, excInfo)
  }
}

/** The header fields of a negotiated response, for callbacks of {@link whenFinished}. */
const NEGOTIATED = new Response(null, { headers: { Vary: 'Accept' } })

/** Returns true if the response depends on the Accept header, whatever its status (RFC 9110 §12.5.5). */
function isNegotiated({ isForReader, method, environ }: CallState): boolean {
  if (isForReader || method === undefined) return isForReader
  const { result, takesFormat } = method
  if (takesFormat && Array.isArray(environ[FORMATS_KEY])) return true
  if (result === undefined) return false
  // A client that does not accept the JSON of a GET receives 406.
  return result.page !== undefined || (result.schema !== null && isRead(environ.REQUEST_METHOD))
}

const ADDED = /^(?:set-cookie|vary|cache-control|x-.*)$/i

function withOwn(headers: HeaderPair[], own: Response | undefined): HeaderPair[] {
  if (own === undefined) return headers
  const added = [...own.headers].filter(([name]) => ADDED.test(name))
  const merged = new Response(null, { headers: added }).mergeInto(new Response(null, { headers }))
  return merged.headers.toPairs()
}

/**
 * Runs a generator to its first chunk, which its first reader receives.
 *
 * @returns a promise if the generator is asynchronous.
 * @throws the error of the generator, as a rejection if it is asynchronous.
 */
function begin(generator: GeneratorBody): Promise<unknown> | undefined {
  const next: () => unknown = generator.next.bind(generator)
  const first = next()
  let isRead = false
  Object.assign(generator, {
    next() {
      if (isRead) return next()
      isRead = true
      return first
    },
  })
  return isPromise(first) ? first : undefined
}
