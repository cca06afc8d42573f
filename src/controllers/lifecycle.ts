/**
 * The lifecycle of a call: `__before__`, the action, `__after__`.
 *
 * WSGI actions, the procedures of RPC controllers and the calls of a batch all run through {@link runCall}. A
 * {@link Protocol} supplies what differs between them.
 */

import { andThen, isPromise } from '../base/promise.ts'
import { emptyObject } from '../base/record.ts'
import { errorText } from '../base/thrown.ts'
import { convertOnce, offeredBy, picked, present } from './call-arguments.ts'
import { ACTION_KEY, type Controller, stateOf } from './call-state.ts'
import type { BodyParameter } from './declared-arguments.ts'
import type { MethodBinding, NamedArguments } from './method-binding.ts'
import { checkParameterNames } from './parameter-names.ts'
import { inStage, type TraceContext } from './tracing/channels.ts'

/** One kind of call: how to run its action, and how to make an answer of type `T`. */
export interface Protocol<T> {
  /** Runs the action. */
  run(controller: Controller): unknown
  /** Makes the answer from the action's result. */
  answer(controller: Controller, result: unknown): T
  /** Makes the answer for an expected error, such as an HTTP exception. Throws any other error. */
  answerError(controller: Controller, error: unknown): T
}

/**
 * Runs `__before__`, the action and `__after__`.
 *
 * If `__before__` throws, the action and `__after__` do not run. `__after__` runs after every action and receives an
 * unexpected error as the argument `error`. An error of `__after__` replaces the answer, but not an unexpected error of
 * the action: that one is thrown, and the error of `__after__` is logged.
 *
 * @returns the answer, as a promise only if a hook or the action returned a promise.
 * @throws unexpected errors of the hooks and the action.
 */
export function runCall<T>(controller: Controller, protocol: Protocol<T>): T | Promise<T> {
  const { before } = stateOf(controller).metadata
  if (before === undefined) return runAction(controller, protocol)
  return andThen(
    () => callHook('before', controller, before),
    () => runAction(controller, protocol),
    (error) => protocol.answerError(controller, error),
  )
}

function runAction<T>(controller: Controller, protocol: Protocol<T>): T | Promise<T> {
  let answer: T
  try {
    const result = inStage(
      'action',
      stateOf(controller).environ,
      () => protocol.run(controller),
      (request) => nameAction(controller, request),
    )
    // Text and null need no check. `isPromise` throws for a revoked Proxy.
    if (typeof result === 'object' && isPromise(result)) {
      // A promise of the language is not wrapped.
      return Promise.resolve(result).then(
        (settled) => answerLater(controller, protocol, settled),
        (error: unknown) => runAfterError(controller, protocol, error),
      )
    }
    answer = protocol.answer(controller, result)
  } catch (error) {
    return runAfterError(controller, protocol, error)
  }
  return runAfter(controller, protocol, answer)
}

function answerLater<T>(controller: Controller, protocol: Protocol<T>, result: unknown): T | Promise<T> {
  let answer: T
  try {
    answer = protocol.answer(controller, result)
  } catch (error) {
    return runAfterError(controller, protocol, error)
  }
  return runAfter(controller, protocol, answer)
}

function runAfter<T>(controller: Controller, protocol: Protocol<T>, answer: T): T | Promise<T> {
  const { after } = stateOf(controller).metadata
  if (after === undefined) return answer
  return andThen(
    () => callHook('after', controller, after),
    () => answer,
    (error) => protocol.answerError(controller, error),
  )
}

function runAfterError<T>(controller: Controller, protocol: Protocol<T>, error: unknown): T | Promise<T> {
  let answer: T
  try {
    answer = protocol.answerError(controller, error)
  } catch (unexpected) {
    return runAfterUnexpected(controller, unexpected)
  }
  return runAfter(controller, protocol, answer)
}

function runAfterUnexpected(controller: Controller, error: unknown): never | Promise<never> {
  const { after } = stateOf(controller).metadata
  if (after === undefined) throw error
  const rethrow = (): never => {
    throw error
  }
  return andThen(
    () => callHook('after', controller, after, error),
    rethrow,
    (second) => {
      controller.app.logger.error(`__after__ failed too\n${errorText(second)}`, { err: second })
      return rethrow()
    },
  )
}

function callHook(
  stage: 'before' | 'after',
  controller: Controller,
  hook: MethodBinding,
  error?: unknown,
): unknown {
  return inStage(
    stage,
    stateOf(controller).environ,
    () => callMethod(controller, hook, error),
    (request) => nameAction(controller, request),
  )
}

