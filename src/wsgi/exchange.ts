/**
 * The server's half of PEP 3333: calls an application and passes its response on, chunk by chunk.
 *
 * @module
 */
import { checkChunk, chunkLength, totalLength, utf8Length } from '../base/bytes.ts'
import { isPromise } from '../base/promise.ts'
import { isDisconnect } from '../base/thrown.ts'
import { BodySource } from './body.ts'
import type { ErrorReporting } from './error-reporting.ts'
import { makeHead, type ResponseHead, SWITCHING_PROTOCOLS, withoutBody } from './response-head.ts'
import type { Body, Chunk, Environ, StartResponse, Write, WSGIApplication } from './types.ts'

/** Length of a body of which not all chunks are in memory. */
const UNKNOWN = -1

const NO_HEAD: ResponseHead = { code: 0, reason: '', fields: [], length: UNKNOWN, ascii: true, bodyless: false }

/**
 * One call of an application. The server calls {@link run}, then {@link next} until it returns undefined, unless
 * {@link whole} is set, and always {@link close}, also when the client disconnects early.
 */
export class Exchange {
  /** Status and headers. Final once {@link run} has returned or resolved. */
  head: ResponseHead = NO_HEAD
  /** The whole body if it is in memory: `next()` then returns undefined. Empty for HEAD and statuses without a body. */
  whole: Chunk | undefined
  /** Whether {@link close} has been called. */
  closed = false

  readonly #environ: Environ
  readonly #reporting: ErrorReporting
  // Stored, because middleware may change the method in the environ.
  readonly #isHead: boolean
  // Whether the response has no body: HEAD, 204, 205, 304.
  #bodyless = false
  // Whether the head may have been sent, so that it cannot be replaced.
  #committed = false
  #returned = false
  #sent = 0
  // Undefined for an array without close().
  #source: BodySource | undefined
  // Chunks that have not been sent: those passed to write(), or the first one, pulled before the head is final.
  #written: Chunk[] | undefined
  #failure: { error: unknown } | undefined
  #wake: (() => void) | undefined

  constructor(environ: Environ, reporting: ErrorReporting) {
    this.#environ = environ
    this.#reporting = reporting
    this.#isHead = environ.REQUEST_METHOD === 'HEAD'
  }

