/** Messages of JSON-RPC 2.0: writes requests, sends them, and reads their responses. */

import { JSONRPCError } from '../../app/mcp/jsonrpc.ts'
import { isRecord } from '../../base/record.ts'
import { isDeeperThan } from '../../http/json.ts'
import { toJson } from '../controllers/json-values.ts'
import type { Reply, Transport } from '../transport/transport.ts'

/** Gives a value without members a type for every member: undefined, which is what reading it returns. */
export interface NoMembers {
  readonly [member: string]: undefined
}

/** A JSON object in a response. */
export interface JSONResultObject {
  [member: string]: JSONResult
}

/**
 * A JSON value whose type the server does not declare. Its members can be read:
 * `articles[0]?.name` compiles, and is undefined if the value has no such member. Its type is checked before it is used
 * as text, number or array: by `typeof` or `Array.isArray`.
 */
export type JSONResult = null | ((boolean | number | string | JSONResult[]) & NoMembers) | JSONResultObject

/** Parameters by name. */
export type NamedParams = Readonly<Record<string, unknown>>

/** A request. Without an id it is a notification. */
export interface RPCRequest {
  readonly jsonrpc: '2.0'
  readonly method: string
  readonly params: readonly unknown[] | NamedParams
  readonly id?: number
}

/** Returns a notification. With an id it is a request. */
export function requestOf(method: string, params: RPCRequest['params']): RPCRequest {
  return { jsonrpc: '2.0', method, params }
}

/**
 * Returns the JSON text of a request or a batch.
 *
 * @throws TypeError - a parameter has no JSON form.
 */
export function messageText(message: RPCRequest | readonly RPCRequest[]): string {
  return toJson(message, { i8: true, type: undefined })
}

/** The outcome of a call: its result, or the error that the server returned. */
type Outcome =
  | { readonly kind: 'result'; readonly value: JSONResult }
  | { readonly kind: 'error'; readonly error: JSONRPCError }

/** A response: the id of its call, and the outcome. */
interface RPCAnswer {
  /** Null if the server could not read the id. */
  readonly id: string | number | null
  readonly outcome: Outcome
}

/** A response is not valid. The message says why. */
class InvalidResponse extends Error {
  override readonly name = 'InvalidResponse'
}

/**
 * Checks one response (JSON-RPC 2.0 §5).
 *
 * @throws InvalidResponse - it is not a response.
 */
function readResponse(response: unknown): RPCAnswer {
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
    if (!expected.has(id)) throw new InvalidResponse(`the batch has no call with the id ${JSON.stringify(id)}`)
    if (outcomes.has(id)) throw new InvalidResponse(`it answers the call ${JSON.stringify(id)} twice`)
    outcomes.set(id, outcome)
  }
  return ids.map((id) => {
    const outcome = outcomes.get(id)
    if (outcome === undefined) throw new InvalidResponse(`it does not answer the call ${id}`)
    return outcome
  })
}

/**
 * Sends a message and returns its response, checked by `read`.
 *
 * @param maxDepth - maximum nesting of the response.
 * @throws JSONRPCError - the server returned an error, whatever its HTTP status, and `read` throws it.
 * @throws JSONRPCTransportError - there is no response, or its status is an error.
 * @throws JSONRPCProtocolError - the response is too long, or `read` refuses it.
 */
export async function exchange<T>(
  transport: Transport,
  message: RPCRequest | readonly RPCRequest[],
  maxDepth: number,
  read: (response: unknown) => T,
): Promise<T> {
  const reply = await transport.post(messageText(message))
  try {
    const response = parse(reply.body, maxDepth)
    // Many servers send errors with a status of their own.
    if (isSuccess(reply) || isErrorResponse(response)) return read(response)
  } catch (error) {
    if (!(error instanceof InvalidResponse)) throw error
    if (isSuccess(reply)) {
      const problem = `the response is not a JSON-RPC 2.0 response to the call: ${error.message}`
      throw transport.contentError(reply, problem, error.cause)
    }
  }
  throw transport.statusError(reply)
}

/** Returns true for a response to a call that did not fail. */
export function isSuccess({ status }: Reply): boolean {
  return status >= 200 && status < 300
}

/** @throws InvalidResponse - the body is not JSON in UTF-8, or is nested too deeply. */
function parse(body: Uint8Array, maxDepth: number): unknown {
  if (body.length === 0) throw new InvalidResponse('it has no body')
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (cause) {
    throw new InvalidResponse('it is not UTF-8', { cause })
  }
  if (isDeeperThan(maxDepth, text)) throw new InvalidResponse(`it is nested more than ${maxDepth} deep`)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new InvalidResponse('it is not JSON', { cause })
  }
}

/** @throws InvalidResponse - an entry is not a response. */
function isErrorResponse(response: unknown): boolean {
  return !Array.isArray(response) && readResponse(response).outcome.kind === 'error'
}
