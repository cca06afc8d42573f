/**
 * HTTP requests of `propylon rpc`.
 *
 * @module
 */

import { isRecord } from '../../base/record.ts'
import { causeText } from '../transport/causes.ts'
import { ConnectionError } from '../transport/connection-error.ts'
import { endpointOf } from '../transport/endpoint.ts'
import { redirectText } from '../transport/redirects.ts'
import { readBody } from '../transport/response-stream.ts'
import { type Reply, transportTo } from '../transport/transport.ts'
import type { ConnectionOptions } from './connection.ts'
import { ReplyError, StatusError } from './service.ts'

/** Name of a server in messages, and the path of a socket's URL that has none. */
const SERVER = { name: 'a service', path: '/' }
const DEFAULT_TIMEOUT = 60_000
const MAX_DOCUMENT = 32 * 1024 * 1024

/** Sends a JSON value by POST and returns the response, whatever its status. */
export function post(url: string, value: unknown, options: ConnectionOptions): Promise<Reply> {
  const transport = transportTo(url, options, SERVER)
  return transport.post(new TextEncoder().encode(JSON.stringify(value)), 'application/json')
}

/**
 * Fetches a JSON document, such as one of OpenAPI.
 *
 * @throws ConnectionError - there is no response within the time limit.
 * @throws ServiceError - the status is not 200, or the response is not JSON.
 */
export async function fetchDocument(address: string, options: ConnectionOptions): Promise<unknown> {
  return parseReply(address, await fetchReply(address, options))
}

/**
 * Fetches a document. Redirects are not followed, because they could send the headers elsewhere.
 *
 * @throws ConnectionError - there is no response within the time limit.
 * @throws ServiceError - the status is not 200.
 */
export async function fetchReply(address: string, options: ConnectionOptions): Promise<Reply> {
  const { headers, timeout = DEFAULT_TIMEOUT } = options
  const { url, target, authorization } = endpointOf(address, SERVER)
  let reply: Reply
  try {
    const response = await fetch(target, {
      headers: { accept: 'application/json', ...(authorization && { authorization }), ...headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout),
    })
    const body = await readBody(response.body, MAX_DOCUMENT)
    reply = { status: response.status, headers: response.headers, body }
  } catch (error) {
    throw new ConnectionError(`${url}: the connection failed: ${causeText(error)}`, { cause: error })
  }
  if (reply.status !== 200) throw statusError(address, reply)
  return reply
}

/** Returns a URL without user name and password, for messages. */
export function withoutUser(url: string): string {
  return endpointOf(url, SERVER).url
}

/** Returns the error for a response with another status than expected. */
export function statusError(url: string, { status, headers }: Reply): StatusError {
  const text = `${withoutUser(url)}: the HTTP status is ${status}${redirectText(status, headers)}`
  return new StatusError(text, status)
}

/** @throws ReplyError - the body is not JSON. A StatusError if the status is not 200 either. */
export function parseReply(url: string, reply: Reply): unknown {
  const { status, body } = reply
  const text = new TextDecoder().decode(body)
  try {
    return JSON.parse(text, exactInteger)
  } catch {
    if (status !== 200) throw statusError(url, reply)
    const beginning = JSON.stringify(text.slice(0, 40))
    throw new ReplyError(`${withoutUser(url)}: the response is not JSON. It begins with ${beginning}`)
  }
}

/** Keeps integers that a number cannot represent as bigints, where the runtime passes the source text. */
function exactInteger(_key: string, value: unknown, ...context: readonly unknown[]): unknown {
  if (!Number.isInteger(value) || Number.isSafeInteger(value) || !isRecord(context[0])) return value
  const { source } = context[0]
  return typeof source === 'string' && /^-?\d+$/.test(source) ? BigInt(source) : value
}
