/**
 * The body of a request of node:http: `wsgi.input`, its time limit, and its unread rest.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { concatBytes } from '../../base/bytes.ts'
import type { BodyMemory } from '../body-memory.ts'
import { ClientDisconnected } from '../error-reporting.ts'
import { GatheredBytes, PulledInput } from '../input.ts'
import { isHttp2 } from './foreign-request.ts'
import { acceptNoMore, ServedRequest } from './node-environ.ts'

/**
 * The method `push` of requests whose body is being read. Pieces that the input takes bypass the stream, which stays
 * in the reading state.
 *
 * One function for all requests: V8 keeps a request with a function of its own until a full garbage collection, and a
 * form costs 7 % more.
 */
function pushToInput(this: ServedRequest, piece: Uint8Array | null): boolean {
  const { push } = ServedRequest.prototype
  const { input } = this
  const isPassed = this.readableLength === 0
  if (piece !== null) return (isPassed && input?.take(piece)) || push.call(this, piece)
  const more = push.call(this, null)
  if (isPassed) input?.end()
  return more
}

/** The listener of all requests whose body is being read: a function of its own would keep a request as well. */
function loseInput(this: ServedRequest): void {
  this.input?.lose(this.errored)
}

/** Limits of all request bodies of a server together. */
export interface BodyLimits {
  readonly memory: BodyMemory
  readonly idle: IdleBodies
}

const NOTHING = new Uint8Array(0)

const TIMEOUT_RESPONSE = 'HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

/** The call whose application reads a body. */
export interface ReadingCall {
  /** The call waits for its client from now on. */
  awaitClient(): void
  /** The call no longer waits for its client. */
  goOn(): void
  /** Releases the body when the response is complete, or when the connection is lost. */
  watch(): void
}

/** A pending read. */
interface Reader {
  /** The pieces of a read that counts. Undefined for one that takes a single piece. */
  readonly gathered: GatheredBytes | undefined
  readonly size: number
  missing: number
  resolve(bytes: Uint8Array): void
  reject(error: unknown): void
}

/**
 * The body of a request. Before the first read, the socket is read only as far as the request's stream buffers.
 *
 * While a read is pending, the pieces of a {@link ServedRequest} are taken without stream events. Pieces that arrive
 * between reads are buffered by the stream, with its back-pressure, and are taken from there first. Any other request
 * is read by its events.
 *
 * Bytes that one read gathers count towards the server's {@link BodyMemory}. Bytes that are read piece by piece do not.
 */
export class RequestInput extends PulledInput {
  readonly #req: IncomingMessage
  readonly #res: ServerResponse
  readonly #length: number
  readonly #limits: BodyLimits
  /** Undefined until the application runs. */
  call: ReadingCall | undefined = undefined
  /** Whether the client still waits for `100 Continue`. */
  unasked: boolean
  /** Number of bytes that have been read. */
  received = 0
  #begun = false
  #reader: Reader | undefined
  #counted = 0
  #isTimed = false
  #failure: unknown

  /**
   * @param length - Content-Length in bytes, Infinity if unknown.
   * @param expectsContinue - whether the client waits for `100 Continue` before it sends the body (RFC 9110 §10.1.1).
   */
  constructor(req: IncomingMessage, res: ServerResponse, length: number, expectsContinue: boolean, limits: BodyLimits) {
    super()
    this.#req = req
    this.#res = res
    this.#length = length
    this.unasked = expectsContinue
    this.#limits = limits
  }

  /** Number of bytes that have not been read, whether they have arrived or not. Infinity if unknown. */
  get unread(): number {
    return this.#req.readableEnded ? 0 : this.#length - this.received
  }

  /** Whether the application waits for the client. False while it does something else. */
  get isAwaited(): boolean {
    return this.#reader !== undefined
  }

  /** Whether bytes of the body are kept in memory. */
  get isGathered(): boolean {
    return this.#reader?.gathered !== undefined || this.#counted > 0
  }

