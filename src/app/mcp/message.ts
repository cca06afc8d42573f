/** Messages of the Model Context Protocol (basic protocol, "Messages"), which are JSON-RPC 2.0 with a few restrictions. */
import { isRecord } from '../../base/record.ts'

/** Identifies a request. Unlike in JSON-RPC it is never null, and a number is a safe integer. */
export type RequestId = string | number

/** A message of a client. */
export type ClientMessage =
  | {
      readonly kind: 'request'
      readonly id: RequestId
      readonly method: string
      readonly params: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'notification' }
  /** A response to a request of the server, which this server never sends. */
  | { readonly kind: 'response' }
  | { readonly kind: 'invalid'; readonly id: RequestId | null; readonly problem: string }

/** Classifies a message. */
export function readClientMessage(message: unknown): ClientMessage {
  if (!isRecord(message)) return { kind: 'invalid', id: null, problem: 'a message is an object' }
  const { jsonrpc, id, method, params = {} } = message
  const known = isRequestId(id) ? id : null
  const invalid = (problem: string): ClientMessage => ({ kind: 'invalid', id: known, problem })
  if (jsonrpc !== '2.0') return invalid('"jsonrpc" must be "2.0"')
  if (method === undefined && ('result' in message || 'error' in message)) return { kind: 'response' }
  if (typeof method !== 'string') return invalid('"method" must be a string')
  if (!isRecord(params)) return invalid('"params" must be an object')
  if (id === undefined) return { kind: 'notification' }
  if (!isRequestId(id)) return invalid('"id" must be a string or a safe integer')
  return { kind: 'request', id, method, params }
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id)
}
