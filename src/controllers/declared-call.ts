/** Calls of actions whose class declares what they take and give. */

import { isPromise } from '../base/promise.ts'
import { isInstance } from '../base/thrown.ts'
import { HTTPException } from '../http/exceptions.ts'
import { FORMATS_KEY, negotiateFormat } from '../http/formats.ts'
import { Request } from '../http/request.ts'
import type { Body } from '../wsgi/types.ts'
import { type Controller, stateOf } from './call-state.ts'
import { declaredResponse } from './declared-response.ts'
import { callWithBody, convertBodyForHook, discardingFiles } from './forms/action-body.ts'
import { callMethod, convertedArguments } from './lifecycle.ts'
import type { MethodBinding } from './method-binding.ts'
import { fail, send, useResponse } from './responder.ts'

/**
 * Converts the arguments of the action and the hooks, then calls `serve`. Arguments that are refused are answered before
 * anything of the application runs, as the parameters of a remote call are.
 */
export function serveConverted(
  controller: Controller,
  serve: () => Body | Promise<Body>,
): Body | Promise<Body> {
  const { action, metadata } = stateOf(controller)
  const method = metadata.action(action)
  const refuse = (error: unknown): Body | Promise<Body> => {
    if (!isInstance(error, HTTPException)) return fail(controller, error)
    return send(controller, useResponse(controller, error))
  }
  const pending: Promise<unknown>[] = []
  try {
    if (method?.takesFormat) negotiate(controller)
    for (const each of [method, metadata.before, metadata.after]) {
      if (each?.converters === undefined) continue
      const values = convertedArguments(controller, each)
      if (isPromise(values)) pending.push(values)
    }
  } catch (error) {
    // Those that are pending may be rejected later.
    void Promise.allSettled(pending)
    return refuse(error)
  }
  const body = method?.body
  const isForHook = body !== undefined && metadata.before?.body?.declaration === body.declaration
  const converted = pending.length === 0 && !isForHook ? undefined : Promise.all(pending)
  // After the other arguments: their refusal would end the request while temporary files are written.
  const all = isForHook ? converted?.then(() => convertBodyForHook(controller, body)) : converted
  const served = all === undefined ? serve() : all.then(serve, refuse)
  return body?.declaration.options.files === undefined ? served : discardingFiles(controller, served)
}

/** Calls an action that takes the body, and sends its result as its class declares it. */
export function callDeclared(controller: Controller, method: MethodBinding): unknown {
  const respondTo = (result: unknown): unknown => {
    // An action that renders a template and gives no value has written a mail, for instance.
    if (result !== undefined || method.result?.schema === null) stateOf(controller).rendered = false
    return declaredResponse(controller, method, result)
  }
  const result = callWithBody(controller, method, () => callMethod(controller, method))
  return isPromise(result) ? result.then(respondTo) : respondTo(result)
}

/** Sets the format of a resource whose path has no suffix, from the query or the Accept header. */
export function negotiate(controller: Controller): void {
  const state = stateOf(controller)
  const formats = state.environ[FORMATS_KEY]
  if (!Array.isArray(formats)) return
  const format = negotiateFormat(Request.of(state.environ), formats)
  if (format !== undefined) state.match.format = format
}
