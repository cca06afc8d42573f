/** Messages of the Model Context Protocol (basic protocol, "Messages"), which are JSON-RPC 2.0 with a few restrictions. */
import { isRecord } from '../../base/record.ts'
import { invalidRequest } from './mcp-errors.ts'

/** Identifies a request. Unlike in JSON-RPC it is never null, and a number is a safe integer. */
export type RequestId = string | number

/** A request of a client. */
export interface ClientRequest {
  readonly id: RequestId
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/**
 * Reads a message of a client.
 *
 * @returns undefined for a message that is not answered: a notification, such as a cancellation, or a response.
 * @throws JSONRPCError - -32600: the message is malformed.
 */
export function readClientMessage(message: unknown): ClientRequest | undefined {
  if (!isRecord(message)) throw invalidRequest('a message is an object')
  const { jsonrpc, id, method, params = {} } = message
  if (jsonrpc !== '2.0') throw invalidRequest('"jsonrpc" must be "2.0"')
  if (method === undefined && ('result' in message || 'error' in message)) return undefined
  if (typeof method !== 'string') throw invalidRequest('"method" must be a string')
  if (!isRecord(params)) throw invalidRequest('"params" must be an object')
  if (id === undefined) return undefined
  if (!isRequestId(id)) throw invalidRequest('"id" must be a string or a safe integer')
  return { id, method, params }
}

/** Returns the id of a message that may be malformed. Null if it has none. */
export function requestIdOf(message: unknown): RequestId | null {
  return isRecord(message) && isRequestId(message.id) ? message.id : null
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id)
}
