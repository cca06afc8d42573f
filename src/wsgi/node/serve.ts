/**
 * Serving an application with node:http.
 *
 * @module
 */
import cluster from 'node:cluster'
import { addAbortListener } from 'node:events'
import type { IncomingMessage, Server, ServerOptions } from 'node:http'
import type { ServerOptions as TLSServerOptions } from 'node:https'
import { builtin } from '../../base/builtin.ts'
import { checkNames } from '../../base/suggest.ts'
import { errorReporting, hooksOf, type ServerHooks } from '../error-reporting.ts'
import type { WSGICallable } from '../types.ts'
import { asksForWebSocket } from '../upgrade.ts'
import { Connections, type HttpSocket, refuseMalformedBytes } from './connections.ts'
import { DEFAULT_DRAIN_TIMEOUT, DEFAULT_SHUTDOWN_DELAY, Handle, type ServerHandle } from './handle.ts'
import { http } from './http-module.ts'
import { type AddressOptions, addressOf, listen, placeOf } from './listen.ts'
import { isEmpty, LISTENER_NAMES, Listener, type ListenerOptions, standardErrors } from './listener.ts'
import { ServedRequest } from './node-environ.ts'
import { Adapters, NodeUpgrade } from './node-upgrade.ts'

/**
 * Options of {@link serve}. Beside these there are node's own: headersTimeout, maxHeaderSize, and requestTimeout,
 * which is 0 by default: `bodyTimeout` ends requests that stop, and slow uploads may take any time.
 *
 * Without `port`, `host`, `path` and `fd` the server listens on the socket with which systemd has started the process
 * (`LISTEN_FDS`), or else on a free port.
 */
export interface ServeOptions
  extends ListenerOptions,
    AddressOptions,
    Pick<ServerOptions, 'requestTimeout' | 'headersTimeout' | 'maxHeaderSize' | 'connectionsCheckingInterval'> {
  /** Maximum number of connections waiting to be accepted. Node's default is 511. */
  backlog?: number
  /**
   * Maximum number of open connections of this process. Defaults to 20,000. Further ones are closed at once.
   */
  maxConnections?: number
  /**
   * Time without progress of a client that does not read its response, in milliseconds. Defaults to 120,000; 0 for
   * any time. Then the connection is cut.
   */
  sendTimeout?: number
  /**
   * Time for which an idle connection is kept for another request, in milliseconds. Defaults to 75,000 if
   * `trustProxy` names a proxy, which must be the side that ends its connections, otherwise to 5,000.
   */
  keepAliveTimeout?: number
  /** Certificate and key, as node:https takes them: serves HTTPS. */
  tls?: Pick<TLSServerOptions, 'key' | 'cert' | 'pfx' | 'passphrase' | 'ca'>
  /**
   * Maximum time that `close()` waits for requests in progress and upgraded sockets, in milliseconds. Default 7,000.
   */
  drainTimeout?: number
  /** Closes the server when it is aborted. */
  signal?: AbortSignal
  /**
   * Whether SIGTERM closes the server, and then ends the process with status 0 unless the application has a listener
   * for SIGTERM of its own. Default true.
   */
  signals?: boolean
  /**
   * Time between SIGTERM and the end of the listening socket, in milliseconds, for load balancers that poll readiness.
   * Default 1,000. See {@link CloseOptions.delay}.
   */
  shutdownDelay?: number
  /**
   * Treatment of promises that reject without a handler, in the whole process. `'throw'`, the default, ends the
   * process, as in Node. `'log'` logs them, and the process goes on.
   */
  unhandledRejections?: 'log' | 'throw'
}

const NO_PROXY =
  'HTTP/1.1 405 Method Not Allowed\r\nAllow: DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

/**
 * Serves an application over HTTP.
 *
 * An application object may carry `prepare`, `handleError`, `reportError`, `reportUnhandledRejection`, `onHangup` and
 * `shutDown`: see {@link ServerHooks}.
 *
 * @see docs/guides/production.md
 * @throws Error - the server cannot listen there. Has the `code` of Node's error, which is its cause.
 * @throws the error of `prepare`: a FrameworkApp refuses names of tools.
 * @throws TypeError - an option does not exist, options contradict each other, or an entry of `trustProxy`,
 *   `proxyHeaders` or `scriptName` is malformed.
 *
 * @example
 * ```ts
 * import { serve } from 'propylon/node'
 * import type { WSGIApplication } from 'propylon/wsgi'
 *
 * const app: WSGIApplication = (_environ, start_response) => {
 *   start_response('200 OK', [['Content-Type', 'text/plain']])
 *   return ['Hello World']
 * }
 *
 * const server = await serve(app, { port: 8080 })
 * console.log(server.url)
 * await server.close()
 * ```
 */