  /**
   * Calls the application.
   *
   * @returns a promise only if the application returned one, or if its first chunk is one. The status and headers are
   *   final once this method has returned or the promise has resolved: at the first non-empty chunk, or at the end of
   *   the body.
   * @throws the application's error, if it throws before that point; TypeError or Error if it violates PEP 3333.
   */
  run(app: WSGIApplication): Promise<void> | undefined {
    const body = app(this.#environ, this.#start)
    // Array.isArray is cheaper than looking up `then`.
    return !Array.isArray(body) && isPromise(body) ? this.#await(body) : this.#accept(body)
  }

  /**
   * Returns the next chunk, or undefined at the end. A promise only if the body is asynchronous.
   *
   * @throws the body's error; Error if the number of bytes differs from Content-Length.
   */
  next(): Chunk | undefined | Promise<Chunk | undefined> {
    if (this.closed || this.whole !== undefined) return undefined
    const written = this.#written?.shift()
    if (written !== undefined) return this.#count(written)
    if (this.#failure !== undefined) {
      const { error } = this.#failure
      this.#failure = undefined
      throw error
    }
    if (!this.#returned) return this.#wait()
    const chunk = this.#source?.pull()
    return isPromise(chunk) ? chunk.then((later) => this.#deliver(later)) : this.#deliver(chunk)
  }

  /**
   * Ends the response, complete or not: calls `return()` of an iterator that has not ended, then the body's `close()`.
   * Only the first call has an effect.
   *
   * @returns a promise if closing is asynchronous. It never rejects: errors are reported.
   */
  close(): void | Promise<void> {
    if (this.closed) return
    this.closed = true
    this.#written = undefined
    this.#wake?.()
    if (this.#failure !== undefined) this.report(this.#failure.error)
    return this.#source?.close((error) => this.report(error))
  }

  /** Reports an error that can no longer be shown to the client. Disconnects are not errors. */
  report(error: unknown): void {
    if (!isDisconnect(error)) this.#reporting.reportError(error, this.#environ)
  }

  // ------------------------------------------------------------ start_response and write

  readonly #start: StartResponse = (status, headers, excInfo) => {
    if (this.head !== NO_HEAD) {
      if (excInfo === undefined || excInfo === null) {
        throw new Error(
          'start_response was called a second time without excInfo. Pass the error that replaces the response.',
        )
      }
      if (this.#committed) throw excInfo
    }
    const head = makeHead(status, headers)
    if (head.code === SWITCHING_PROTOCOLS && this.#environ['propylon.upgrade']?.connection === undefined) {
      throw new RangeError(
        'The informational status 101 was sent without an upgrade. Set the connection of environ["propylon.upgrade"], which the server has set if it can switch protocols.',
      )
    }
    this.head = head
    this.#bodyless = this.#isHead || head.bodyless
    return this.#write
  }

  readonly #write: Write = (chunk) => {
    checkChunk(chunk)
    // A disconnect is not an error of the application.
    if (this.closed) return
    if (this.#returned) {
      throw new Error('write() was called after the application returned its body. Yield the chunk instead.')
    }
    if (this.#bodyless) return
    // The first call sends the head, also without bytes (PEP 3333, "The start_response() Callable").
    this.#committed = true
    if (chunk.length > 0) {
      this.#written ??= []
      this.#written.push(chunk)
    }
    this.#wake?.()
  }

  // ------------------------------------------------------------ the application's return

  /** Waits for the application's promise, or for the first write() before it. */
  #await(promise: Promise<Body>): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#committed) resolve()
      else this.#wake = resolve
      promise.then(
        (body) => {
          if (this.#committed || this.closed) return this.#acceptLate(body)
          this.#wake = undefined
          try {
            resolve(this.#accept(body))
          } catch (error) {
            reject(error)
          }
        },
        (error: unknown) => {
          this.#returned = true
          if (this.closed) return this.report(error)
          if (!this.#committed) return reject(error)
          this.#failure = { error }
          this.#wake?.()
        },
      )
    })
  }

  /** Accepts the body of an application that has called write() before, or whose client has disconnected. */
  #acceptLate(body: Body): void {
    this.#returned = true
    try {
      this.#source = new BodySource(body)
    } catch (error) {
      if (this.closed) this.report(error)
      else this.#failure = { error }
    }
    if (this.closed) this.#source?.close((error) => this.report(error))
    this.#wake?.()
  }

  #accept(body: Body): Promise<void> | undefined {
    this.#returned = true
    try {
      if (Array.isArray(body) && !this.#committed) {
        this.#acceptArray(body)
        return undefined
      }
      const source = new BodySource(body)
      this.#source = source
      // The head is final after write(). A response without a body is not pulled.
      if (this.#committed) return undefined
      const first = this.head !== NO_HEAD && this.#bodyless ? undefined : source.pull()
      if (isPromise(first)) {
        return first.then((chunk) => this.#acceptFirst(chunk)).catch((error: unknown) => this.#fail(error))
      }
      this.#acceptFirst(first)
      return undefined
    } catch (error) {
      return this.#fail(error)
    }
  }

  /** Accepts an array, whose chunks are all in memory. */
  #acceptArray(body: Chunk[] & Body): void {
    // An array may have close() as well.
    if ('close' in body) this.#source = new BodySource(body)
    // Chunks of bytes are counted, but not copied into one.
    let whole = body[0]
    if (body.length !== 1) whole = body.every((chunk) => typeof chunk === 'string') ? body.join('') : undefined
    this.#commit(typeof whole === 'string' ? utf8Length(whole) : totalLength(body))
    if (this.#bodyless) this.whole = ''
    else if (whole === undefined) this.#source ??= new BodySource(body)
    else this.whole = whole
  }

  /** Accepts the first chunk of a body. Undefined if it has none, or if the response has no body. */
  #acceptFirst(first: Chunk | undefined): void {
    // The length of a body that is not read for HEAD is unknown.
    this.#commit(first === undefined && !this.#isHead ? 0 : UNKNOWN)
    const declared = this.head.length
    if (first === undefined || this.#bodyless) this.whole = ''
    else if (declared >= 0 && chunkLength(first) > declared) throw this.#wrongLength(chunkLength(first))
    else this.#written = [first]
  }

  /**
   * Makes the head final, and sets or checks Content-Length.
   *
   * @param length - length of the body in bytes, or {@link UNKNOWN}.
   */
  #commit(length: number): void {
    const { head } = this
    if (head === NO_HEAD) {
      throw new Error('start_response was not called. Call it before returning, or before the first chunk of the body.')
    }
    this.#committed = true
    if (head.bodyless) withoutBody(head)
    else if (length === UNKNOWN) return
    else if (head.length === UNKNOWN) {
      head.length = length
      head.fields.push('Content-Length', String(length))
    } else if (head.length !== length && !(this.#isHead && length === 0)) throw this.#wrongLength(length)
  }

  /** Closes the body of a response that fails before the server receives it. */
  #fail(error: unknown): never {
    this.close()
    throw error
  }

  // ------------------------------------------------------------ the body

  /** Checks a chunk, or the end of the body, against Content-Length. */
  #deliver(chunk: Chunk | undefined): Chunk | undefined {
    if (this.closed) return undefined
    if (chunk !== undefined) return this.#count(chunk)
    if (this.head.length >= 0 && this.#sent !== this.head.length) throw this.#wrongLength(this.#sent)
    return undefined
  }

  #count(chunk: Chunk): Chunk {
    if (this.head.length >= 0) {
      this.#sent += chunkLength(chunk)
      if (this.#sent > this.head.length) throw this.#wrongLength(this.#sent)
    }
    return chunk
  }

  #wrongLength(bytes: number): Error {
    const declared = this.head.length
    return new Error(
      `Content-Length is ${declared}, but the body has ${bytes > declared ? 'at least' : 'only'} ${bytes} bytes. ` +
        'Count bytes of UTF-8 instead of characters, or leave Content-Length to the server.',
    )
  }

  /** Waits until the application calls write() or returns. */
  async #wait(): Promise<Chunk | undefined> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    this.#wake = undefined
    return this.next()
  }
}
