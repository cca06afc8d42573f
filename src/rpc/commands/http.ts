/**
 * HTTP requests of `propylon rpc`.
 *
 * @module
 */

import { isRecord } from '../../base/record.ts'
import { toJson } from '../controllers/json-values.ts'
import { endpointOf } from '../transport/endpoint.ts'
import { type Protocol, type Reply, type Transport, transportTo } from '../transport/transport.ts'
import type { ConnectionOptions } from './connection.ts'
import { ReplyError, StatusError } from './service.ts'

/** Plain JSON, and documents. */
const PLAIN_JSON: Protocol = {
  name: 'a service',
  path: '/',
  type: 'application/json',
  TransportError: StatusError,
  ProtocolError: ReplyError,
}

/**
 * Sends a JSON value by POST. Returns the status of the response and its value, which is null if it has none.
 *
 * @throws ServiceError - there is no response within the time limit, or it is not JSON.
 */
export async function post(
  url: string,
  value: unknown,
  options: ConnectionOptions,
): Promise<{ readonly status: number; readonly value: unknown }> {
  const transport = transportTo(url, options, PLAIN_JSON)
  const reply = await transport.post(toJson(value, { i8: true, type: undefined }))
  const { status } = reply
  return { status, value: status === 204 ? null : parse(transport, reply) }
}

/**
 * Fetches a JSON document, such as one of OpenAPI.
 *
 * @throws ServiceError - there is no response within the time limit, its status is not 200, or it is not JSON.
 */
export async function fetchDocument(url: string, options: ConnectionOptions): Promise<unknown> {
  const transport = transportTo(url, options, PLAIN_JSON)
  return parse(transport, await get(transport))
}

/**
 * Fetches a document.
 *
 * @throws ServiceError - there is no response within the time limit, or its status is not 200.
 */
export function fetchReply(url: string, options: ConnectionOptions): Promise<Reply> {
  return get(transportTo(url, options, PLAIN_JSON))
}

async function get(transport: Transport): Promise<Reply> {
  const reply = await transport.get()
  if (reply.status !== 200) throw transport.statusError(reply)
  return reply
}

function parse(transport: Transport, reply: Reply): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(reply.body), exactInteger)
  } catch (error) {
    if (reply.status !== 200) throw transport.statusError(reply)
    throw transport.contentError(reply, 'the response is not JSON', '', error)
  }
}

/** Returns a URL without user name and password, for messages. */
export function withoutUser(url: string): string {
  return endpointOf(url, PLAIN_JSON).url
}

/** Keeps integers that a number cannot represent as bigints, where the runtime passes the source text. */
export function exactInteger(_key: string, value: unknown, ...context: readonly unknown[]): unknown {
  if (!Number.isInteger(value) || Number.isSafeInteger(value) || !isRecord(context[0])) return value
  const { source } = context[0]
  return typeof source === 'string' && /^-?\d+$/.test(source) ? BigInt(source) : value
}
