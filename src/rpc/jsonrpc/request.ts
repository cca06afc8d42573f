/** Writes requests of JSON-RPC 2.0. */
import { toJson } from '../controllers/json-values.ts'

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
