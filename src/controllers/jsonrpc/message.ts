/** The messages of JSON-RPC 2.0. */
import { parseJson } from '../../http/json.ts'
import { JSONRPCError, JSONRPCErrorCode } from './error.ts'

/** What tells a request from others; the answer has the same. */
export type Id = string | number | null

/** A request, or a notification when it has no id. */
export interface RPCRequest {
  readonly method: string
  readonly params: readonly unknown[] | Readonly<Record<string, unknown>>
  readonly id: Id | undefined
}

/** An answer, as it is made into JSON. */
export type RPCResponse =
  | { readonly jsonrpc: '2.0'; readonly result: unknown; readonly id: Id }
  | { readonly jsonrpc: '2.0'; readonly error: object; readonly id: Id }

/**
 * Reads the body of a request.
 *
 * @throws JSONRPCError -32700 when it is no JSON in UTF-8, nested too deep, or has a key `__proto__`.
 */
export function parseMessage(body: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (cause) {
    throw new JSONRPCError(JSONRPCErrorCode.parseError, 'Parse error', undefined, { cause })
  }
}

/**
 * Reads one request (JSON-RPC 2.0 §4).
 *
 * @throws JSONRPCError -32600 when it is none.
 */
export function readRequest(message: unknown): RPCRequest {
  if (!isRecord(message)) throw invalid('a request is an object')
  const { jsonrpc, method, params = [], id } = message
  if (jsonrpc !== '2.0') throw invalid('"jsonrpc" must be "2.0"')
  if (typeof method !== 'string') throw invalid('"method" must be a string')
  if (!isId(id) && id !== undefined) throw invalid('"id" must be a string, a number or null')
  if (!Array.isArray(params) && !isRecord(params)) throw invalid('"params" must be an array or an object')
  return { method, params, id }
}

/** Returns true for a request without an id, which is never answered (JSON-RPC 2.0 §4.1). */
export function isNotification(request: RPCRequest | undefined): boolean {
  return request !== undefined && request.id === undefined
}

/** The id of what may be no proper request: null where it has none (JSON-RPC 2.0 §5). */
export function idOf(message: unknown): Id {
  return isRecord(message) && isId(message.id) ? message.id : null
}

function invalid(what: string): JSONRPCError {
  return new JSONRPCError(JSONRPCErrorCode.invalidRequest, `Invalid Request: ${what}`)
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || typeof value === 'number' || value === null
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
