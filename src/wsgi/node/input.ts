/**
 * `wsgi.input` over a request of node:http.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ClientDisconnected } from '../errors.ts'
import { PulledInput } from '../input.ts'
import { type BodySink, DirectRequest } from './request.ts'

/** Who waits for a part of the body. */
interface Reader {
  readonly pieces: Uint8Array[]
  missing: number
  resolve(pieces: Uint8Array[]): void
  reject(error: ClientDisconnected): void
}

/**
 * The input of a request that has a body.
 *
 * @param length - what Content-Length declares, Infinity where it is not known.
 * @param expecting - the response by which to ask for the body, where the client waits for that.
 */
export function requestInput(
  req: IncomingMessage,
  length: number,
  expecting: ServerResponse | undefined,
): RequestInput {
  return req instanceof DirectRequest
    ? new DirectInput(req, length, expecting)
    : new StreamInput(req, length, expecting)
}

/** A request's body. Nothing is read from the socket beyond what a stream keeps until somebody reads. */
export abstract class RequestInput extends PulledInput implements BodySink {
  protected readonly req: IncomingMessage
  // Whom to ask for the body before it is sent (Expect: 100-continue, RFC 9110 §10.1.1).
  #expecting: ServerResponse | undefined
  readonly #length: number
  #received = 0
  #begun = false
  #reader: Reader | undefined

  constructor(req: IncomingMessage, length: number, expecting: ServerResponse | undefined) {
    super()
    this.req = req
    this.#length = length
    this.#expecting = expecting
  }

  /** Lets the body come to {@link take}, {@link end} and {@link lose}, for the first time. */
  protected abstract begin(): void
  /** Holds it back until somebody reads on. */
  protected abstract hold(): void
  protected abstract goOn(): void

  /** Whether the client still waits to be asked for the body. */
  get unasked(): boolean {
    return this.#expecting !== undefined
  }

  /** How many bytes the client has still to send, or has sent without anyone having read them. */
  get unread(): number {
    return this.req.readableEnded ? 0 : this.#length - this.#received
  }

  /** Whether somebody waits for a part of the body. */
  protected get isAwaited(): boolean {
    return this.#reader !== undefined
  }

  /** Whether the last byte has been read, where it is known which one that is. */
  get #isComplete(): boolean {
    return this.#received >= this.#length
  }

  protected async pull(): Promise<Uint8Array | undefined> {
    const [piece] = await this.gather(1)
    return piece
  }

  protected override gather(size: number): Promise<Uint8Array[]> {
    const expecting = this.#expecting
    this.#expecting = undefined
    if (expecting !== undefined && !expecting.headersSent) expecting.writeContinue()
    if (this.req.readableEnded || this.#isComplete) return Promise.resolve([])
    if (this.req.destroyed) return Promise.reject(new ClientDisconnected())
    return new Promise((resolve, reject) => {
      this.#reader = { pieces: [], missing: size, resolve, reject }
      if (this.#begun) this.goOn()
      else {
        this.#begun = true
        this.begin()
      }
    })
  }

  take(piece: Uint8Array): boolean {
    const reader = this.#reader
    if (reader === undefined) return false
    this.#received += piece.byteLength
    reader.pieces.push(piece)
    reader.missing -= piece.byteLength
    // A body whose length is known is complete with its last byte: nobody waits for the stream to end.
    if (reader.missing > 0 && !this.#isComplete) return true
    this.#reader = undefined
    if (!this.#isComplete) this.hold()
    reader.resolve(reader.pieces)
    return true
  }

  end(): void {
    this.#reader?.resolve(this.#reader.pieces)
    this.#reader = undefined
  }

  lose(cause: Error | null): void {
    this.#reader?.reject(new ClientDisconnected(cause === null ? {} : { cause }))
    this.#reader = undefined
  }
}

/** Reads any request by its events. */
class StreamInput extends RequestInput {
  /** Listeners stay: to take them away and add them for each piece would cost more than the piece. */
  protected begin(): void {
    this.req
      // Once nobody reads any more, what still comes is thrown away, so that the connection can be kept.
      .on('data', (piece: Uint8Array) => this.take(piece))
      .on('end', () => this.end())
      .on('error', (cause) => this.lose(cause))
      .on('close', () => this.lose(null))
    // Whoever had the request before may have paused it.
    this.goOn()
  }

  protected hold(): void {
    this.req.pause()
  }

  protected goOn(): void {
    this.req.resume()
  }
}

/**
 * Has the body given to it. What comes while nobody reads waits in the stream, which holds the client back; it is taken
 * from there before anything else, or pieces would overtake each other.
 */
class DirectInput extends RequestInput {
  readonly #direct: DirectRequest

  constructor(req: DirectRequest, length: number, expecting: ServerResponse | undefined) {
    super(req, length, expecting)
    this.#direct = req
  }

  protected begin(): void {
    this.#direct.sink = this
    this.goOn()
  }

  /** The stream does it, as soon as nobody takes what is pushed. */
  protected hold(): void {}

  protected goOn(): void {
    while (this.isAwaited) {
      // All that waits, or one piece of it: that is not the same in all versions of Node.
      const waiting: Uint8Array | null = this.req.read()
      if (waiting === null) break
      this.take(waiting)
    }
    if (this.req.complete && this.req.readableLength === 0) this.end()
  }
}
