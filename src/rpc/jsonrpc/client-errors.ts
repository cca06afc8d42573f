/** Errors of the JSON-RPC client, besides `JSONRPCError`, which is a valid response. */

/**
 * A call got no usable HTTP response: the connection failed, the time limit was exceeded, or the status is an error.
 * The message never has the user name and password of the URL.
 *
 * @example
 * ```ts
 * import { JSONRPCClient, JSONRPCTransportError } from 'propylon/rpc'
 *
 * try {
 *   await new JSONRPCClient('http://127.0.0.1:5000/stock').call('stock.find', 'lamp')
 * } catch (error) {
 *   if (error instanceof JSONRPCTransportError) console.error(error.status ?? 'no response')
 * }
 * ```
 */
export class JSONRPCTransportError extends Error {
  override readonly name = 'JSONRPCTransportError'
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
 * A response is not JSON-RPC 2.0, is too long or nested too deeply, or belongs to another call.
 *
 * @example
 * ```ts
 * import { JSONRPCClient, JSONRPCProtocolError } from 'propylon/rpc'
 *
 * try {
 *   await new JSONRPCClient('http://127.0.0.1:5000/index.html').call('stock.find', 'lamp')
 * } catch (error) {
 *   if (error instanceof JSONRPCProtocolError) console.error(error.body)
 * }
 * ```
 */
export class JSONRPCProtocolError extends Error {
  override readonly name = 'JSONRPCProtocolError'
  /** First 500 bytes of the response body. */
  readonly body: string | undefined

  constructor(message: string, body?: string, options?: ErrorOptions) {
    super(message, options)
    this.body = body
  }
}
