import { isRecord } from '../../base/record.ts'
import { readServiceDocument } from '../service-types/read-document.ts'
import type { ServiceDocument } from '../service-types/service-document.ts'
import type { ConnectionOptions } from './connection.ts'
import { parseReply, post, statusError, withoutUser } from './http.ts'
import { ReplyError, ServiceError } from './service.ts'

/** The service answered a call with a JSON-RPC error. */
export class RemoteError extends ServiceError {}

/**
 * Calls a method by JSON-RPC 2.0. Accepts answers of servers that implement an earlier version, such as NZBGet and
 * bitcoind: without `jsonrpc`, with both `result` and `error`, and with the HTTP status of an error.
 *
 * @param params - parameters by position or by name.
 * @throws RemoteError - the answer is an error.
 * @throws ReplyError - the answer is not JSON-RPC.
 */
export async function callJSONRPC(
  url: string,
  options: ConnectionOptions,
  method: string,
  params: readonly unknown[] | Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const reply = await post(url, { jsonrpc: '2.0', id: 1, method, params }, options)
  const answer = reply.status === 204 ? undefined : parseReply(url, reply)
  if (isRecord(answer)) {
    const error: unknown = Object.hasOwn(answer, 'error') ? answer.error : null
    if (error !== null && error !== undefined) throw new RemoteError(errorText(error))
    if (Object.hasOwn(answer, 'result')) return answer.result
  }
  if (reply.status !== 200) throw statusError(url, reply)
  throw new ReplyError(`${withoutUser(url)}: the response is JSON, but not JSON-RPC`)
}

/** Returns the OpenRPC document of a service (`rpc.discover`), or null if it has none. */
export async function discover(url: string, options: ConnectionOptions): Promise<ServiceDocument | null> {
  try {
    return readServiceDocument(await callJSONRPC(url, options, 'rpc.discover', []))
  } catch (error) {
    // Servers have various codes for a method that they do not know, and some return something else.
    if (error instanceof RemoteError || error instanceof TypeError) return null
    throw error
  }
}

function errorText(error: unknown): string {
  if (!isRecord(error)) return `error: ${JSON.stringify(error)}`
  const { code, message, data } = error
  const more = data === undefined || data === null ? '' : ` (${JSON.stringify(data)})`
  return `error ${String(code)}: ${typeof message === 'string' ? message : JSON.stringify(message)}${more}`
}
