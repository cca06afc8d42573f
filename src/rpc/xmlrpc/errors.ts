import { describeValue } from '../../base/describe.ts'

/**
 * Fault codes of the "Specification for Fault Code Interoperability" (Dan Libby, 2001-05-16). It reserves -32768 to
 * -32000. Applications use other codes, except 0, which several clients read as "no fault".
 */
export const FaultCode = {
  /** The document is not well-formed XML. */
  notWellFormed: -32700,
  /** The encoding of the document is unknown. */
  unsupportedEncoding: -32701,
  /** The bytes of the document are not valid in its encoding. */
  invalidCharacter: -32702,
  /** The document is well formed but not XML-RPC, or exceeds a limit. */
  invalidRequest: -32600,
  /** The method does not exist. */
  methodNotFound: -32601,
  /** The number or the types of the parameters do not match the method. */
  invalidParams: -32602,
  /** The server failed. */
  internalError: -32603,
  /** The application failed. */
  applicationError: -32500,
  /** The system failed. */
  systemError: -32400,
  /** The transport failed. */
  transportError: -32300,
} as const

/** One of the interoperability fault codes. */
export type FaultCode = (typeof FaultCode)[keyof typeof FaultCode]

/**
 * An XML-RPC fault: the response of a method that fails. A controller's method throws or returns it; `decodeResponse`
 * and the client throw it.
 *
 * @throws TypeError - the code is not a 32-bit integer, or the text is not a string.
 * @example
 * ```ts
 * import { XMLRPCController } from 'propylon'
 * import { Fault } from 'propylon/xmlrpc'
 *
 * export class StockController extends XMLRPCController {
 *   order(article: string): string {
 *     throw new Fault(26, `No more ${article}.`)
 *   }
 * }
 * ```
 */
export class Fault extends Error {
  readonly faultCode: number
  readonly faultString: string

  constructor(faultCode: number, faultString: string, options?: ErrorOptions) {
    if (!Number.isInteger(faultCode) || faultCode !== (faultCode | 0)) {
      throw new TypeError(`The fault code is ${describeValue(faultCode)}. Use a 32-bit integer.`)
    }
    if (typeof faultString !== 'string') {
      throw new TypeError(`The text of the fault is ${describeValue(faultString)}. Use a string.`)
    }
    super(faultString, options)
    this.name = 'Fault'
    this.faultCode = faultCode
    this.faultString = faultString
  }

  override toString(): string {
    return `Fault ${this.faultCode}: ${this.faultString}`
  }
}

/**
 * Base class of the errors of this library. A `Fault` is not one of them: it is a valid response.
 *
 * @example
 * ```ts
 * import { XMLRPCClient, XMLRPCError } from 'propylon/xmlrpc'
 *
 * try {
 *   await new XMLRPCClient('http://127.0.0.1:5000/demo').call('test.greet', 'Joe')
 * } catch (error) {
 *   if (error instanceof XMLRPCError) console.error(error.name, error.message)
 *   else throw error
 * }
 * ```
 */
export class XMLRPCError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
  }
}

/**
 * A document could not be decoded. The message has the path and the offset:
 * `params[0].age: "12abc" is not an int (at character 123)`.
 *
 * @example
 * ```ts
 * import { decodeCall, encodeResponse, XMLRPCDecodeError } from 'propylon/xmlrpc'
 *
 * try {
 *   decodeCall('<methodCall>')
 * } catch (error) {
 *   if (error instanceof XMLRPCDecodeError) console.log(encodeResponse(error.toFault()))
 * }
 * ```
 */
export class XMLRPCDecodeError extends XMLRPCError {
  /** Fault code to respond with. */
  readonly faultCode: FaultCode
  /** Path of the value: `params[0].items[3].name`. Empty if the error is not in a value. */
  readonly path: string
  /**
   * Offset in the document, from 0, in UTF-16 code units of the decoded text. 0 if the document could not be decoded to
   * text.
   */
  readonly offset: number

  /** @param detail - cause of the error; the path and the offset are added to it. */
  constructor(faultCode: FaultCode, detail: string, place: { path?: string; offset?: number } = {}) {
    const { path = '', offset } = place
    super(`${path === '' ? '' : `${path}: `}${detail}${offset === undefined ? '' : ` (at character ${offset})`}`)
    this.faultCode = faultCode
    this.path = path
    this.offset = offset ?? 0
  }

  /** Returns the fault that reports this error to the client. */
  toFault(): Fault {
    return new Fault(this.faultCode, this.message, { cause: this })
  }
}

/**
 * A value has no XML-RPC form. The message has the path: `result.items[3].name: null is sent only with …`.
 *
 * @example
 * ```ts
 * import { encodeResponse, XMLRPCEncodeError } from 'propylon/xmlrpc'
 *
 * try {
 *   encodeResponse({ items: [Number.NaN] })
 * } catch (error) {
 *   if (error instanceof XMLRPCEncodeError) console.log(error.path) // 'result.items[0]'
 * }
 * ```
 */
export class XMLRPCEncodeError extends XMLRPCError {
  /** Path of the value: `result.items[3].name`. */
  readonly path: string

  constructor(path: string, detail: string, options?: ErrorOptions) {
    super(`${path}: ${detail}`, options)
    this.path = path
  }
}

/** A text has a character that XML forbids. It comes from data, so the fault of a service may say so. */
export class ForbiddenCharacterError extends XMLRPCEncodeError {
  override readonly name = 'XMLRPCEncodeError'
}

/** Formats one step of a path into a value: `[3]`, `.name`, `["odd name"]`. */
export function pathStep(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`
  return /^[A-Za-z_$][\w$]{0,99}$/.test(key) ? `.${key}` : `[${describeValue(key, 40)}]`
}

/**
 * A call got no usable HTTP response: the connection failed, the time limit was exceeded, or the status was not 200.
 * The message never has the user name and password of the URL.
 *
 * @example
 * ```ts
 * import { XMLRPCClient, XMLRPCTransportError } from 'propylon/xmlrpc'
 *
 * try {
 *   await new XMLRPCClient('http://127.0.0.1:5000/demo').call('test.greet', 'Joe')
 * } catch (error) {
 *   if (error instanceof XMLRPCTransportError) console.error(error.status ?? 'no response')
 * }
 * ```
 */
export class XMLRPCTransportError extends XMLRPCError {
  /** HTTP status, or undefined if there was no response. */
  readonly status: number | undefined
  /** First 500 bytes of the response body, or undefined if there was no response. */
  readonly body: string | undefined

  constructor(message: string, response: { status?: number; body?: string } = {}, options?: ErrorOptions) {
    super(message, options)
    this.status = response.status
    this.body = response.body
  }
}

/**
 * A response is not XML-RPC, is too long, or does not fit the call. `cause` is the decoding error, if there is one.
 *
 * @example
 * ```ts
 * import { XMLRPCClient, XMLRPCProtocolError } from 'propylon/xmlrpc'
 *
 * try {
 *   await new XMLRPCClient('http://127.0.0.1:5000/index.html').listMethods()
 * } catch (error) {
 *   if (error instanceof XMLRPCProtocolError) console.error(error.body)
 * }
 * ```
 */
export class XMLRPCProtocolError extends XMLRPCError {
  /** First 500 bytes of the response body. */
  readonly body: string | undefined

  constructor(message: string, body?: string, options?: ErrorOptions) {
    super(message, options)
    this.body = body
  }
}
