/** Sends JSON-RPC messages by HTTP. */

import { describeValue } from '../../base/describe.ts'
import { isDeeperThan } from '../../http/json.ts'
import { ConnectionError, ResponseLengthError } from '../transport/connection-error.ts'
import { redirectText } from '../transport/redirects.ts'
import type { Reply, Transport } from '../transport/transport.ts'
import { JSONRPCProtocolError, JSONRPCTransportError } from './client-errors.ts'
import { InvalidResponse, readResponse } from './response.ts'

/** Number of bytes of a response body that an error has. */
const EXCERPT = 500

/** Settings for reading responses. */
interface Reading {
  /** Maximum nesting. */
  readonly maxDepth: number
  /** Converts a response of another version. */
  prepare(response: unknown): unknown
}

/**
 * Sends a message and returns its response, checked by `read`.
 *
 * @throws JSONRPCError - the server returned an error, whatever its HTTP status, and `read` throws it; or the HTTP status
 *   is an error and its body a JSON-RPC error.
 * @throws JSONRPCTransportError - there is no response, or its status is an error.
 * @throws JSONRPCProtocolError - the response is too long, or `read` refuses it.
 */
export async function exchange<T>(
  transport: Transport,
  message: string,
  { maxDepth, prepare }: Reading,
  read: (response: unknown) => T,
): Promise<T> {
  const reply = await post(transport, message)
  const { status } = reply
  const body = new TextDecoder().decode(reply.body.subarray(0, EXCERPT))
  try {
    const response = prepare(parse(reply.body, maxDepth))
    // Many servers send errors with a status of their own.
    if (isSuccess(status) || isErrorResponse(response)) return read(response)
  } catch (error) {
    if (!(error instanceof InvalidResponse)) throw error
    if (isSuccess(status)) {
      const text = `${transport.url}: the response is not a JSON-RPC 2.0 response to the call: ${error.message}. It begins with ${describeValue(body, 40)}`
      throw new JSONRPCProtocolError(text, body, { cause: error.cause })
    }
  }
  throw statusError(transport, reply, body)
}

/**
 * Sends a notification. Its response is not read, because servers send none.
 *
 * @throws JSONRPCTransportError - there is no response, or its status is an error.
 */
export async function send(transport: Transport, message: string): Promise<void> {
  const reply = await post(transport, message)
  if (isSuccess(reply.status)) return
  throw statusError(transport, reply, new TextDecoder().decode(reply.body.subarray(0, EXCERPT)))
}

async function post(transport: Transport, message: string): Promise<Reply> {
  try {
    return await transport.post(new TextEncoder().encode(message), 'application/json')
  } catch (error) {
    if (error instanceof ResponseLengthError) throw new JSONRPCProtocolError(error.message)
    if (error instanceof ConnectionError) {
      throw new JSONRPCTransportError(error.message, {}, { cause: error.cause })
    }
    throw error
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

function statusError({ url }: Transport, { status, headers }: Reply, body: string): JSONRPCTransportError {
  const message = `${url}: the HTTP status is ${status}${redirectText(status, headers)}`
  return new JSONRPCTransportError(message, { status, body })
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