/** Names the action of a request that is traced. */
function nameAction(controller: Controller, request: TraceContext): Partial<TraceContext> {
  const { environ, action, metadata } = stateOf(controller)
  const called = environ[ACTION_KEY]
  const name = called ?? action.replaceAll('-', '_')
  // The action of the match may be any word that a client has sent.
  if (name === called || metadata.actionNames.includes(name)) request.action = name
  return {}
}

/**
 * Calls a method of a controller with the arguments that its parameters name.
 *
 * @param error - value of the argument `error`.
 */
export function callMethod(controller: Controller, method: MethodBinding, error?: unknown): unknown {
  if (method.converters !== undefined) return callConverted(controller, method, error)
  const { metadata, match, callArguments } = stateOf(controller)
  const isOverridden = controller._get_method_args !== metadata.defaultMethodArguments
  if (method.usesMatchOnly && !isOverridden && callArguments === undefined) {
    return invoke(method, controller, match)
  }
  const args: unknown = controller._get_method_args()
  if (!isPromise(args)) return invokeWith(controller, method, args, error)
  return Promise.resolve(args).then((settled) => invokeWith(controller, method, settled, error))
}

/** Converts the arguments of a method as {@link convertOnce} does. */
export function convertedArguments(
  controller: Controller,
  method: MethodBinding,
): NamedArguments | Promise<NamedArguments> {
  const state = stateOf(controller)
  return convertOnce(state, method, () => controller.app.showsErrors(state.environ))
}

function callConverted(controller: Controller, method: MethodBinding, error: unknown): unknown {
  const call = (converted: NamedArguments): unknown => {
    const { metadata, match, callArguments } = stateOf(controller)
    const isOverridden = controller._get_method_args !== metadata.defaultMethodArguments
    if (method.checked && method.usesMatchOnly && !isOverridden && callArguments === undefined) {
      const offered: NamedArguments = emptyObject()
      for (const { name } of method.parameters.names) {
        offered[name] = name in converted ? converted[name] : (match[name] ?? undefined)
      }
      return invokeWithBody(controller, method, offered)
    }
    const args: unknown = controller._get_method_args()
    if (!isPromise(args)) return invokeConverted(controller, method, args, converted, error)
    return Promise.resolve(args).then((settled) =>
      invokeConverted(controller, method, settled, converted, error),
    )
  }
  const values = convertedArguments(controller, method)
  return isPromise(values) ? values.then(call) : call(values)
}

/** Calls a method with its converted arguments. A value that `_get_method_args` replaces or adds is passed as it is. */
function invokeConverted(
  controller: Controller,
  method: MethodBinding,
  args: unknown,
  converted: NamedArguments,
  error: unknown,
): unknown {
  const { match, environ } = stateOf(controller)
  const offered = present(offeredBy(controller.constructor.name, method, args, environ, error))
  for (const name in converted) {
    if (offered[name] === (match[name] ?? undefined)) offered[name] = converted[name]
  }
  return invokeWithBody(controller, method, offered)
}

function invokeWithBody(controller: Controller, method: MethodBinding, offered: NamedArguments): unknown {
  const { body } = method
  if (body !== undefined) offered[body.name] = bodyFor(controller, body)
  if (!method.checked) checkParameterNames(method, offered, controller)
  // Null of a converter or a body is a value, so it is not replaced.
  const { parameters } = method
  const { names } = parameters
  if (parameters.kind === 'destructured') {
    return method.method.call(controller, parameters.rest ? offered : picked(names, offered))
  }
  return method.method.apply(
    controller,
    names.map(({ name }) => offered[name]),
  )
}

/** Returns the converted body. Undefined if the action of the request does not take it, or shows an invalid form again. */
function bodyFor(controller: Controller, { declaration }: BodyParameter): unknown {
  const { body } = stateOf(controller)
  return body?.declaration === declaration ? body.value : undefined
}

function invokeWith(controller: Controller, method: MethodBinding, args: unknown, error: unknown): unknown {
  const { environ } = stateOf(controller)
  return invoke(method, controller, offeredBy(controller.constructor.name, method, args, environ, error))
}

/** Calls the method on `target`. Arguments that are missing or null are `undefined`, so that defaults apply. */
function invoke(binding: MethodBinding, target: Controller, offered: NamedArguments): unknown {
  if (!binding.checked) checkParameterNames(binding, offered, target)
  const { method, parameters } = binding
  const { names } = parameters
  if (parameters.kind === 'destructured') {
    const given = present(offered)
    return method.call(target, parameters.rest ? given : picked(names, given))
  }
  // Most methods have one parameter or none, for which an array of arguments would cost more than the call itself.
  const [first, second] = names
  if (first === undefined) return method.call(target)
  if (second === undefined) return method.call(target, offered[first.name] ?? undefined)
  return method.apply(
    target,
    names.map(({ name }) => offered[name] ?? undefined),
  )
}