export async function serve(app: WSGICallable, options: ServeOptions = {}): Promise<ServerHandle> {
  const { backlog, tls, drainTimeout = DEFAULT_DRAIN_TIMEOUT, shutdownDelay = DEFAULT_SHUTDOWN_DELAY, signal } = options
  signal?.throwIfAborted()
  checkNames(
    'serve()',
    options,
    `${LISTENER_NAMES} port host path mode fd requestTimeout headersTimeout maxHeaderSize connectionsCheckingInterval backlog maxConnections sendTimeout keepAliveTimeout tls drainTimeout signal signals shutdownDelay unhandledRejections`,
  )
  const address = addressOf(options)
  await hooksOf(app).prepare?.()
  const listener = new Listener(app, { multiprocess: cluster.isWorker, ...options })
  const acceptsUpgrades = 'acceptsUpgrades' in app && app.acceptsUpgrades === true
  const all = nodeOptions(options, acceptsUpgrades)
  const server = tls === undefined ? http.createServer(all) : builtin('node:https').createServer({ ...all, ...tls })
  if (acceptsUpgrades) handleUpgrades(server, listener)
  server.on('request', listener.onRequest)
  server.on('checkContinue', listener.onCheckContinue)
  refuseMalformedBytes(server)
  const connections = new Connections(server)
  limitConnections(server, options)
  connections.cutStalled(options.sendTimeout ?? DEFAULT_SEND_TIMEOUT)
  // Without a listener node:http would drop the connection. A listener of the application's own replaces this answer.
  server.on('connect', (_req, socket) => {
    if (server.listenerCount('connect') > 1) return
    // The socket is ours now, and so is the error of a client that has gone.
    socket.on('error', () => socket.destroy())
    socket.end(NO_PROXY, () => socket.destroy())
  })
  await listen(server, address, backlog)
  if (options.unhandledRejections === 'log') logUnhandledRejections(app, server)
  const place = placeOf(server, address, tls === undefined ? 'http' : 'https')
  const handle = new Handle({ server, place, app, listener, connections, drainTimeout })
  if (signal !== undefined) {
    const abort = addAbortListener(signal, () => void handle.close())
    handle.whenClosing(() => abort[Symbol.dispose]())
  }
  repeatHangups(app, handle)
  if (options.signals !== false) {
    handle.whenClosing(closeOnTermination(handle, () => handle.close({ delay: shutdownDelay })))
  }
  return handle
}

/** Calls `onHangup` of the application on SIGHUP. */
function repeatHangups(app: WSGICallable, handle: Handle): void {
  const hooks = hooksOf(app)
  if (hooks.onHangup === undefined) return
  const hangup = () => hooks.onHangup?.()
  process.on('SIGHUP', hangup)
  handle.whenClosing(() => process.off('SIGHUP', hangup))
}

/** Logs unhandled rejections until the server has closed. */
function logUnhandledRejections(app: WSGICallable, server: Server): void {
  const reporting = errorReporting(app)
  const report = (reason: unknown) => reporting.reportUnhandledRejection(reason)
  process.on('unhandledRejection', report)
  server.once('close', () => process.off('unhandledRejection', report))
}

const DEFAULT_MAX_CONNECTIONS = 20_000

const DEFAULT_SEND_TIMEOUT = 120_000

/** @throws RangeError - the limit is not a positive number. */
function limitConnections(server: Server, { maxConnections, errors }: ServeOptions): void {
  const max = maxConnections ?? DEFAULT_MAX_CONNECTIONS
  if (!(max >= 1)) {
    throw new RangeError(`maxConnections is ${max}. Pass a number from 1, or Infinity for no bound.`)
  }
  server.maxConnections = max
  server.once('drop', () => {
    const log = errors ?? standardErrors
    log.write(
      `The server has ${max} connections and closes further ones. Raise maxConnections if this process can serve more.\n`,
    )
    log.flush()
  })
}

