/** Serves a request to an action: converts its arguments, runs the call, and sends the response. */

import { isInstance } from '../base/thrown.ts'
import { HTTPException, HTTPNotFound } from '../http/exceptions.ts'
import { FORMATS_KEY, negotiateFormat } from '../http/formats.ts'
import { Request } from '../http/request.ts'
import type { Response } from '../http/response.ts'
import type { Body, Chunk, StartResponse } from '../wsgi/types.ts'
import { callMethod, convertArguments } from './arguments.ts'
import { callSteps, drive, type Protocol, type Steps, wait } from './call.ts'
import type { CallState } from './call-state.ts'
import { PRIVATE } from './class-methods.ts'
import { ActionNotFound, ForgottenResultError, ReservedMemberError } from './controller-errors.ts'
import type { ControllerDescription } from './describe.ts'
import { callWithBody, convertBodyForHook, discardingFiles } from './forms/action-body.ts'
import type { MethodBinding } from './method-binding.ts'
import { answerAction, type Responder, represent, respondToError, useResponse } from './represent.ts'
import { addOwnHeaders, fail, failAction, send } from './send.ts'

/** Serves the request of a controller, and returns the body of the response. */
export function serveAction(state: CallState): Body | Promise<Body> {
  useMethodName(state)
  if (PRIVATE.test(state.action)) return send(state, useResponse(state, new HTTPNotFound()))
  const { [PROTOCOL_KEY]: own } = state.environ
  const protocol = own instanceof ActionProtocol ? own : actionProtocol
  const served = drive(serveSteps(state, protocol))
  const takesFiles = state.method?.body?.declaration.options.files !== undefined
  return takesFiles ? discardingFiles(state.controller, served) : served
}

function* serveSteps(state: CallState, protocol: Protocol<Responder>): Steps<Body | Promise<Body>> {
  // Arguments that are refused are answered before anything of the application runs, as the parameters of a remote
  // call are.
  try {
    if (state.description.hasConverters) yield* conversionSteps(state)
  } catch (error) {
    if (!isInstance(error, HTTPException)) return fail(state, error)
    return send(state, useResponse(state, error))
  }
  let responder: Responder
  try {
    responder = yield* callSteps(state, protocol)
    if (state.forgot) requireResult(state)
  } catch (error) {
    return failAction(state, error)
  }
  return send(state, responder)
}

/** Converts the arguments of the action and the hooks, and the body if a hook takes it. */
function* conversionSteps(state: CallState): Steps<void> {
  const { method, description } = state
  if (method?.takesFormat) negotiate(state)
  const pending: Promise<unknown>[] = []
  try {
    for (const each of [method, description.before, description.after]) {
      const converting = each === undefined ? undefined : convertArguments(state, each)
      if (converting !== undefined) pending.push(converting)
    }
  } catch (error) {
    // Those that are pending may be rejected later.
    void Promise.allSettled(pending)
    throw error
  }
  if (pending.length > 0) yield Promise.all(pending)
  // After the other arguments: their refusal would end the request while temporary files are written.
  const body = method?.body
  if (body !== undefined && description.before?.body?.declaration === body.declaration)
    yield convertBodyForHook(state.controller, body)
}

/**
 * Replaces the action of the match by the name of its method, so that hooks which guard an action see one name for it:
 * `good_bye` for `/hello/good-bye`, and `index` for a route without an action.
 */
function useMethodName(state: CallState): void {
  const { action, match, description } = state
  if (action === match.action && !action.includes('-')) return
  const name = action.replaceAll('-', '_')
  if (!description.actionNames.includes(name) || Object.isFrozen(match)) return
  match.action = name
  state.action = name
}

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
      return drive(declaredSteps(state, method))
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

/** Calls an action that takes the body, and represents its result as its class declares it. */
function* declaredSteps(state: CallState, method: MethodBinding): Steps<unknown> {
  const call = () => callMethod(state, method)
  const given = method.body === undefined ? call() : callWithBody(state.controller, method, call)
  const result = typeof given === 'object' ? yield* wait(given) : given
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
  if (method === undefined || response === undefined || response.body !== null || needsNoBody(response))
    return
  const error = new ForgottenResultError(method.label)
  if (state.controller.app.debug) throw error
  if (!logged.has(method)) state.controller.app.logger.warn(error.message)
  logged.add(method)
}

/** Returns true for a status without a body (RFC 9110 §6.4.1), and for a redirect. */
function needsNoBody({ status }: Response): boolean {
  return status === 204 || status === 205 || (status >= 300 && status < 400)
}

/** Returns a `start_response` for an action to call. Once it was called, the action's result is the body. */
export function startResponseForAction(state: CallState): StartResponse {
  const start = addOwnHeaders(state, (...head) => state.start_response(...head))
  return (status, headers, excInfo) => {
    const { started, session } = state
    state.started ??= { head: undefined }
    if (session === undefined) return start(status, headers, excInfo)
    if (started?.head !== undefined && (excInfo === undefined || excInfo === null)) {
      throw new Error('start_response was called twice without exc_info (PEP 3333).')
    }
    // The session is saved when the action returns, and its cookie belongs to the head.
    const chunks: Chunk[] = []
    state.started = { head: { status, headers, excInfo, chunks } }
    return (chunk) => void chunks.push(chunk)
  }
}
