/** Messages of JSON-RPC 2.0. */

import { isRecord } from '../../base/record.ts'
import { parseJson } from '../json.ts'
import { JSONRPCError, JSONRPCErrorCode } from './error.ts'

/** Identifies a request. Its answer has the same id, so a number is within the safe integers, which keep their digits. */
export type Id = string | number | null

/** A request. */
export interface RPCRequest {
  readonly method: string
  readonly params: readonly unknown[] | Readonly<Record<string, unknown>>
  /** Undefined for a notification, which is never answered (§4.1). */
  readonly id: Id | undefined
}

/**
 * Parses the body of a request.
 *
 * @throws JSONRPCError - code -32700: the body is not JSON in UTF-8, is nested too deeply, or has a key `__proto__`.
 */
export function parseMessage(body: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (cause) {
    throw new JSONRPCError(JSONRPCErrorCode.parseError, 'Parse error', undefined, { cause })
  }
}

/**
 * Checks one request (JSON-RPC 2.0 §4).
 *
 * @throws JSONRPCError - code -32600: the message is not a request.
 */
export function readRequest(message: unknown): RPCRequest {
  if (!isRecord(message)) throw invalid('a request is an object')
  const { jsonrpc, method, params = [], id } = message
  if (jsonrpc !== '2.0') throw invalid('"jsonrpc" must be "2.0"')
  if (typeof method !== 'string') throw invalid('"method" must be a string')
  if (!isId(id) && id !== undefined)
    throw invalid('"id" must be a string, a number within the safe integers, or null')
  if (!Array.isArray(params) && !isRecord(params)) throw invalid('"params" must be an array or an object')
  return { method, params, id }
}

/** Returns the id of a message that may be invalid. Null if it has none (JSON-RPC 2.0 §5). */
export function idOf(message: unknown): Id {
  return isRecord(message) && isId(message.id) ? message.id : null
}

function invalid(what: string): JSONRPCError {
  return new JSONRPCError(JSONRPCErrorCode.invalidRequest, `Invalid Request: ${what}`)
}

function isId(value: unknown): value is Id {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER
  return typeof value === 'string' || value === null
}
