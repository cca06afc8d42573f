/**
 * The life of a call, from its arguments to its response: the conversion of arguments, `__before__`, the action,
 * `__after__` and their errors, then the session and the response.
 *
 * WSGI actions, the procedures of RPC controllers and the calls of a batch all run through {@link callSteps}. A
 * `Protocol` supplies what differs between them.
 */

import { isPromise, promised } from '../base/promise.ts'
import { errorText, isInstance } from '../base/thrown.ts'
import { HTTPException, HTTPNotFound } from '../http/exceptions.ts'
import { FORMATS_KEY, negotiateFormat } from '../http/formats.ts'
import { Request } from '../http/request.ts'
import { closeBody, Response } from '../http/response.ts'
import { CHANGES, type Session } from '../http/sessions/session.ts'
import type { Body } from '../wsgi/types.ts'
import { callMethod, convertArguments } from './arguments.ts'
import { ACTION_KEY, type CallState, finish, type GeneratorBody, type Protocol } from './call-state.ts'
import { PRIVATE } from './class-methods.ts'
import { ActionNotFound, ForgottenResultError, ReservedMemberError } from './controller-errors.ts'
import type { ControllerDescription } from './describe.ts'
import { callWithBody, convertBodyForHook, discardingFiles } from './forms/action-body.ts'
import type { MethodBinding } from './method-binding.ts'
import { answerAction, isNegotiated, type Responder, replaceResponse, represent, respondToError } from './represent.ts'
import { addOwnHeaders, NEGOTIATED, varying } from './start-response.ts'
import { inStage, TRACE_KEY, type TraceContext } from './tracing/channels.ts'

/** Serves the request of a controller, and returns the body of the response. */
export function serveAction(state: CallState): Body | Promise<Body> {
  nameMethodInMatch(state)
  if (state.method === undefined && PRIVATE.test(state.action))
    return send(state, replaceResponse(state, new HTTPNotFound()))
  const { [PROTOCOL_KEY]: own } = state.environ
  const protocol = own instanceof ActionProtocol ? own : actionProtocol
  const served = state.description.hasConverters ? convertAndServe(state, protocol) : serve(state, protocol)
  const takesFiles = state.method?.body?.declaration.options.files !== undefined
  return takesFiles ? discardingFiles(state.controller, served) : served
}

/**
 * Arguments that are refused are answered before anything of the application runs, as the parameters of a remote call
 * are.
 */
function convertAndServe(state: CallState, protocol: Protocol<Responder>): Body | Promise<Body> {
  const refuse = (error: unknown) =>
    isInstance(error, HTTPException) ? send(state, replaceResponse(state, error)) : fail(state, error)
  try {
    const converting = convertAll(state)
    if (converting !== undefined) return converting.then(() => serve(state, protocol), refuse)
  } catch (error) {
    return refuse(error)
  }
  return serve(state, protocol)
}

function serve(state: CallState, protocol: Protocol<Responder>): Body | Promise<Body> {
  let responder: Responder | Promise<Responder>
  try {
    responder = runCall(state, protocol)
  } catch (error) {
    return failAction(state, error)
  }
  if (!(responder instanceof Promise)) return answer(state, responder)
  return responder.then(
    (later) => answer(state, later),
    (error: unknown) => failAction(state, error),
  )
}

/** Sends the answer of a call, unless its action forgot the result. */
function answer(state: CallState, responder: Responder): Body | Promise<Body> {
  try {
    if (state.forgot) requireResult(state)
  } catch (error) {
    return failAction(state, error)
  }
  return send(state, responder)
}

/**
 * Converts the arguments of the action and the hooks, and the body if a hook takes it.
 *
 * @returns a promise only if a schema is asynchronous, or for the body.
 */
