/**
 * The life of a call: `__before__`, the action, `__after__`, and their errors.
 *
 * WSGI actions, the procedures of RPC controllers and the calls of a batch all run through {@link runCall}. A
 * {@link Protocol} supplies what differs between them.
 */

import { isPromise, promised } from '../base/promise.ts'
import { errorText } from '../base/thrown.ts'
import { callMethod } from './arguments.ts'
import { ACTION_KEY, actionOf, type CallState } from './call-state.ts'
import type { MethodBinding } from './method-binding.ts'
import { inStage, TRACE_KEY, type TraceContext } from './tracing/channels.ts'

/** One kind of call: how to run its action, and how to make an answer of type `T`. */
export interface Protocol<T> {
  /** Runs the action. */
  run(state: CallState): unknown
  /** Makes the answer from the action's result. */
  answer(state: CallState, result: unknown): T
  /** Makes the answer for an expected error, such as an HTTP exception. Throws any other error. */
  answerError(state: CallState, error: unknown): T
}

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
      if (actionOf(state.match) !== state.action) state.readAction()
    }
  } catch (error) {
    return protocol.answerError(state, error)
  }
  let answer: T
  try {
    try {
      const result = traced(state, 'action', () => protocol.run(state))
      // Text and null need no check.
      answer = protocol.answer(state, typeof result === 'object' && isPromise(result) ? yield result : result)
    } catch (error) {
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

function callHook(
  state: CallState,
  stage: 'before' | 'after',
  hook: MethodBinding,
  error?: unknown,
): unknown {
  return traced(state, stage, () => callMethod(state, hook, error))
}

/** Runs a stage of the call, which is published if the request is traced. */
function traced(state: CallState, stage: 'before' | 'action' | 'after', run: () => unknown): unknown {
  const { environ } = state
  if (environ[TRACE_KEY] === undefined) return run()
  // The trace waits for the same promise as the call.
  return inStage(
    stage,
    environ,
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

/** A computation of {@link drive}, which waits by {@link wait}. */
export type Steps<T> = Generator<unknown, T, unknown>

/** Returns a value. If it is a promise, waits for it. */
export function* wait<T>(value: T | Promise<T>): Steps<T> {
  // Most values have no `then`. `drive()` sends the value of the promise.
  if (typeof value !== 'object' || value === null || !('then' in value) || !isPromise(value))
    return value as T
  return (yield value) as T
}

/** Runs a computation. Returns a promise only if the computation waits for one. */
export function drive<T>(steps: Steps<T | Promise<T>>): T | Promise<T> {
  const step = steps.next()
  return step.done === true ? step.value : resume(steps, step)
}

async function resume<T>(
  steps: Steps<T | Promise<T>>,
  pending: IteratorResult<unknown, T | Promise<T>>,
): Promise<T> {
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
