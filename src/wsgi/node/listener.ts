/**
 * An application as a request listener of node:http.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import { logged } from '../../base/printable.ts'
import { checkNames } from '../../base/suggest.ts'
import { BodyMemory, isBodyMemoryError } from '../body-memory.ts'
import {
  type ErrorReporting,
  errorReporting,
  hooksOf,
  ServerClosing,
  type ServerHooks,
  servedApplication,
} from '../error-reporting.ts'
import { proxiesOf } from '../proxy/trusted-proxies.ts'
import { answersMalformed, MALFORMED_KEY, refusal } from '../refusal.ts'
import { mountPoint } from '../request-url.ts'
import type { Environ, ErrorStream, WSGIApplication, WSGICallable } from '../types.ts'
import type { Upgrade } from '../upgrade.ts'
import { Call, type CallListener, overloadPage } from './call.ts'
import { type Mount, mountOf, preserveBody } from './foreign-request.ts'
import { http } from './http-module.ts'
import { type BodyLimits, IdleBodies, RequestInput } from './input.ts'
import { acceptNoMore, nodeEnviron, type ServerFacts } from './node-environ.ts'
import { whenTurn } from './pipeline.ts'
import { UnsentBytes } from './unsent-bytes.ts'

/** Options of {@link toListener}. */
export interface ListenerOptions {
  /** `wsgi.errors`. Defaults to the standard error output. */
  errors?: ErrorStream
  /** `wsgi.multiprocess`: whether other processes run the same application. Defaults to false. */
  multiprocess?: boolean
  /**
   * Maximum number of requests that wait for the application at once. Defaults to 10,000. Further requests are
   * answered with 503 at once. A request whose body has not arrived does not count.
   */
  maxRequests?: number
  /**
   * Time for which the event loop may be busy without a pause, in milliseconds. Further requests are answered with
   * 503 until there is a pause. Set it, to 100 to 1,000, if actions compute for milliseconds. Default: any time.
   */
  maxDelay?: number
  /**
   * Maximum number of bytes of request bodies that all requests together hold in memory. Defaults to 134,217,728
   * (128 MiB). A request beyond it gets 503. Bodies that are read piece by piece (`for await`, `stream`) do not
   * count.
   */
  maxBufferedBytes?: number
  /**
   * Maximum number of unsent bytes of responses in memory, such as text and JSON, of all requests together.
   * Defaults to 268,435,456 (256 MiB). Beyond it the connections are cut whose clients have read too slowly for
   * longest.
   */
  maxUnsentBytes?: number
  /**
   * Time for which a client may send nothing of a request body while the application waits for it, in
   * milliseconds. Defaults to 60,000; 0 for any time. The response is 408 then. Of a body that is read whole, 500
   * bytes for each second must arrive.
   */
  bodyTimeout?: number
  /**
   * Proxies whose forwarding headers are used: addresses (`'127.0.0.1'`), ranges (`'10.0.0.0/8'`), and `'unix'`
   * for peers on unix sockets. Default: none. X-Forwarded-For, -Proto, -Host and -Prefix of such a peer set
   * REMOTE_ADDR (the right-most address that is not trusted), `wsgi.url_scheme`, HTTP_HOST and SCRIPT_NAME.
   */
  trustProxy?: readonly string[]
  /**
   * Family of forwarding headers that the proxies write: `'x-forwarded'`, the default, or `'forwarded'` for Forwarded
   * (RFC 7239), which has no prefix. The other family changes nothing.
   */
  proxyHeaders?: 'x-forwarded' | 'forwarded'
  /**
   * Path at which the application is mounted, percent-decoded: SCRIPT_NAME. It is removed from the beginning of the
   * path. A path without it is taken for one from which a framework or proxy has removed it. Default `''`.
   */
  scriptName?: string
}

/** The names of the options. */
export const LISTENER_NAMES =
  'errors multiprocess maxRequests maxDelay maxBufferedBytes maxUnsentBytes bodyTimeout trustProxy proxyHeaders scriptName'

const DEFAULT_MAX_REQUESTS = 10_000

/** Eight forms of the largest size that is accepted by default. */
const DEFAULT_MAX_BUFFERED_BYTES = 128 * 1024 * 1024

const DEFAULT_MAX_UNSENT_BYTES = 256 * 1024 * 1024

const DEFAULT_BODY_TIMEOUT = 60_000

/**
 * Handles a request of node:http, as a server or a framework calls it.
 *
 * @param next - is called instead of a response if no route of the application matches. A response with status 404 of
 *   an action is a response.
 */