function convertAll(state: CallState): Promise<unknown> | undefined {
  const { method, description } = state
  if (method?.takesFormat) negotiate(state)
  let pending: Promise<unknown>[] | undefined
  try {
    for (const each of [method, description.before, description.after]) {
      if (each?.converters === undefined) continue
      const converting = convertArguments(state, each, each.converters)
      if (converting === undefined) continue
      pending ??= []
      pending.push(converting)
    }
  } catch (error) {
    // Those that are pending may be rejected later.
    void Promise.allSettled(pending ?? [])
    throw error
  }
  const all = pending && Promise.all(pending)
  const body = method?.body
  if (body === undefined || description.before?.body?.declaration !== body.declaration) return all
  // After the other arguments: their refusal would end the request while temporary files are written.
  const convert = () => convertBodyForHook(state.controller, body)
  return all === undefined ? convert() : all.then(convert)
}

/**
 * Replaces the action of the match by the name of its method, so that hooks which guard an action see one name for it:
 * `good_bye` for `/hello/good-bye`, and `index` for a route without an action.
 */
function nameMethodInMatch(state: CallState): void {
  const { action, match, description } = state
  if (action === match.action && !action.includes('-')) return
  const name = action.replaceAll('-', '_')
  if (!description.actionNames.includes(name) || Object.isFrozen(match)) return
  match.action = name
  state.action = name
}

// ------------------------------------------------------------ hooks and errors

/**
 * Runs `__before__`, the action and `__after__`.
 *
 * @returns the answer, as a promise only if a hook or the action returned a promise.
 * @throws unexpected errors of the hooks and the action.
 */
export function runCall<T>(state: CallState, protocol: Protocol<T>): T | Promise<T> {
  return drive(callSteps(state, protocol))
}

/** The steps of {@link runCall}. */
export function* callSteps<T>(state: CallState, protocol: Protocol<T>): Steps<T> {
  const { before, after } = state.description
  // If `__before__` throws, neither the action nor `__after__` runs.
  try {
    if (before !== undefined) {
      const pending = callHook(state, 'before', before)
      if (pending !== undefined) yield* wait(pending)
      if (state.match.action !== state.action) state.readAction()
    }
  } catch (error) {
    return protocol.answerError(state, error)
  }
  let answer: T
  try {
    try {
      const isTraced = state.environ[TRACE_KEY] !== undefined
      const result = isTraced ? traced(state, 'action', () => protocol.run(state)) : protocol.run(state)
      // Text and null need no check.
      answer = protocol.answer(state, typeof result === 'object' && isPromise(result) ? yield result : result)
    } catch (error) {
      // Throws an unexpected error again, for the catch below.
      answer = protocol.answerError(state, error)
    }
  } catch (error) {
    // `__after__` runs after an unexpected error too, and cannot replace it.
    if (after !== undefined) yield* afterErrorSteps(state, after, error)
    throw error
  }
  // An error of `__after__` replaces the answer.
  try {
    const pending = after && callHook(state, 'after', after)
    if (pending !== undefined) yield* wait(pending)
  } catch (error) {
    return protocol.answerError(state, error)
  }
  return answer
}

function* afterErrorSteps(state: CallState, after: MethodBinding, error: unknown): Steps<void> {
  try {
    yield* wait(callHook(state, 'after', after, error))
  } catch (second) {
    state.controller.app.logger.error(`__after__ failed too\n${errorText(second)}`, { err: second })
  }
}

function callHook(state: CallState, stage: 'before' | 'after', hook: MethodBinding, error?: unknown): unknown {
  if (state.environ[TRACE_KEY] === undefined) return callMethod(state, hook, error)
  return traced(state, stage, () => callMethod(state, hook, error))
}

/** Runs a stage of a call that is traced. */
function traced(state: CallState, stage: 'before' | 'action' | 'after', run: () => unknown): unknown {
  // The trace waits for the same promise as the call.
  return inStage(
    stage,
    state.environ,
    () => promised(run()),
    (request) => nameAction(state, request),
  )
}

/** Names the action of a request that is traced. */
function nameAction(state: CallState, request: TraceContext): Partial<TraceContext> {
  const { environ, action, description } = state
  const called = environ[ACTION_KEY]
  const name = called ?? action.replaceAll('-', '_')
  // The action of the match may be any word that a client has sent.
  if (name === called || description.actionNames.includes(name)) request.action = name
  return {}
}