const DEFAULT_HEADERS_TIMEOUT = 60_000

/** Default of Node. Browsers repeat what a closed connection has lost. */
const DEFAULT_KEEP_ALIVE = 5000

/** Longer than the 60 s for which nginx and most load balancers keep idle connections. */
const PROXY_KEEP_ALIVE = 75_000

function nodeOptions(options: ServeOptions, acceptsUpgrades: boolean): ServerOptions {
  const { trustProxy = [], maxHeaderSize, connectionsCheckingInterval } = options
  const { keepAliveTimeout = trustProxy.length > 0 ? PROXY_KEEP_ALIVE : DEFAULT_KEEP_ALIVE } = options
  // Node's default of five minutes for a whole request would end slow uploads. bodyTimeout ends those that stop.
  const { requestTimeout = 0 } = options
  // Node's default is the shorter of a minute and requestTimeout, and 0 would be no limit.
  const { headersTimeout = requestTimeout === 0 ? DEFAULT_HEADERS_TIMEOUT : undefined } = options
  const shouldUpgradeCallback = acceptsUpgrades ? isHandshake : undefined
  const all = {
    // A request without a body has nothing to read: node:http need not run a stream through its life for it. Older
    // versions do not know of it and do.
    optimizeEmptyRequests: true,
    IncomingMessage: ServedRequest,
    requestTimeout,
    headersTimeout,
    keepAliveTimeout,
    maxHeaderSize,
    connectionsCheckingInterval,
    shouldUpgradeCallback,
  }
  return all
}

// ------------------------------------------------------------ SIGTERM

/** Servers that are closed on SIGTERM, with the function that closes them. */
const closers = new Map<object, () => Promise<void>>()

/**
 * Closes a server on SIGTERM. When all such servers of the process have closed, the process exits, unless the
 * application has a listener of its own for the signal, which then ends the process. A second SIGTERM ends the
 * process at once.
 *
 * @returns a function that ends this.
 */
function closeOnTermination(server: object, close: () => Promise<void>): () => void {
  // First, because a listener that was added by once() is not counted any more when it has been called.
  if (closers.size === 0) process.prependListener('SIGTERM', terminate)
  closers.set(server, close)
  return () => {
    closers.delete(server)
    if (closers.size === 0) process.off('SIGTERM', terminate)
  }
}

function terminate(): void {
  const closing = [...closers.values()].map((close) => close())
  // Each close() has removed its entry, and the last one the listener.
  if (process.listenerCount('SIGTERM') > 0) return
  void Promise.allSettled(closing).then((results) => {
    const failure = results.find(({ status }) => status === 'rejected')
    process.exit(failure === undefined ? undefined : 1)
  })
}

// ------------------------------------------------------------ WebSockets

/** Answers an upgrade request with a body, which Node before 22.21 and 24.9 does not parse. */
const NO_UPGRADE = 'HTTP/1.1 501 Not Implemented\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

/**
 * Returns true for a request whose connection is offered to the application for a WebSocket. Others are requests like
 * any other: those with a body, and those behind a response that is not complete.
 */
function isHandshake(req: IncomingMessage): boolean {
  const { _httpMessage: earlier }: HttpSocket = req.socket
  return asksForWebSocket(req.method, req.headers.upgrade) && isEmpty(req) && !earlier
}

/** Passes handshakes to the application, and switches those that it accepts. */
function handleUpgrades(server: Server, listener: Listener): void {
  const adapters = new Adapters(server, listener.unsent)
  server.on('upgrade', (req, _duplex, head) => {
    const socket: HttpSocket = req.socket
    // The socket is no longer node:http's, and its errors and time-outs neither.
    socket.on('error', () => socket.destroy())
    socket.on('timeout', () => socket.destroy())
    if (socket._httpMessage) socket.destroy()
    else if (!isEmpty(req)) socket.end(NO_UPGRADE, () => socket.destroy())
    else {
      const isOffered = isHandshake(req)
      const res = new http.ServerResponse(req)
      res.shouldKeepAlive = false
      res.assignSocket(socket)
      res.once('finish', () => socket.destroySoon())
      listener.onUpgrade(req, res, isOffered ? new NodeUpgrade(adapters, req, res, head) : undefined)
    }
  })
}
