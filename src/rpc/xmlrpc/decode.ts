/**
 * Decodes XML-RPC documents.
 *
 * @module
 */

import { describeValue } from '../../base/describe.ts'
import { decodeText, forbiddenAt, isMethodName } from './characters.ts'
import { Fault, FaultCode, XMLRPCDecodeError } from './errors.ts'
import { parseInteger, trimBlanks } from './scalars.ts'
import type { TypeName } from './signature.ts'
import { DEFAULT_LIMITS, type Limits } from './text-scanner.ts'
import { type ValueOptions, ValueReader } from './value-reader.ts'
import type { Value } from './values.ts'

const BYTE_ORDER_MARK = 0xfeff

/** A decoded call. */
export interface Call {
  readonly methodName: string
  readonly params: Value[]
  /** Type of each parameter as it was sent, to compare with a signature. */
  readonly types: TypeName[]
}

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
  const text = isText ? body.slice(body.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0) : decodeText(body, options.charset)
  // Decoded bytes are always well formed.
  if (isText && !text.isWellFormed()) {
    throw new XMLRPCDecodeError(FaultCode.notWellFormed, 'the document has an unpaired surrogate', {
      offset: forbiddenAt(text),
    })
  }
  return new Reader(text, limits, options)
}

/** Reads one document: a call or a response. */
class Reader extends ValueReader {
  call(): Call {
    const scanner = this.scanner
    this.#begin('methodCall')
    scanner.open('methodName', 'methodCall')
    const start = scanner.pos
    const methodName = trimBlanks(this.content())
    scanner.close('methodName')
    if (!isMethodName(methodName)) scanner.invalid(`${describeValue(methodName)} is not a method name`, start)
    const params: Value[] = []
    const types: TypeName[] = []
    scanner.next()
    if (scanner.isStart('params')) {
      while (this.#nextParam(`params[${params.length}]`)) {
        params.push(this.value())
        types.push(this.type)
        scanner.close('param')
      }
      scanner.close('methodCall')
    } else if (!scanner.isEndOf('methodCall')) {
      scanner.unexpected('<params> or </methodCall>')
    }
    this.#end()
    return { methodName, params, types }
  }

  /** @throws Fault - the response is a fault. */
  response(): Value {
    const scanner = this.scanner
    this.#begin('methodResponse')
    scanner.next()
    const isFault = scanner.isStart('fault')
    if (!isFault && !scanner.isStart('params')) scanner.unexpected('<params> or <fault>', 'methodResponse')
    if (isFault) {
      scanner.open('value', 'fault')
      this.root = 'fault'
    } else if (!this.#nextParam('result')) scanner.invalid('the response has no value')
    const value = this.value()
    const fault = isFault ? this.#toFault(value) : undefined
    scanner.close(isFault ? 'fault' : 'param')
    if (!isFault && this.#nextParam('')) scanner.invalid('the response has more than one value')
    this.root = ''
    scanner.close('methodResponse')
    this.#end()
    if (fault !== undefined) throw fault
    return value
  }

  #begin(tag: string): void {
    this.scanner.open(tag)
    this.scanner.outside = false
  }

  #end(): void {
    const scanner = this.scanner
    scanner.outside = true
    scanner.next()
    if (scanner.tag !== '') scanner.malformed('the document continues after its root element')
  }

  /** Reads up to the value of the next parameter. Returns false at the end of the parameters. */
  #nextParam(root: string): boolean {
    const scanner = this.scanner
    this.root = ''
    scanner.next()
    if (scanner.isEndOf('params')) return false
    if (!scanner.isStart('param')) scanner.unexpected('<param> or </params>')
    this.root = root
    scanner.open('value', 'param')
    return true
  }

  /** Accepts any integer type as the code, because the message of the fault matters more than its form. */
  #toFault(value: Value): Fault {
    return faultFrom(value) ?? this.scanner.invalid('the fault is not a struct of faultCode and faultString')
  }
}

/** Returns the fault that a struct describes, or undefined if the value is not the struct of a fault. */
export function faultFrom(value: Value): Fault | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (!('faultCode' in value && 'faultString' in value)) return undefined
  const { faultCode, faultString } = value
  const code = parseInteger(String(faultCode), 32)
  return code !== undefined && typeof faultString === 'string' ? new Fault(code, faultString) : undefined
}
