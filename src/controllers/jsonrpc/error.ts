/** Errors as JSON-RPC tells them. */

/** The codes that JSON-RPC 2.0 §5.1 reserves; -32099 to -32000 are for servers, all others for applications. */
export const JSONRPCErrorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** An answer by HTTP within a batch, where there is no place for one. */
  httpError: -32000,
} as const

/**
 * A JSON-RPC error (JSON-RPC 2.0 §5.1): a method throws or returns it.
 *
 * @throws TypeError when the code is no integer.
 * @example
 * ```ts
 * throw new JSONRPCError(26, 'No more stock.', { article: 'tea' })
 * ```
 */
export class JSONRPCError extends Error {
  override readonly name = 'JSONRPCError'
  readonly code: number
  /** What else the client is told; anything that JSON can carry. */
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions) {
    if (!Number.isSafeInteger(code))
      throw new TypeError(`The code of a JSON-RPC error is an integer, not ${code}`)
    super(message, options)
    this.code = code
    this.data = data
  }
}
