/**
 * Sends an XML-RPC call by HTTP and reads the response.
 *
 * @module
 */

import type { Transport } from '../../transport/transport.ts'
import { type DecodeOptions, decodeResponse } from '../decode.ts'
import { Fault } from '../fault.ts'
import type { Value } from '../types.ts'
import { XMLRPCDecodeError } from '../xmlrpc-error.ts'

/**
 * Sends a call and decodes its response.
 *
 * @throws Fault - the response is a fault, whatever its HTTP status.
 * @throws XMLRPCTransportError - there is no response, or its status is not 200.
 * @throws XMLRPCProtocolError - the response is not XML-RPC or too long.
 */
export async function sendCall(transport: Transport, body: string, decoding: DecodeOptions): Promise<Value> {
  const reply = await transport.post(body)
  const { status, headers, body: bytes } = reply
  const type = headers.get('content-type') ?? ''
  const charset = /;[ \t]*charset[ \t]*=[ \t]*("?)([^";, \t]+)\1/i.exec(type)?.[2]
  try {
    const value = decodeResponse(bytes, { maxLength: bytes.length, ...decoding, charset })
    if (status === 200) return value
  } catch (error) {
    // Some servers send faults with another status than 200, which the specification requires.
    if (error instanceof Fault && (status === 200 || /xml/i.test(type))) throw error
    if (!(error instanceof XMLRPCDecodeError || error instanceof Fault)) throw error
    if (status === 200) {
      throw transport.contentError(reply, `the response is not XML-RPC: ${error.message}`, '', error)
    }
  }
  throw transport.statusError(reply)
}
