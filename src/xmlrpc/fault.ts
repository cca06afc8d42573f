/**
 * The interoperability fault codes (Dan Libby, "Specification for Fault Code Interoperability", 2001-05-16).
 * -32768 to -32000 is reserved for them; an application's own codes stay outside, and are not 0, which
 * several clients take for "no fault".
 */
export const FaultCode = {
  /** The document is not well-formed XML. */
  notWellFormed: -32700,
  /** The document's encoding is not known. */
  unsupportedEncoding: -32701,
  /** The document holds a byte or character that its encoding does not have. */
  invalidCharacter: -32702,
  /** The document is well formed but not XML-RPC, or larger than the limits allow. */
  invalidRequest: -32600,
  /** There is no such method. */
  methodNotFound: -32601,
  /** The method does not take these parameters. */
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
 * An XML-RPC fault: what a server answers instead of a value. Throw it, return it, or hand it to
 * `encodeResponse`; `decodeResponse` and the client throw it.
 *
 * @throws TypeError when the code is no 32-bit integer or the text is no string.
 * @example
 * ```ts
 * throw new Fault(26, 'No more stock.')
 * ```
 */
export class Fault extends Error {
  readonly faultCode: number
  readonly faultString: string

  constructor(faultCode: number, faultString: string, options?: ErrorOptions) {
    if (!Number.isInteger(faultCode) || faultCode !== (faultCode | 0)) {
      throw new TypeError(`A fault code is a 32-bit integer, not ${String(faultCode)}`)
    }
    if (typeof faultString !== 'string') throw new TypeError('A fault string is a string')
    super(faultString, options)
    this.name = 'Fault'
    this.faultCode = faultCode
    this.faultString = faultString
  }

  override toString(): string {
    return `Fault ${this.faultCode}: ${this.faultString}`
  }
}