  /** Whether the last byte has been read. False if the length is unknown. */
  get #isComplete(): boolean {
    return this.received >= this.#length
  }

  protected override async pull(): Promise<Uint8Array | undefined> {
    const piece = await this.#receive(1, undefined)
    return piece.byteLength === 0 ? undefined : piece
  }

  protected override gather(size: number): Promise<Uint8Array> {
    return this.#receive(size, new GatheredBytes())
  }

  /** Returns the next piece, or `size` bytes if they are gathered. Nothing at the end of the body. */
  #receive(size: number, gathered: GatheredBytes | undefined): Promise<Uint8Array> {
    if (this.unasked) {
      this.unasked = false
      if (!this.#res.headersSent) this.#res.writeContinue()
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    if (this.#req.readableEnded || this.#isComplete) return Promise.resolve(NOTHING)
    if (this.#req.destroyed) return Promise.reject(new ClientDisconnected())
    return new Promise((resolve, reject) => {
      this.#reader = { gathered, size, missing: size, resolve, reject }
      if (this.#begun) this.#goOn()
      else {
        this.#begun = true
        this.#begin()
      }
      if (this.#reader === undefined) return
      this.call?.awaitClient()
      if (this.#isTimed) return
      this.#isTimed = true
      this.#limits.idle.add(this)
    })
  }

  #begin(): void {
    const req = this.#req
    if (req instanceof ServedRequest) this.#divert(req)
    else {
      // The listeners stay, because adding and removing them costs more than a piece. After the response, pieces
      // without a pending read are discarded, so that the connection can be reused.
      req
        .on('data', (piece: Uint8Array) => this.take(piece))
        .on('end', () => this.end())
        .on('error', (cause) => this.lose(cause))
        .on('close', () => this.lose(null))
    }
    this.#goOn()
  }

  /**
   * Takes the pieces that the parser pushes while a read is pending. With stream events a small form takes 12 % more
   * instructions.
   */
  #divert(req: ServedRequest): void {
    req.input = this
    req.push = pushToInput
    req.on('close', loseInput)
  }

  #goOn(): void {
    const req = this.#req
    if (!(req instanceof ServedRequest)) {
      // An earlier handler may have paused the request.
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

  /** Applies back-pressure. The stream of a {@link ServedRequest} does so by itself. */
  #hold(): void {
    if (!(this.#req instanceof ServedRequest)) this.#req.pause()
  }

  /** Takes a piece for the pending read. Returns false if no read is pending. */
  take(piece: Uint8Array): boolean {
    const reader = this.#reader
    if (reader === undefined) return false
    const { gathered } = reader
    if (gathered !== undefined) {
      try {
        this.count(gathered.add(piece))
      } catch (error) {
        this.#settle()
        this.#hold()
        reader.reject(error)
        return false
      }
    }
    this.received += piece.byteLength
    reader.missing -= piece.byteLength
    // A body of known length is complete with its last byte, before the stream ends.
    if (reader.missing > 0 && !this.#isComplete) return true
    this.#settle()
    if (this.#isComplete) this.#finish()
    else this.#hold()
    if (gathered === undefined) reader.resolve(piece)
    else this.#give(reader, gathered)
    return true
  }

  /** Ends the pending read. Returns it, or undefined if there is none. */
  #settle(): Reader | undefined {
    const reader = this.#reader
    if (reader === undefined) return undefined
    this.#reader = undefined
    this.call?.goOn()
    return reader
  }

  /**
   * Ends the stream of a body that has been taken to its last byte. The response is usually sent before the parser
   * reports the end of the request, and discarding a rest that is empty takes 9 % more instructions.
   */
  #finish(): void {
    const req = this.#req
    this.#limits.idle.delete(this)
    // A stream that flows is being discarded, and its events are awaited.
    if (req instanceof ServedRequest && req.readableFlowing === null) req._dumpAndCloseReadable?.()
  }

  /** Ends the pending read with the pieces that have been taken: the body is complete. */
  end(): void {
    this.#limits.idle.delete(this)
    const reader = this.#settle()
    if (reader === undefined) return
    if (reader.gathered === undefined) reader.resolve(NOTHING)
    else this.#give(reader, reader.gathered)
  }

  /** Ends a read with the bytes that have been gathered for it. */
  #give({ size, resolve }: Reader, gathered: GatheredBytes): void {
    resolve(this.cut(concatBytes(gathered.pieces()), size))
  }

  /** Ends the pending read: the connection is lost. */
  lose(cause: Error | null): void {
    this.#limits.idle.delete(this)
    this.#settle()?.reject(new ClientDisconnected(cause === null ? {} : { cause }))
  }

  /** Closes the connection. The pending read rejects with {@link ClientDisconnected}. */
  expire(): void {
    const { socket } = this.#req
    if (!this.#res.headersSent) socket.end(TIMEOUT_RESPONSE)
    this.lose(new Error('The client sent too little of the request body within bodyTimeout.'))
    socket.destroySoon()
  }

  override count(bytes: number): void {
    // Bytes that are read after the request has ended would never be released.
    if (this.#res.destroyed || bytes === 0) return
    try {
      this.#limits.memory.take(bytes)
    } catch (error) {
      this.#failure = error
      this.uncount()
      throw error
    }
    this.#counted += bytes
    this.call?.watch()
  }

  override uncount(): void {
    this.#limits.memory.release(this.#counted)
    this.#counted = 0
  }
}

// ------------------------------------------------------------ the time limit

interface Progress {
  /** Number of bytes that had been read when the time began. */
  received: number
  /** Number of checks since then. The time begins again when enough has arrived, and while the body is not awaited. */
  checks: number
}

/** Bytes in a second that a client must send of a body that is gathered in memory. */
const MIN_RATE = 500

const CHECKS_PER_TIMEOUT = 4
/** The first check may come directly after the read began. */
const MAX_CHECKS = CHECKS_PER_TIMEOUT + 1

/**
 * Closes the connections of clients that send too little within a time while the application waits for the body:
 * nothing of a body that the application reads piece by piece, and less than {@link MIN_RATE} of one that is gathered
 * in memory, where a byte a minute would hold the rest for ever.
 *
 * One interval checks all bodies, because a timer for each would cost a small form more than the rest of its reading.
 */
export class IdleBodies {
  readonly #timeout: number
  /** Number of bytes of a gathered body that must arrive in the time. */
  readonly #enough: number
  readonly #bodies = new Map<RequestInput, Progress>()
  #timer: NodeJS.Timeout | undefined = undefined

  /**
   * @param timeout - in milliseconds; 0 for none.
   * @throws RangeError - it is negative, not a number, or too large for a timer.
   */
  constructor(timeout: number) {
    if (!(timeout >= 0 && timeout < 2 ** 31)) {
      throw new RangeError(`bodyTimeout is ${timeout}. Pass milliseconds from 0 to ${2 ** 31 - 1}; 0 is no limit.`)
    }
    this.#timeout = timeout
    this.#enough = Math.max(1, Math.floor((timeout / 1000) * MIN_RATE))
  }

  add(body: RequestInput): void {
    if (this.#timeout === 0) return
    this.#bodies.set(body, { received: body.received, checks: 0 })
    this.#timer ??= setInterval(this.#check, this.#timeout / CHECKS_PER_TIMEOUT).unref()
  }

  delete(body: RequestInput): void {
    this.#bodies.delete(body)
  }

  readonly #check = (): void => {
    if (this.#bodies.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    for (const [body, progress] of this.#bodies) {
      const { received, isAwaited, isGathered } = body
      const enough = isGathered ? this.#enough : 1
      if (isAwaited && received - progress.received < enough) progress.checks += 1
      else {
        progress.checks = 0
        progress.received = received
      }
      if (progress.checks === MAX_CHECKS) body.expire()
    }
  }
}

// ------------------------------------------------------------ the unread rest

/** Maximum number of unread body bytes to discard before closing the connection instead of reusing it. */
const MAX_DRAINED = 64 * 1024

/**
 * Time to read on before a connection is closed, in milliseconds. Otherwise the connection of a client that is still
 * sending would be reset before it has read the response (RFC 9112 §9.6).
 */
export const LINGER = 1000

/**
 * Ends the connection after the response if too much of the request body is unread.
 *
 * @returns true if the connection has to be read for a moment (see {@link LINGER}) before it is closed.
 */
export function refuseRest({ unasked, unread }: RequestInput, req: IncomingMessage, res: ServerResponse): boolean {
  if (req.complete || isHttp2(req)) return false
  if (unasked || (unread > MAX_DRAINED && unread !== Number.POSITIVE_INFINITY)) {
    res.shouldKeepAlive = false
    acceptNoMore(req)
  }
  return !unasked && unread > 0 && !res.shouldKeepAlive
}

/**
 * Discards the rest of a request body, so that the next request can be read. The length of a chunked body is known only
 * at its end: beyond the limit the connection is closed once the response has been sent.
 */
export function leaveUnread(req: IncomingMessage, res: ServerResponse): void {
  if (req.readableEnded) return
  if (!req.complete && res.shouldKeepAlive) {
    let discarded = 0
    const count = (piece: Uint8Array) => {
      discarded += piece.byteLength
      if (discarded <= MAX_DRAINED) return
      req.off('data', count)
      acceptNoMore(req)
      if (res.writableFinished) closeAfterBody(req)
      else res.on('finish', () => closeAfterBody(req))
    }
    req.on('data', count)
    // Without a first read node:http would discard the body itself, past all listeners.
    req.read(0)
  }
  req.resume()
}

/** Ends a connection, but reads on for a moment (see {@link LINGER}). */
function closeAfterBody(req: IncomingMessage): void {
  if (req.complete || isHttp2(req)) return
  req.socket.end()
  lingerThen(req, () => req.socket.destroy())
}

/** Reads on for a moment, then goes on. */
export function lingerThen(req: IncomingMessage, done: () => void): void {
  const finish = () => {
    clearTimeout(timer)
    req.off('end', finish).off('close', finish)
    done()
  }
  const timer = setTimeout(finish, LINGER)
  req.on('end', finish).on('close', finish)
  if (req.readableEnded || req.destroyed) finish()
  else req.resume()
}
