/**
 * `wsgi.input` over a request of node:http.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ClientDisconnected } from '../errors.ts'
import { PulledInput } from '../input.ts'

/** Who waits for a part of the body. */
interface Reader {
  readonly pieces: Uint8Array[]
  missing: number
  resolve(pieces: Uint8Array[]): void
  reject(error: ClientDisconnected): void
}

/** A request's body. Nothing is listened to, and nothing read from the socket, until somebody reads. */
export class RequestInput extends PulledInput {
  readonly #req: IncomingMessage
  // Whom to ask for the body before it is sent (Expect: 100-continue, RFC 9110 §10.1.1).
  #expecting: ServerResponse | undefined
  readonly #length: number
  #received = 0
  #listens = false
  #reader: Reader | undefined

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

  protected async pull(): Promise<Uint8Array | undefined> {
    const [piece] = await this.gather(1)
    return piece
  }

  protected override gather(size: number): Promise<Uint8Array[]> {
    const expecting = this.#expecting
    this.#expecting = undefined
    if (expecting !== undefined && !expecting.headersSent) expecting.writeContinue()
    const req = this.#req
    if (req.readableEnded || this.#received >= this.#length) return Promise.resolve([])
    if (req.destroyed) return Promise.reject(new ClientDisconnected())
    return new Promise((resolve, reject) => {
      this.#reader = { pieces: [], missing: size, resolve, reject }
      if (!this.#listens) this.#listen()
      req.resume()
    })
  }

  /** Listeners stay: to take them away and add them for each piece would cost more than the piece. */
  #listen(): void {
    this.#listens = true
    this.#req
      .on('data', (piece: Uint8Array) => this.#take(piece))
      .on('error', (cause) => this.#lose({ cause }))
      .on('close', () => this.#lose({}))
    // A body whose length is known is complete with its last byte.
    if (this.#length === Number.POSITIVE_INFINITY) this.#req.on('end', () => this.#end())
  }

  #take(piece: Uint8Array): void {
    this.#received += piece.byteLength
    const reader = this.#reader
    // Nobody reads any more: the rest only passes, so that the connection can be kept.
    if (reader === undefined) return
    reader.pieces.push(piece)
    reader.missing -= piece.byteLength
    if (reader.missing > 0 && this.#received < this.#length) return
    this.#reader = undefined
    if (this.#received < this.#length) this.#req.pause()
    reader.resolve(reader.pieces)
  }

  #end(): void {
    this.#reader?.resolve(this.#reader.pieces)
    this.#reader = undefined
  }

  #lose(options: ErrorOptions): void {
    this.#reader?.reject(new ClientDisconnected(options))
    this.#reader = undefined
  }
}
