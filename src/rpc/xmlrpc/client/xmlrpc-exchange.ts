/**
 * Sends an XML-RPC call by HTTP and reads the response.
 *
 * @module
 */

import { describeValue } from '../../../base/describe.ts'
import { ConnectionError, ResponseLengthError } from '../../transport/connection-error.ts'
import { redirectText } from '../../transport/redirects.ts'
import type { Reply, Transport } from '../../transport/transport.ts'
import { type DecodeResponseOptions, decodeResponse } from '../decode.ts'
import { Fault } from '../fault.ts'
import type { Value } from '../types.ts'
import { XMLRPCDecodeError, XMLRPCProtocolError, XMLRPCTransportError } from '../xmlrpc-error.ts'

/** Number of bytes of a response body that an error has. */
const EXCERPT = 500

/**
 * Sends a call and decodes its response.
 *
 * @throws Fault - the response is a fault, whatever its HTTP status.
 * @throws XMLRPCTransportError - there is no response, or its status is not 200.
 * @throws XMLRPCProtocolError - the response is not XML-RPC or too long.
 */
export async function sendCall(
  transport: Transport,
  body: string,
  decoding: DecodeResponseOptions,
): Promise<Value> {
  let reply: Reply
  try {
    reply = await transport.post(new TextEncoder().encode(body), 'text/xml')
  } catch (error) {
    if (error instanceof ResponseLengthError) throw new XMLRPCProtocolError(error.message)
    if (error instanceof ConnectionError)
      throw new XMLRPCTransportError(error.message, {}, { cause: error.cause })
    throw error
  }
  return decodeReply(transport.url, reply, decoding)
}

function decodeReply(url: string, reply: Reply, decoding: DecodeResponseOptions): Value {
  const { status, headers, body: bytes } = reply
  const type = headers.get('content-type') ?? ''
  const charset = /;[ \t]*charset[ \t]*=[ \t]*("?)([^";, \t]+)\1/i.exec(type)?.[2]
  const options = { maxLength: bytes.length, ...decoding, charset }
  const body = new TextDecoder().decode(bytes.subarray(0, EXCERPT))
  try {
    const value = decodeResponse(bytes, options)
    if (status === 200) return value
  } catch (error) {
    // Some servers send faults with another status than 200, which the specification requires.
    if (error instanceof Fault && (status === 200 || decoding.lenient === true || /xml/i.test(type)))
      throw error
    if (!(error instanceof XMLRPCDecodeError || error instanceof Fault)) throw error
    if (status === 200) {
      const message = `${url}: the response is not XML-RPC: ${error.message}. It begins with ${describeValue(body, 40)}${hintFor(bytes, options)}`
      throw new XMLRPCProtocolError(message, body, { cause: error })
    }
  }
  const message = `${url}: the HTTP status is ${status}${redirectText(status, headers)}`
  throw new XMLRPCTransportError(message, { status, body })
}

/** Returns the hint for a response that only a lenient client reads; '' for others. */
function hintFor(bytes: Uint8Array, options: DecodeResponseOptions): string {
  if (options.lenient === true) return ''
  try {
    decodeResponse(bytes, { ...options, lenient: true })
  } catch (error) {
    if (error instanceof XMLRPCDecodeError) return ''
    if (!(error instanceof Fault)) throw error
  }
  return '. Use the option lenient: true to read it.'
}
