/**
 * Sends responses through node:http chunk by chunk, with back-pressure, and discards unread request bodies.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { toBytes } from '../../base/bytes.ts'
import { isPromise } from '../../base/promise.ts'
import type { Exchange } from '../exchange.ts'
import type { ResponseHead } from '../response-head.ts'
import type { Chunk } from '../types.ts'
import { isHttp2 } from './foreign-request.ts'
import type { RequestInput } from './input.ts'
import { acceptNoMore } from './node-environ.ts'
import { COUNTED_LENGTH, type UnsentBytes } from './unsent-bytes.ts'

/** Maximum number of unread body bytes to discard before closing the connection instead of reusing it. */
const MAX_DRAINED = 64 * 1024

/**
 * Time to read on before a connection is closed, in milliseconds. Otherwise the connection of a client that is still
 * sending would be reset before it has read the response (RFC 9112 §9.6).
 */
export const LINGER = 1000

/** The call that a response belongs to. */
export interface StreamOwner {
  /** Aborted when the shutdown of the server begins. */
  readonly closing: AbortSignal
  /** Ends the work for the stream. */
  endStream(): void
  /** Closes the exchange when the response is complete, or when the connection is lost. */
  watch(): void
  readonly unsent: UnsentBytes
}

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

function isEventStream({ fields }: ResponseHead): boolean {
  for (let at = 0; at < fields.length; at += 2) {
    if (fields[at]?.toLowerCase() === 'content-type') return /^text\/event-stream\b/i.test(fields[at + 1] ?? '')
  }
  return false
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

/** A response that takes more than one step. */
export class Sending {
  readonly #exchange: Exchange
  readonly #req: IncomingMessage
  readonly #res: ServerResponse
  readonly #lingers: boolean
  #begun = false

  constructor(exchange: Exchange, req: IncomingMessage, res: ServerResponse, lingers: boolean) {
    this.#exchange = exchange
    this.#req = req
    this.#res = res
    this.#lingers = lingers
  }

  /** @param owner - ends event streams. */
  start(owner: StreamOwner): void {
    const { whole, head } = this.#exchange
    owner.watch()
    this.#res.on('drain', this.#pump)
    if (whole === undefined) this.#pump()
    else {
      if (whole.length === 0) this.#res.flushHeaders()
      else this.#res.write(toBytes(whole))
      this.#end()
      if (whole.length >= COUNTED_LENGTH) owner.unsent.add(this.#res)
    }
    if (isEventStream(head)) this.#endWith(owner)
  }

  /** Ends the response when the shutdown begins, so that the client reconnects to another server. */
  #endWith(owner: StreamOwner): void {
    const { closing } = owner
    const end = () => {
      if (this.#exchange.closed) return
      owner.endStream()
      this.#end()
    }
    if (closing.aborted) end()
    closing.addEventListener('abort', end)
    this.#res.on('close', () => closing.removeEventListener('abort', end))
  }

  /** Sends chunks until the client has to catch up or the next chunk is a promise. */
  readonly #pump = (): void => {
    try {
      while (!this.#exchange.closed) {
        const chunk = this.#exchange.next()
        if (isPromise(chunk)) {
          // The application has called write() without bytes, to send the head before its first chunk.
          if (!this.#begun) this.#res.flushHeaders()
          chunk.then(this.#resume, this.#fail)
          return
        }
        if (!this.#take(chunk)) return
      }
    } catch (error) {
      this.#fail(error)
    }
  }

  readonly #resume = (chunk: Chunk | undefined): void => {
    if (this.#take(chunk)) this.#pump()
  }

  /** Whether there is more to be sent now. */
  #take(chunk: Chunk | undefined): boolean {
    if (this.#exchange.closed || this.#res.destroyed) return false
    if (chunk === undefined) {
      this.#end()
      return false
    }
    const isFirst = !this.#begun
    this.#begun = true
    return this.#res.write(isFirst && !this.#exchange.head.ascii ? toBytes(chunk) : chunk)
  }

  #end(): void {
    this.#res.off('drain', this.#pump)
    if (this.#lingers) lingerThen(this.#req, () => this.#res.end())
    else {
      this.#res.end()
      leaveUnread(this.#req, this.#res)
    }
    this.#exchange.close()
  }

  /** Too late for another response: the client must see that this one is not complete. */
  readonly #fail = (error: unknown): void => {
    this.#res.off('drain', this.#pump)
    this.#exchange.report(error)
    this.#exchange.close()
    const { socket } = this.#req
    if (isHttp2(this.#req)) socket.destroy(new Error('The response is not complete.'))
    else if (this.#exchange.head.length < 0 && !this.#res.chunkedEncoding) socket.resetAndDestroy()
    else socket.destroySoon()
  }
}

/** Reads on for a moment, then goes on. */
function lingerThen(req: IncomingMessage, done: () => void): void {
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
