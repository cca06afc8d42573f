/**
 * Decodes XML-RPC documents.
 *
 * @module
 */

import { forbiddenAt } from './characters.ts'
import { decodeText } from './charset.ts'
import { FaultCode } from './fault.ts'
import { DEFAULT_LIMITS, type Limits } from './limits.ts'
import { type Call, Reader } from './reader.ts'
import type { Value } from './types.ts'
import type { ValueOptions } from './value-reader.ts'
import { XMLRPCDecodeError } from './xmlrpc-error.ts'

const BYTE_ORDER_MARK = 0xfeff

export type { Call } from './reader.ts'

/** Options for decoding a document, and its limits. */
export interface DecodeOptions extends ValueOptions, Partial<Limits> {
  /** `charset` parameter of the document's `Content-Type`. Ignored if the document is a string. */
  readonly charset?: string | undefined
}

/**
 * Decodes a `<methodCall>` (XML-RPC specification, "Request format").
 *
 * `<int>` becomes a number, `<i8>` a bigint, `<dateTime.iso8601>` a `DateTime`, `<base64>` a `Binary` and `<nil/>`
 * null. Structs have no prototype; if a member occurs twice, the last one counts. The encoding is taken from the byte
 * order mark, `charset`, the XML declaration, or is UTF-8, in this order (RFC 7303 §3).
 *
 * @throws XMLRPCDecodeError - the document is not well formed, is not XML-RPC or exceeds a limit.
 * @example
 * ```ts
 * import { decodeCall, encodeCall } from 'propylon/xmlrpc'
 *
 * const { methodName, params, types } = decodeCall(encodeCall('test.battingOrder', [4]))
 * console.log(methodName, params, types) // 'test.battingOrder', [4], ['int']
 * ```
 */
export function decodeCall(body: Uint8Array | string, options: DecodeOptions = {}): Call {
  return readerOf(body, options).call()
}

/**
 * Decodes a `<methodResponse>` (XML-RPC specification, "Response format") and returns its value. Values are decoded as
 * `decodeCall` describes.
 *
 * @throws Fault - the response is a fault.
 * @throws XMLRPCDecodeError - the document is not well formed, is not XML-RPC or exceeds a limit.
 * @example
 * ```ts
 * import { decodeResponse, encodeResponse } from 'propylon/xmlrpc'
 *
 * console.log(decodeResponse(encodeResponse('Virginia'))) // 'Virginia'
 * ```
 */
export function decodeResponse(body: Uint8Array | string, options: DecodeOptions = {}): Value {
  return readerOf(body, options).response()
}

function readerOf(body: Uint8Array | string, options: DecodeOptions): Reader {
  const limits: Limits = {
    maxLength: options.maxLength ?? DEFAULT_LIMITS.maxLength,
    maxDepth: options.maxDepth ?? DEFAULT_LIMITS.maxDepth,
    maxElements: options.maxElements ?? DEFAULT_LIMITS.maxElements,
    maxTextLength: options.maxTextLength ?? DEFAULT_LIMITS.maxTextLength,
  }
  const isText = typeof body === 'string'
  if (body.length > limits.maxLength) {
    const unit = isText ? 'characters' : 'bytes'
    throw new XMLRPCDecodeError(
      FaultCode.invalidRequest,
      `the document has ${body.length} ${unit}; the limit is ${limits.maxLength}`,
    )
  }
  const text = isText
    ? body.slice(body.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0)
    : decodeText(body, options.charset)
  // Decoded bytes are always well formed.
  if (isText && !text.isWellFormed()) {
    throw new XMLRPCDecodeError(FaultCode.notWellFormed, 'the document has an unpaired surrogate', {
      offset: forbiddenAt(text),
    })
  }
  return new Reader(text, limits, options)
}
