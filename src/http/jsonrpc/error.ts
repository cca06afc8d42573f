/** Errors of JSON-RPC. */

/** Error codes that JSON-RPC 2.0 §5.1 reserves. Codes outside of -32768 to -32000 belong to applications. */
export const JSONRPCErrorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** The method of a batched call answered by HTTP, which is impossible within a batch. */
  httpError: -32000,
  /** The answers of a batch take more bytes than `batchBytes` allows. The code of EIP-1474 for limits. */
  limitExceeded: -32005,
} as const

/**
 * A JSON-RPC error (JSON-RPC 2.0 §5.1). Methods throw or return it.
 *
 * @throws TypeError - the code is not an integer.
 *
 * @example
 * ```ts
 * import { JSONRPCController, JSONRPCError } from 'propylon'
 *
 * export class StockController extends JSONRPCController {
 *   order(article: string): string {
 *     throw new JSONRPCError(26, 'No more stock.', { article })
 *   }
 * }
 * ```
 */
export class JSONRPCError extends Error {
  override readonly name = 'JSONRPCError'
  readonly code: number
  /** Additional information for the client: any JSON value. */
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions) {
    if (!Number.isSafeInteger(code))
      throw new TypeError(`The code of a JSON-RPC error must be an integer, not ${code}.`)
    super(message, options)
    this.code = code
    this.data = data
  }
}
