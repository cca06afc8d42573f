/** Reads responses of servers that implement JSON-RPC 1.0 or 1.1, such as NZBGet and bitcoind, or 2.0 with mistakes. */

import { JSONRPCErrorCode } from '../../app/mcp/jsonrpc.ts'
import { isRecord } from '../../base/record.ts'

/**
 * Returns a response, or the responses to a batch, as JSON-RPC 2.0 has them. JSON-RPC 1.0 and 1.1 have `result` and `error`
 * in every response, one of them null, and other values of `jsonrpc` or none. Anything else is returned as it is.
 *
 * @param id - the id of a response without one: the id of the call, or null for a batch.
 */
export function toVersion2(response: unknown, id: number | null): unknown {
  if (Array.isArray(response)) return response.map((entry: unknown) => toVersion2(entry, null))
  if (!isRecord(response)) return response
  const { result, error, id: ownId = id } = response
  const answered = { jsonrpc: '2.0', id: ownId }
  if (error !== undefined && error !== null) return { ...answered, error: errorToVersion2(error) }
  return result === undefined ? response : { ...answered, result }
}

function errorToVersion2(error: unknown): object {
  if (!isRecord(error)) return { code: JSONRPCErrorCode.internalError, message: textOf(error) }
  const { code, message = error } = error
  const number = typeof code === 'string' && /^-?\d+$/.test(code) ? Number(code) : code
  return {
    ...error,
    code: Number.isSafeInteger(number) ? number : JSONRPCErrorCode.internalError,
    message: textOf(message),
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'bigint') return String(value)
  // A reviver may have made bigints, which JSON.stringify() refuses.
  return JSON.stringify(value, (_name, each: unknown) => (typeof each === 'bigint' ? String(each) : each))
}
