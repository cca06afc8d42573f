/**
 * `wsgi.input` over a request of node:http.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BodyMemory } from '../body-memory.ts'
import { ClientDisconnected } from '../errors.ts'
import { PulledInput } from '../input.ts'
import { type BodySink, DirectRequest } from './request.ts'

/** Bytes that a piece takes beside its own: in chunks of one byte, a body takes 200 times its length. */
const PIECE_OVERHEAD = 256

/** A read that waits for a part of the body. */
interface Reader {
  readonly pieces: Uint8Array[]
  missing: number
  readonly isCounted: boolean
  resolve(pieces: Uint8Array[]): void
  reject(error: unknown): void
}

/**
 * The body of a request. Nothing is read from the socket beyond what a stream buffers until somebody reads.
 *
 * The pieces of a {@link DirectRequest} are handed over without the events of a stream. Pieces that arrive while nobody
 * reads wait in the stream, which holds the client back, and are taken from there first. Any other request is read by its
 * events.
 *
 * Bytes that one read gathers count towards the server's {@link BodyMemory}. Bytes that are read piece by piece do not.
 */
export class RequestInput extends PulledInput implements BodySink {
  readonly #req: IncomingMessage
  readonly #res: ServerResponse
  readonly #length: number
  readonly #memory: BodyMemory
  #unasked: boolean
  #received = 0
  #begun = false
  #reader: Reader | undefined
  #counted = 0
  #isWatched = false
  #failure: unknown

  /**
   * @param length - what Content-Length declares, Infinity if it is not known.
   * @param expectsContinue - whether the client waits to be asked for the body (RFC 9110 §10.1.1).
   */
  constructor(
    req: IncomingMessage,
    res: ServerResponse,
    length: number,
    expectsContinue: boolean,
    memory: BodyMemory,
  ) {
    super()
    this.#req = req
    this.#res = res
    this.#length = length
    this.#unasked = expectsContinue
    this.#memory = memory
  }

  /** Whether the client still waits to be asked for the body. */
  get unasked(): boolean {
    return this.#unasked
  }

  /** Number of bytes that the client has still to send, or that have arrived and have not been read. */
  get unread(): number {
    return this.#req.readableEnded ? 0 : this.#length - this.#received
  }

  /** Whether the last byte has been read. False if it is not known which one that is. */
  get #isComplete(): boolean {
    return this.#received >= this.#length
  }

  protected override async pull(): Promise<Uint8Array | undefined> {
    const [piece] = await this.#receive(1, false)
    return piece
  }

  protected override gather(size: number): Promise<Uint8Array[]> {
    return this.#receive(size, true)
  }

  #receive(size: number, isCounted: boolean): Promise<Uint8Array[]> {
    if (this.#unasked) {
      this.#unasked = false
      if (!this.#res.headersSent) this.#res.writeContinue()
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    if (this.#req.readableEnded || this.#isComplete) return Promise.resolve([])
    if (this.#req.destroyed) return Promise.reject(new ClientDisconnected())
    return new Promise((resolve, reject) => {
      this.#reader = { pieces: [], missing: size, isCounted, resolve, reject }
      if (this.#begun) this.#goOn()
      else {
        this.#begun = true
        this.#begin()
      }
    })
  }

  #begin(): void {
    const req = this.#req
    if (req instanceof DirectRequest) req.sink = this
    else {
      // Listeners stay: to remove and add them for each piece would cost more than the piece. Once nobody reads any
      // more, further pieces are discarded, so that the connection can be kept.
      req
        .on('data', (piece: Uint8Array) => this.take(piece))
        .on('end', () => this.end())
        .on('error', (cause) => this.lose(cause))
        .on('close', () => this.lose(null))
    }
    this.#goOn()
  }

  #goOn(): void {
    const req = this.#req
    if (!(req instanceof DirectRequest)) {
      // Earlier handlers may have paused it.
      req.resume()
      return
    }
    while (this.#reader !== undefined) {
      // All buffered bytes, or one piece of them, depending on the version of Node.
      const waiting: Uint8Array | null = req.read()
      if (waiting === null) break
      this.take(waiting)
    }
    if (req.complete && req.readableLength === 0) this.end()
  }

  /** Holds the client back. The stream of a {@link DirectRequest} does so by itself. */
  #hold(): void {
    if (!(this.#req instanceof DirectRequest)) this.#req.pause()
  }

  take(piece: Uint8Array): boolean {
    const reader = this.#reader
    if (reader === undefined) return false
    if (reader.isCounted) {
      try {
        this.count(piece.byteLength)
      } catch (error) {
        this.#reader = undefined
        this.#hold()
        reader.reject(error)
        return false
      }
    }
    this.#received += piece.byteLength
    reader.pieces.push(piece)
    reader.missing -= piece.byteLength
    // A body whose length is known is complete with its last byte: nobody waits for the stream to end.
    if (reader.missing > 0 && !this.#isComplete) return true
    this.#reader = undefined
    if (!this.#isComplete) this.#hold()
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

  override count(length: number): void {
    // Nobody would release bytes that are read after the end of the request.
    if (this.#res.destroyed) return
    const bytes = length + PIECE_OVERHEAD
    try {
      this.#memory.take(bytes)
    } catch (error) {
      this.#failure = error
      this.#release()
      throw error
    }
    this.#counted += bytes
    if (this.#isWatched) return
    this.#isWatched = true
    // Comes once in any case: when the response is complete, and when the connection is lost.
    this.#res.on('close', () => this.#release())
  }

  protected override uncount(): void {
    if (this.kept === undefined) this.#release()
  }

  #release(): void {
    this.#memory.release(this.#counted)
    this.#counted = 0
  }
}
