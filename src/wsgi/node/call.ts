/**
 * One request of node:http and its response.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { toBytes } from '../../base/bytes.ts'
import { isPromise } from '../../base/promise.ts'
import { isDisconnect } from '../../base/thrown.ts'
import { UNROUTED_KEY } from '../application.ts'
import { isBodyMemoryError, RETRY_AFTER } from '../body-memory.ts'
import {
  ClientDisconnected,
  type ErrorReporting,
  plainErrorPage,
  plainReporting,
  ServerClosing,
} from '../error-reporting.ts'
import { Exchange } from '../exchange.ts'
import { refusal } from '../refusal.ts'
import { SWITCHING_PROTOCOLS } from '../response-head.ts'
import type { Environ, ServerConnection, WSGIApplication } from '../types.ts'
import type { ReadingCall, RequestInput } from './input.ts'
import { NodeUpgrade } from './node-upgrade.ts'
import { isFollowed } from './pipeline.ts'
import { leaveUnread, refuseRest, Sending, type StreamOwner } from './send.ts'
import { COUNTED_LENGTH, type UnsentBytes } from './unsent-bytes.ts'

/** The listener that a call belongs to. */
export interface CallListener {
  /** Error handling of the application. */
  readonly reporting: ErrorReporting
  /** Aborted when the shutdown begins. */
  readonly closing: AbortSignal
  readonly unsent: UnsentBytes
  /** Whether connections are closed after the responses in progress. */
  readonly draining: boolean
  /** Whether connections are being cut. */
  readonly isCut: boolean
  /** Number of requests that wait for the application. Those that wait for their client do not count. */
  waiting: number
}

/** Source of a response. */
type Stage = 'application' | 'page' | 'plain page'

/** The call of a response, for {@link onClose}. */
const CALL = Symbol('propylon.call')

type WatchedResponse = ServerResponse & { [CALL]?: Call }

/**
 * The listener of all responses. V8 allocates a function that is made for `on()` in the old generation if the arrays of
 * listeners live long, as the arrays of connections do. The request that it refers to would be kept until a full
 * garbage collection, and a form on a busy server would cost up to twice as much.
 */
function onClose(this: WatchedResponse): void {
  this[CALL]?.end()
}

/** One request and its response. */
export class Call implements ServerConnection, StreamOwner, ReadingCall {
  readonly #listener: CallListener
  readonly #environ: Environ
  readonly #req: IncomingMessage
  readonly #res: ServerResponse
  readonly #input: RequestInput | undefined
  /** Handler of requests without a route. */
  readonly #next: (() => void) | undefined
  #lost: ((reason: Error) => void)[] | undefined = undefined
  #sent: (() => void)[] | undefined = undefined
  #exchange: Exchange | undefined = undefined
  #isWatched = false
  /** The call of an application that has passed the request on to the one of this call. */
  #earlier: Call | undefined = undefined
  /** Whether the application has returned a promise that is pending. */
  #isPending = false
  /** Whether the request is one of those that wait for the application. */
  #isCounted = false

  constructor(
    listener: CallListener,
    environ: Environ,
    req: IncomingMessage,
    res: ServerResponse,
    input: RequestInput | undefined,
    next: (() => void) | undefined,
  ) {
    this.#next = next
    this.#listener = listener
    this.#environ = environ
    this.#req = req
    this.#res = res
    this.#input = input
    environ['propylon.connection'] = this
    if (input !== undefined) input.call = this
  }

  get closing(): AbortSignal {
    return this.#listener.closing
  }

  get unsent(): UnsentBytes {
    return this.#listener.unsent
  }

  get isAbandoned(): boolean {
    return this.#res.destroyed && !this.#res.headersSent
  }

