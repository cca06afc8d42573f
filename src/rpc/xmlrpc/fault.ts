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
