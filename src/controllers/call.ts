/**
 * The life of a call: `__before__`, the action, `__after__`, and their errors.
 *
 * WSGI actions, the procedures of RPC controllers and the calls of a batch all run through {@link runCall}. A
 * {@link Protocol} supplies what differs between them.
 */

import { drive, isPromise, type Steps, wait } from '../base/promise.ts'
import { errorText } from '../base/thrown.ts'
import { callMethod } from './arguments.ts'
import { ACTION_KEY, type Controller, stateOf } from './call-state.ts'
import type { MethodBinding } from './method-binding.ts'
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
 * @returns the answer, as a promise only if a hook or the action returned a promise.
 * @throws unexpected errors of the hooks and the action.
 */
export function runCall<T>(controller: Controller, protocol: Protocol<T>): T | Promise<T> {
  return drive(callSteps(controller, protocol))
}

export function* callSteps<T>(controller: Controller, protocol: Protocol<T>): Steps<T> {
  const { before, after } = stateOf(controller).metadata
  // If `__before__` throws, neither the action nor `__after__` runs.
  try {
    if (before !== undefined) yield* wait(callHook(controller, 'before', before))
  } catch (error) {
    return protocol.answerError(controller, error)
  }
  let answer: T
  try {
    answer = yield* actionSteps(controller, protocol)
  } catch (error) {
    // `__after__` runs after an unexpected error too, and cannot replace it.
    if (after !== undefined) yield* afterErrorSteps(controller, after, error)
    throw error
  }
  // An error of `__after__` replaces the answer.
  try {
    if (after !== undefined) yield* wait(callHook(controller, 'after', after))
  } catch (error) {
    return protocol.answerError(controller, error)
  }
  return answer
}

function* actionSteps<T>(controller: Controller, protocol: Protocol<T>): Steps<T> {
  try {
    const result = inStage(
      'action',
      stateOf(controller).environ,
      () => protocol.run(controller),
      (request) => nameAction(controller, request),
    )
    return protocol.answer(controller, isPromise(result) ? yield result : result)
  } catch (error) {
    return protocol.answerError(controller, error)
  }
}

function* afterErrorSteps(controller: Controller, after: MethodBinding, error: unknown): Steps<void> {
  try {
    yield* wait(callHook(controller, 'after', after, error))
  } catch (second) {
    controller.app.logger.error(`__after__ failed too\n${errorText(second)}`, { err: second })
  }
}

function callHook(
  controller: Controller,
  stage: 'before' | 'after',
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
