/** Runs a JSON-RPC call and writes its result: as the response to a request, or as an entry of a batch. */
import { HTTPException } from '../../http/exceptions.ts'
import { Response } from '../../http/response.ts'
import { isInstance } from '../../wsgi/thrown.ts'
import { type Controller, type Protocol, stateOf } from '../lifecycle.ts'
import { type Responder, respondToError } from '../responder.ts'
import { JSONRPCError, JSONRPCErrorCode } from './error.ts'
import type { Id, RPCResponse } from './message.ts'

/** A call whose method exists and whose parameters fit. */
export interface CheckedCall {
  /** Undefined for a notification. */
  readonly id: Id | undefined
  readonly method: (...args: unknown[]) => unknown
  readonly args: readonly unknown[]
}

/** A call that is answered with a response of its own. */
export class CallProtocol implements Protocol<Responder> {
  readonly #call: CheckedCall

  constructor(call: CheckedCall) {
    this.#call = call
  }

  run(controller: Controller): unknown {
    return runMethod(this.#call, controller)
  }

  answer(controller: Controller, result: unknown): Responder {
    if (result instanceof HTTPException || result instanceof JSONRPCError) throw result
    const { id } = this.#call
    return id === undefined ? noContent(controller) : jsonResponse(controller, success(id, result))
  }

  answerError(controller: Controller, error: unknown): Responder {
    const { id } = this.#call
    if (id === undefined && isExpected(error)) return noContent(controller)
    if (isInstance(error, JSONRPCError) && id !== undefined)
      return jsonResponse(controller, failure(id, error))
    return respondToError(controller, error)
  }
}

/** A call of a batch. Its answer is JSON text, undefined for a notification. */
export class BatchedCallProtocol implements Protocol<string | undefined> {
  readonly #call: CheckedCall

  constructor(call: CheckedCall) {
    this.#call = call
  }

  run(controller: Controller): unknown {
    return runMethod(this.#call, controller)
  }

  answer(_controller: Controller, result: unknown): string | undefined {
    if (result instanceof HTTPException || result instanceof JSONRPCError) throw result
    return this.#call.id === undefined ? undefined : success(this.#call.id, result)
  }

  answerError(_controller: Controller, error: unknown): string | undefined {
    if (!isExpected(error)) throw error
    const { id } = this.#call
    if (id === undefined) return undefined
    const { httpError } = JSONRPCErrorCode
    return failure(id, isInstance(error, JSONRPCError) ? error : new JSONRPCError(httpError, error.message))
  }
}

function runMethod({ method, args }: CheckedCall, controller: Controller): unknown {
  return method.apply(controller, [...args])
}

function isExpected(error: unknown): error is HTTPException | JSONRPCError {
  return isInstance(error, HTTPException) || isInstance(error, JSONRPCError)
}

/**
 * Returns the JSON text of a result.
 *
 * @throws TypeError - the result has no JSON form.
 */
function success(id: Id, result: unknown): string {
  const text = JSON.stringify(result ?? null)
  if (text === undefined) throw new TypeError(`a ${typeof result} has no JSON form`)
  return `{"jsonrpc":"2.0","result":${text},"id":${JSON.stringify(id)}}`
}

/**
 * Returns the JSON text of an error.
 *
 * @throws TypeError - the error's `data` has no JSON form.
 */
export function failure(id: Id, { code, message, data }: JSONRPCError): string {
  const response: RPCResponse = { jsonrpc: '2.0', error: { code, message, data }, id }
  return JSON.stringify(response)
}

/** Writes JSON text to the controller's own response. */
export function jsonResponse(controller: Controller, text: string): Response {
  const response = ownResponse(controller)
  response.status = 200
  response.body = text
  response.contentType = 'application/json'
  return response
}

/** Makes the controller's own response empty: nothing is answered. */
export function noContent(controller: Controller): Response {
  const response = ownResponse(controller)
  response.status = 204
  response.body = null
  return response
}

function ownResponse(controller: Controller): Response {
  const state = stateOf(controller)
  state.response ??= new Response()
  return state.response
}