// ------------------------------------------------------------ the action

/** Key in the environ for a protocol of the framework, which runs in place of the action with its hooks. */
export const PROTOCOL_KEY = 'propylon.protocol'

/** Runs the action that the match names and sends its result. */
export class ActionProtocol implements Protocol<Responder> {
  run(state: CallState): unknown {
    const { action, description, method } = state
    // A template that `__before__` rendered is not the page.
    state.rendered = false
    if (method !== undefined) {
      if (method.takesFormat) negotiate(state)
      if (method.body === undefined && method.result === undefined) return callMethod(state, method)
      const given =
        method.body === undefined
          ? callMethod(state, method)
          : callWithBody(state.controller, method, () => callMethod(state, method))
      if (given instanceof Promise) return given.then((result) => representDeclared(state, method, result))
      return representDeclared(state, method, given)
    }
    if (state.controller.app.debug) throw notAnAction(description, action)
    throw new HTTPNotFound()
  }

  readonly answer = answerAction

  answerError(state: CallState, error: unknown): Responder {
    return respondToError(state, error)
  }
}

const actionProtocol = new ActionProtocol()

/** Returns the error for a name that no action has. */
function notAnAction(description: ControllerDescription, action: string): Error {
  const isReserved = description.isReserved(action)
  if (isReserved && description.method(action) !== undefined)
    return new ReservedMemberError(description.name, action, 404)
  return new ActionNotFound(description.name, action, description.actionNames, isReserved)
}

/** Represents the result of an action as its class declares it. */
function representDeclared(state: CallState, method: MethodBinding, result: unknown): unknown {
  // An action that renders a template and gives no value has written a mail, for instance.
  if (result !== undefined || method.result?.schema === null) state.rendered = false
  return represent(state, method, result)
}

/** Sets the format of a resource whose path has no suffix, from the query or the Accept header. */
function negotiate(state: CallState): void {
  const formats = state.environ[FORMATS_KEY]
  if (!Array.isArray(formats)) return
  const format = negotiateFormat(Request.of(state.environ), formats)
  if (format !== undefined) state.match.format = format
}

/** Actions whose forgotten results are in the log. */
const logged = new WeakSet<MethodBinding>()

/**
 * Fails in debug mode if the action forgot its result, and `__after__` has not written the body either. Logs it
 * otherwise.
 */
function requireResult(state: CallState): void {
  const { method, response } = state
  if (method === undefined || response === undefined || response.body !== null || needsNoBody(response)) return
  const error = new ForgottenResultError(method.label)
  if (state.controller.app.debug) throw error
  if (!logged.has(method)) state.controller.app.logger.warn(error.message)
  logged.add(method)
}

/** Returns true for a status without a body (RFC 9110 §6.4.1), and for a redirect. */
function needsNoBody({ status }: Response): boolean {
  return status === 204 || status === 205 || (status >= 300 && status < 400)
}

// ------------------------------------------------------------ the response

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

// ------------------------------------------------------------ steps

/** A computation of {@link drive}, which waits by {@link wait}. */
export type Steps<T> = Generator<unknown, T, unknown>

/** Returns a value. If it is a promise, waits for it. */
export function* wait<T>(value: T | Promise<T>): Steps<T> {
  // Most values have no `then`. `drive()` sends the value of the promise.
  if (typeof value !== 'object' || value === null || !('then' in value) || !isPromise(value)) return value as T
  return (yield value) as T
}

/** Runs a computation. Returns a promise only if the computation waits for one. */
export function drive<T>(steps: Steps<T | Promise<T>>): T | Promise<T> {
  const step = steps.next()
  return step.done === true ? step.value : resume(steps, step)
}

async function resume<T>(steps: Steps<T | Promise<T>>, pending: IteratorResult<unknown, T | Promise<T>>): Promise<T> {
  let step = pending
  while (step.done !== true) {
    try {
      step = steps.next(await step.value)
    } catch (error) {
      // A computation that has thrown the error itself throws it again.
      step = steps.throw(error)
    }
  }
  return step.value
}
