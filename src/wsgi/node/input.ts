/**
 * `wsgi.input` over a request of node:http.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ClientDisconnected } from '../errors.ts'
import { PulledInput } from '../input.ts'

/** A request's body. Nothing is listened to, and nothing read from the socket, until somebody reads. */
export class RequestInput extends PulledInput {
  readonly #req: IncomingMessage
  // Whom to ask for the body before it is sent (Expect: 100-continue, RFC 9110 §10.1.1).
  #expecting: ServerResponse | undefined
  readonly #length: number
  #received = 0

  /**
   * @param length - what Content-Length declares, Infinity where it is not known.
   * @param expecting - the response by which to ask for the body, where the client waits for that.
   */
  constructor(req: IncomingMessage, length: number, expecting: ServerResponse | undefined) {
    super()
    this.#req = req
    this.#length = length
    this.#expecting = expecting
  }

  /** Whether the client still waits to be asked for the body. */
  get unasked(): boolean {
    return this.#expecting !== undefined
  }

  /** How many bytes the client has still to send, or has sent without anyone having read them. */
  get unread(): number {
    return this.#req.readableEnded ? 0 : this.#length - this.#received
  }

  protected pull(): Promise<Uint8Array | undefined> {
    const expecting = this.#expecting
    this.#expecting = undefined
    if (expecting !== undefined && !expecting.headersSent) expecting.writeContinue()
    const req = this.#req
    return new Promise((resolve, reject) => {
      const settle = () => {
        req.off('readable', step).off('end', end).off('close', gone).off('error', gone)
      }
      const step = () => {
        const chunk: unknown = req.read()
        if (!(chunk instanceof Uint8Array)) return
        settle()
        this.#received += chunk.byteLength
        resolve(chunk)
      }
      const end = () => {
        settle()
        resolve(undefined)
      }
      const gone = (cause?: unknown) => {
        settle()
        reject(new ClientDisconnected(cause === undefined ? {} : { cause }))
      }
      if (req.readableEnded) return end()
      if (req.destroyed) return gone()
      // Listeners stay for one chunk only: with any on 'readable', the rest of the body could not be drained.
      req.on('readable', step).on('end', end).on('close', gone).on('error', gone)
      if (req.readableLength > 0) step()
    })
  }
}