export type RequestListener = (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => void

/**
 * Returns a request listener that runs an application, for a server that you create yourself.
 *
 * In Express, Connect, middie and h3 it is mounted like their own handlers: SCRIPT_NAME is the mount point, and
 * requests without a route go on to the next handler. Koa and Hono do not give the mount point: pass it as
 * `scriptName`.
 *
 * Errors of the application become the pages of its `handleError`, or a plain 500 if it has none. {@link serve} adds
 * `100 Continue` on the first read of a request body, and an orderly shutdown.
 *
 * @throws TypeError - an entry of `trustProxy`, `proxyHeaders`, or `scriptName` is malformed.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { toListener } from 'propylon/node'
 * import type { WSGIApplication } from 'propylon/wsgi'
 *
 * const app: WSGIApplication = (_environ, start_response) => {
 *   start_response('200 OK', [['Content-Type', 'text/plain']])
 *   return ['Hello World']
 * }
 *
 * createServer(toListener(app)).listen(8080)
 * ```
 */
export function toListener(app: WSGICallable, options: ListenerOptions = {}): RequestListener {
  checkNames('toListener()', options, LISTENER_NAMES)
  return new Listener(app, options).onForeignRequest
}

/** Runs an application for requests of node:http. */
export class Listener implements CallListener {
  /** Whether connections are closed after the responses in progress. */
  draining = false
  /** Whether connections are being cut, because the requests in progress took too long. */
  isCut = false
  /** Number of requests that wait for the application. Synchronous responses never count. */
  waiting = 0

  /** Error handling of the application. */
  readonly reporting: ErrorReporting

  readonly unsent: UnsentBytes

  readonly #closing = new AbortController()
  /** Aborted when the shutdown begins. */
  readonly closing: AbortSignal = this.#closing.signal
  /** Functions that begin the requests that wait, while they do. */
  #held: (() => void)[] | undefined
  readonly #app: WSGIApplication
  readonly #answersMalformed: boolean
  readonly #hooks: Partial<ServerHooks>
  readonly #facts: ServerFacts
  readonly #maxRequests: number
  readonly #loop: BusyLoop | undefined
  readonly #limits: BodyLimits

  constructor(app: WSGICallable, options: ListenerOptions) {
    this.#limits = {
      memory: new BodyMemory(options.maxBufferedBytes ?? DEFAULT_MAX_BUFFERED_BYTES),
      idle: new IdleBodies(options.bodyTimeout ?? DEFAULT_BODY_TIMEOUT),
    }
    this.unsent = new UnsentBytes(options.maxUnsentBytes ?? DEFAULT_MAX_UNSENT_BYTES)
    this.#maxRequests = options.maxRequests ?? DEFAULT_MAX_REQUESTS
    this.#loop = options.maxDelay === undefined ? undefined : new BusyLoop(options.maxDelay)
    const reporting = errorReporting(app)
    this.reporting = reporting
    this.#app = servedApplication(app, {
      ...reporting,
      handleError: (error, environ) =>
        isBodyMemoryError(error) ? overloadPage : reporting.handleError(error, environ),
    })
    this.#answersMalformed = answersMalformed(app)
    this.#hooks = hooksOf(app)
    this.#facts = {
      errors: options.errors ?? standardErrors,
      multiprocess: options.multiprocess ?? false,
      proxies: proxiesOf(options.trustProxy, options.proxyHeaders),
      scriptName: mountPoint(options.scriptName),
    }
  }

  /** Ends event streams, which would last as long as their clients. Later ones are ended when they begin. */
  endStreams(): void {
    this.#closing.abort(new ServerClosing())
  }

  /** Lets further requests wait until {@link release}. */
  hold(): void {
    this.#held ??= []
  }

  /** Begins the requests that wait. */
  release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const begin of held) begin()
  }

  /** Handles a request that a framework may have changed. */
  readonly onForeignRequest: RequestListener = (req, res, next) =>
    this.#begin(req, res, false, { mount: mountOf(req), next })

  /** Handles the event `request`. */
  readonly onRequest = (req: IncomingMessage, res: ServerResponse): void => this.#begin(req, res, false)

  /** Handles the event `upgrade`. */
  onUpgrade(req: IncomingMessage, res: ServerResponse, upgrade: Upgrade | undefined): void {
    this.#begin(req, res, false, { upgrade })
  }

  /** Handles the event `checkContinue`: the client waits for a 100 before it sends the body (RFC 9110 §10.1.1). */
  readonly onCheckContinue = (req: IncomingMessage, res: ServerResponse): void => this.#begin(req, res, true)

  #begin(req: IncomingMessage, res: ServerResponse, expectsContinue: boolean, foreign?: Foreign): void {
    // node:http assigns the socket to one response at a time, and to the next one when the last byte of a response has
    // been handed to the operating system.
    if (res.socket === null && !res.writableEnded) {
      whenTurn(req, res, () => this.#begin(req, res, expectsContinue, foreign))
      return
    }
    if (this.#held !== undefined) {
      this.#held.push(() => this.#begin(req, res, expectsContinue, foreign))
      return
    }
    const environ = nodeEnviron(req, this.#facts, foreign?.mount)
    if (this.waiting >= this.#maxRequests || this.#loop?.isLate() === true) {
      // A new connection would cost more than this response.
      this.#refuse(overloadPage, environ, req, res, isEmpty(req) && !this.draining)
      return
    }
    if (hasOtherVersion(req)) {
      acceptNoMore(req)
      this.#refuse(refusal(505), environ, req, res)
      return
    }
    if (environ === undefined || (environ[MALFORMED_KEY] !== undefined && !this.#answersMalformed)) {
      this.#refuse(refusal(400), environ, req, res)
      return
    }
    // The sender of such a request may also mean other framing.
    if (environ[MALFORMED_KEY] !== undefined) res.shouldKeepAlive = false
    if (foreign?.upgrade !== undefined) environ['propylon.upgrade'] = foreign.upgrade
    const { HTTP_TRANSFER_ENCODING: sentCoding } = environ
    if (sentCoding !== undefined && !checkCoding(sentCoding, req, res)) {
      this.#refuse(refusal(501), environ, req, res)
      return
    }
    const isPreserved = foreign !== undefined && preserveBody(req, environ)
    const { CONTENT_LENGTH: stated, HTTP_TRANSFER_ENCODING: coding } = environ
    let input: RequestInput | undefined
    if (!isPreserved && (coding !== undefined || (stated !== '' && stated !== '0'))) {
      const length = coding === undefined ? Number(stated) : Number.POSITIVE_INFINITY
      input = new RequestInput(req, res, length, expectsContinue, this.#limits)
      environ['wsgi.input'] = input
    }
    new Call(this, environ, req, res, input, foreign?.next).answer(this.#app, 'application')
  }

  /** Answers without calling the application, in its form of errors. */
  #refuse(
    page: WSGIApplication,
    environ: Environ | undefined,
    req: IncomingMessage,
    res: ServerResponse,
    keepsAlive = false,
  ): void {
    if (!keepsAlive) res.shouldKeepAlive = false
    // The request follows one that ended its connection.
    if (environ === undefined) {
      res.writeHead(400).end()
      return
    }
    const { errorForm } = this.#hooks
    if (errorForm !== undefined) environ['propylon.problems'] = errorForm
    new Call(this, environ, req, res, undefined, undefined).answer(page, 'plain page')
  }
}

/**
 * Returns true for a request of HTTP/0.9 or HTTP/2.0 in the syntax of HTTP/1. The parser of node:http accepts both,
 * without the rules for Host and framing that protect HTTP/1.1. Requests of node:http2 are not instances of
 * IncomingMessage.
 */
function hasOtherVersion(req: IncomingMessage): boolean {
  const { httpVersion } = req
  if (httpVersion === '1.1' || httpVersion === '1.0' || httpVersion === undefined) return false
  return req instanceof http.IncomingMessage
}

/** A request that comes from a framework, or whose connection node:http has given away. */
interface Foreign {
  readonly mount?: Mount | undefined
  readonly next?: ((error?: unknown) => void) | undefined
  readonly upgrade?: Upgrade | undefined
}

/**
 * Checks the transfer coding of a request body. HTTP/1.0 has none, so its framing cannot be trusted: the connection is
 * closed after the response (RFC 9112 §6.1).
 *
 * @returns false if the coding is not supported.
 */
function checkCoding(coding: string, req: IncomingMessage, res: ServerResponse): boolean {
  const isChunked = coding.toLowerCase() === 'chunked'
  if (isChunked && (req.httpVersion === '1.1' || req.httpVersion === undefined)) return true
  acceptNoMore(req)
  if (isChunked) res.shouldKeepAlive = false
  return isChunked
}

/** Returns true for a request without a body. */
export function isEmpty({ headers }: IncomingMessage): boolean {
  return (headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined
}

// ------------------------------------------------------------ overload by computing

const MAX_MILLISECONDS = 2 ** 31 - 1

/**
 * Measures for how long the event loop has not been idle. As long as it is not, something waits, such as connections
 * in the queue of the system, which no other measure shows. A queue that is never empty only adds delay (RFC 8289 §3).
 */
class BusyLoop {
  readonly #most: number
  #idle = 0
  #since = 0

  /**
   * @param most - longest time without idleness, in milliseconds.
   * @throws RangeError - it is not positive, or too large.
   */
  constructor(most: number) {
    if (!(most > 0 && most <= MAX_MILLISECONDS)) {
      throw new RangeError(
        `maxDelay is ${most}. Pass milliseconds from 1 to ${MAX_MILLISECONDS}, or omit it for no limit.`,
      )
    }
    this.#most = most
  }

  /** Called for each request. Returns true if the event loop has been busy for too long. */
  isLate(): boolean {
    const { idle, active } = performance.eventLoopUtilization()
    const now = performance.now()
    // `active` is 0 in runtimes that do not measure it.
    if (active === 0 || idle !== this.#idle || this.#since === 0) {
      this.#idle = idle
      this.#since = now
    }
    return now - this.#since > this.#most
  }
}

// ------------------------------------------------------------ wsgi.errors

let isGuarded = false

/**
 * Writes to the standard error output, with control characters escaped.
 *
 * When its reader has gone (`node app.js 2>&1 | head -1`), every write emits an `error` event (EPIPE), which ends the
 * process unless it has a listener. It cannot be reported anywhere else, so it is dropped.
 */
export const standardErrors: ErrorStream = {
  write(text) {
    if (!isGuarded) {
      isGuarded = true
      process.stderr.on('error', () => {})
    }
    process.stderr.write(logged(text))
  },
  flush() {},
}