  onLost(listener: (reason: Error) => void): void {
    this.#lost ??= []
    this.#lost.push(listener)
    this.watch()
    if (this.#res.closed) this.end()
  }

  onSent(listener: () => void): () => void {
    this.#sent ??= []
    this.#sent.push(listener)
    this.watch()
    if (this.#res.closed) this.end()
    return () => {
      if ((this.#res.socket?.writableLength ?? 0) > 0) this.#res.destroy()
    }
  }

  /** Ends the work for the response when it is complete, or when the connection is lost. */
  watch(): void {
    if (this.#isWatched) return
    this.#isWatched = true
    const res: WatchedResponse = this.#res
    this.#earlier = res[CALL]
    res[CALL] = this
    if (this.#earlier === undefined) res.on('close', onClose)
  }

  earlyHints(links: readonly string[]): void {
    const res = this.#res
    // RFC 8297 §2: a client of HTTP/1.0 does not expect interim responses. Hosts may lack the method.
    if (res.headersSent || this.#req.httpVersion === '1.0' || typeof res.writeEarlyHints !== 'function') return
    res.writeEarlyHints({ link: [...links] })
  }

  /** Ends the work for an event stream that the shutdown ends. */
  endStream(): void {
    this.#lose(new ServerClosing())
  }

  /** The response is complete, or the connection is lost. */
  end(): void {
    this.#earlier?.end()
    // After a complete response, it has no effect.
    this.#exchange?.close()
    this.#input?.uncount()
    for (const listener of this.#sent?.splice(0) ?? []) listener()
    // Responses of HTTP/2 do not have the first one.
    if (this.#res.writableFinished ?? this.#res.writableEnded) return
    this.#lose(this.#listener.isCut ? new ServerClosing() : new ClientDisconnected())
  }

  #lose(reason: Error): void {
    for (const listener of this.#lost?.splice(0) ?? []) listener(reason)
  }

  /** Runs the application, or the application that sends its error page. */
  answer(app: WSGIApplication, stage: Stage): void {
    this.#exchange?.close()
    const exchange = new Exchange(this.#environ, this.#listener.reporting)
    this.#exchange = exchange
    try {
      const started = exchange.run(app)
      if (started === undefined) this.#send(exchange)
      else this.#answerLater(exchange, started, stage)
    } catch (error) {
      this.#failed(error, stage)
    }
  }

  #answerLater(exchange: Exchange, started: Promise<void>, stage: Stage): void {
    // The client may disconnect while the application runs.
    this.watch()
    this.#isPending = true
    if (this.#input?.isAwaited !== true) this.goOn()
    started.then(
      () => {
        this.#settle()
        try {
          this.#send(exchange)
        } catch (error) {
          this.#failed(error, stage)
        }
      },
      (error: unknown) => {
        this.#settle()
        this.#failed(error, stage)
      },
    )
  }

  awaitClient(): void {
    if (!this.#isCounted) return
    this.#isCounted = false
    this.#listener.waiting -= 1
  }

  goOn(): void {
    if (this.#isCounted || !this.#isPending) return
    this.#isCounted = true
    this.#listener.waiting += 1
  }

  #settle(): void {
    this.#isPending = false
    this.awaitClient()
  }

  /** Sends a response whose head is final: a whole body in one write, any other by {@link Sending}. */
  #send(exchange: Exchange): void {
    const res = this.#res
    if (res.destroyed) {
      // The client has disconnected while the application ran.
      exchange.close()
      return
    }
    if (this.#next !== undefined && this.#environ[UNROUTED_KEY] === true) {
      exchange.close()
      this.#next()
      return
    }
    if (exchange.head.code === SWITCHING_PROTOCOLS) {
      this.#switch(exchange)
      return
    }
    if (this.#listener.draining && !isFollowed(this.#req)) res.shouldKeepAlive = false
    const req = this.#req
    const input = this.#input
    const { head, whole } = exchange
    const lingers = input !== undefined && refuseRest(input, req, res)
    // HTTP/2 has no reason phrases.
    if (req.httpVersionMajor >= 2) res.writeHead(head.code, head.fields)
    else res.writeHead(head.code, head.reason, head.fields)
    if (whole === undefined || lingers) {
      new Sending(exchange, req, res, lingers).start(this)
      return
    }
    // node:http writes a head and a string in one piece as UTF-8, which a head in Latin-1 would not survive.
    if (whole.length === 0) res.end()
    else res.end(head.ascii ? whole : toBytes(whole))
    if (whole.length >= COUNTED_LENGTH) this.unsent.add(res)
    if (input !== undefined) leaveUnread(req, res)
    exchange.close()
  }

  /** Switches the connection to the protocol that the application has accepted. */
  #switch(exchange: Exchange): void {
    const { 'propylon.upgrade': upgrade } = this.#environ
    exchange.close()
    if (upgrade instanceof NodeUpgrade) upgrade.begin(this.#environ, exchange.head)
    else this.#res.destroy()
  }

  #failed(error: unknown, stage: Stage): void {
    const res = this.#res
    const isGone = isDisconnect(error)
    if (isGone || res.destroyed || res.headersSent || stage === 'plain page') {
      // The client has disconnected, or the head has been sent.
      if (!isGone) this.#listener.reporting.reportError(error, this.#environ)
      res.destroy()
    } else if (isBodyMemoryError(error)) this.answer(overloadPage, 'plain page')
    else if (stage === 'application') this.#showPage(error)
    else this.#showPlainPage(error)
  }

  #showPage(error: unknown): void {
    const page = this.#listener.reporting.handleError(error, this.#environ)
    if (isPromise(page)) page.then((later) => this.answer(later, 'page'))
    else this.answer(page, 'page')
  }

  /** Reports that the error page failed as well, and sends a plain one. */
  #showPlainPage(error: unknown): void {
    plainReporting.reportError(error, this.#environ)
    this.answer(plainErrorPage, 'plain page')
  }
}

/** The response to a request whose body the server has no memory for. */
export const overloadPage: WSGIApplication = refusal(503, [['Retry-After', String(RETRY_AFTER)]])
