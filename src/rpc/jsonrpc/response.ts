/** Reads responses of JSON-RPC 2.0 servers. */

import { JSONRPCError } from '../../app/mcp/jsonrpc.ts'
import { isRecord } from '../../base/record.ts'
import type { JSONResult, JSONResultObject } from '../service-types/json-result.ts'

/** The outcome of a call: its result, or the error that the server returned. */
export type Outcome =
  | { readonly kind: 'result'; readonly value: JSONResult }
  | { readonly kind: 'error'; readonly error: JSONRPCError }

/** A response: the id of its call, and the outcome. */
export interface RPCAnswer {
  /** Null if the server could not read the id. */
  readonly id: string | number | null
  readonly outcome: Outcome
}

/** A response is not valid. The message says why. */
export class InvalidResponse extends Error {
  override readonly name = 'InvalidResponse'
}

/**
 * Checks one response (JSON-RPC 2.0 §5).
 *
 * @throws InvalidResponse - it is not a response.
 */
export function readResponse(response: unknown): RPCAnswer {
  if (!isObject(response)) throw new InvalidResponse('a response is an object')
  const { jsonrpc, id, result, error } = response
  if (jsonrpc !== '2.0') throw new InvalidResponse('"jsonrpc" must be "2.0"')
  if (typeof id !== 'string' && typeof id !== 'number' && id !== null) {
    throw new InvalidResponse('"id" must be a string, a number or null')
  }
  if ((result === undefined) === (error === undefined)) {
    throw new InvalidResponse('a response has either "result" or "error"')
  }
  if (result !== undefined) return { id, outcome: { kind: 'result', value: result } }
  return { id, outcome: { kind: 'error', error: readError(error) } }
}

/** @throws InvalidResponse - it is not an error object (JSON-RPC 2.0 §5.1). */
function readError(error: JSONResult | undefined): JSONRPCError {
  if (!isObject(error)) throw new InvalidResponse('"error" must be an object')
  const { code, message, data } = error
  if (!Number.isSafeInteger(code) || typeof code !== 'number') {
    throw new InvalidResponse('"error.code" must be an integer')
  }
  if (typeof message !== 'string') throw new InvalidResponse('"error.message" must be a string')
  return new JSONRPCError(code, message, data)
}

function isObject(value: unknown): value is JSONResultObject {
  return isRecord(value)
}

/**
 * Returns the outcome of the call `id`.
 *
 * @throws InvalidResponse - the response is invalid or belongs to another call.
 */
export function outcomeOf(response: unknown, id: number): Outcome {
  if (Array.isArray(response)) throw new InvalidResponse('the response to one call is an array')
  const answer = readResponse(response)
  if (answer.id === id) return answer.outcome
  if (answer.id === null && answer.outcome.kind === 'error') return answer.outcome
  throw new InvalidResponse(`its id is ${JSON.stringify(answer.id)}, not ${id}`)
}

/**
 * Returns the outcomes of a batch in the order of its calls. A server answers in any order.
 *
 * @throws JSONRPCError - the server refuses the batch as a whole.
 * @throws InvalidResponse - responses are invalid, missing, repeated or belong to other calls.
 */
export function outcomesOf(response: unknown, ids: readonly number[]): readonly Outcome[] {
  if (!Array.isArray(response)) {
    const { outcome } = readResponse(response)
    if (outcome.kind === 'error') throw outcome.error
    throw new InvalidResponse('the response to a batch is not an array')
  }
  const expected = new Set<string | number | null>(ids)
  const outcomes = new Map<string | number | null, Outcome>()
  for (const entry of response) {
    const { id, outcome } = readResponse(entry)
    if (!expected.has(id))
      throw new InvalidResponse(`the batch has no call with the id ${JSON.stringify(id)}`)
    if (outcomes.has(id)) throw new InvalidResponse(`it answers the call ${JSON.stringify(id)} twice`)
    outcomes.set(id, outcome)
  }
  return ids.map((id) => {
    const outcome = outcomes.get(id)
    if (outcome === undefined) throw new InvalidResponse(`it does not answer the call ${id}`)
    return outcome
  })
}
