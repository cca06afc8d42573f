/** Sends JSON-RPC messages by HTTP. */

import { isDeeperThan } from '../../http/json.ts'
import type { Reply, Transport } from '../transport/transport.ts'
import { InvalidResponse, readResponse } from './response.ts'

/** Settings for reading responses. */
interface Reading {
  /** Maximum nesting. */
  readonly maxDepth: number
  /** Passed to `JSON.parse`. Default: none. */
  readonly reviver?: (key: string, value: unknown, ...context: readonly unknown[]) => unknown
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
  { maxDepth, reviver, prepare }: Reading,
  read: (response: unknown) => T,
): Promise<T> {
  const reply = await transport.post(message)
  try {
    const response = prepare(parse(reply.body, maxDepth, reviver))
    // Many servers send errors with a status of their own.
    if (isSuccess(reply) || isErrorResponse(response)) return read(response)
  } catch (error) {
    if (!(error instanceof InvalidResponse)) throw error
    if (isSuccess(reply)) {
      const problem = `the response is not a JSON-RPC 2.0 response to the call: ${error.message}`
      throw transport.contentError(reply, problem, '', error.cause)
    }
  }
  throw transport.statusError(reply)
}

/** Returns true for a response to a call that did not fail. */
export function isSuccess({ status }: Reply): boolean {
  return status >= 200 && status < 300
}

/** @throws InvalidResponse - the body is not JSON in UTF-8, or is nested too deeply. */
function parse(body: Uint8Array, maxDepth: number, reviver: Reading['reviver']): unknown {
  if (body.length === 0) throw new InvalidResponse('it has no body')
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (cause) {
    throw new InvalidResponse('it is not UTF-8', { cause })
  }
  if (isDeeperThan(maxDepth, text)) throw new InvalidResponse(`it is nested more than ${maxDepth} deep`)
  try {
    return JSON.parse(text, reviver)
  } catch (cause) {
    throw new InvalidResponse('it is not JSON', { cause })
  }
}

/** @throws InvalidResponse - an entry is not a response. */
function isErrorResponse(response: unknown): boolean {
  return !Array.isArray(response) && readResponse(response).outcome.kind === 'error'
}
