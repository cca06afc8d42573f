/**
 * Serving an application with node:http.
 *
 * @module
 */
import cluster from 'node:cluster'
import http, { type ServerOptions } from 'node:http'
import https, { type ServerOptions as TLSServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { errorReporting, type ServerHooks } from '../errors.ts'
import type { WSGICallable } from '../types.ts'
import { Connections } from './connections.ts'
import { ServedRequest } from './input.ts'
import { Listener, type ListenerOptions } from './listener.ts'

/**
 * How to serve. Beside these there are node's own: headersTimeout, keepAliveTimeout, maxHeaderSize, and requestTimeout,
 * which is 0 by default: `bodyTimeout` ends requests that stop, and slow uploads may take any time.
 */
export interface ServeOptions
  extends ListenerOptions,
    Pick<
      ServerOptions,
      | 'requestTimeout'
      | 'headersTimeout'
      | 'keepAliveTimeout'
      | 'maxHeaderSize'
      | 'connectionsCheckingInterval'
    > {
  /** The port; 0, which is the default, takes a free one. */
  port?: number
  /** The address or name to listen on. `127.0.0.1` when absent: this machine only. */
  host?: string
  /** Maximum number of connections waiting to be accepted. Node's default is 511. */
  backlog?: number
  /** Certificate and key, as node:https takes them: serves HTTPS. */
  tls?: Pick<TLSServerOptions, 'key' | 'cert' | 'pfx' | 'passphrase' | 'ca'>
  /** Maximum time that `close()` waits for requests in progress and upgraded sockets, in milliseconds. Default 10,000. */
  drainTimeout?: number
  /** Closes the server when it is aborted. */
  signal?: AbortSignal
  /**
   * How to treat promises that reject without a handler, such as one that an action forgot to await. `'throw'`, the
   * default, is what Node does: the process ends. With `'log'`, the application's `reportUnhandledRejection` logs them,
   * or the console, and the process goes on. It applies to the whole process, from the time the server listens until it
   * has closed.
   */
  unhandledRejections?: 'log' | 'throw'
}

/** A running server. */
export interface ServerHandle {
  /** URL of the server: `http://127.0.0.1:8080`. */
  readonly url: string
  readonly port: number
  readonly host: string
  /**
   * The server of node:http. Its requests belong to the application: who listens to `request` sees their heads, and
   * `data`, `end` and `close` of a request may never come, since its body is read past its events.
   */
  readonly server: http.Server
  /**
   * Closes the server in order. It accepts no new connections and closes those without a request in progress, also
   * where half of a request's head has arrived. Requests in progress are completed with `Connection: close`. Upgraded
   * sockets (WebSockets, CONNECT) are ended, and cut if the client does not close its side within a second. After
   * `drainTimeout` all remaining connections are cut. Later calls return the first one's promise.
   */
  close(): Promise<void>
}

const DEFAULT_DRAIN_TIMEOUT = 10_000

const NO_PROXY =
  'HTTP/1.1 405 Method Not Allowed\r\nAllow: DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

/**
 * Serves an application over HTTP.
 *
 * An application object may carry `handleError`, `reportError`, `reportUnhandledRejection` and `onHangup`: see {@link ServerHooks}.
 *
 * @throws Error - the server cannot listen on the port. Has the `code` of Node's error, which is its cause.
 * @throws TypeError - an entry of `trustProxy`, or `scriptName`, is malformed.
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
  const { port = 0, host = '127.0.0.1', backlog, tls, drainTimeout = DEFAULT_DRAIN_TIMEOUT, signal } = options
  signal?.throwIfAborted()
  const listener = new Listener(app, { multiprocess: cluster.isWorker, ...options })
  const server = tls === undefined ? http.createServer(nodeOptions(options)) : secureServer(options, tls)
  server.on('request', listener.onRequest)
  server.on('checkContinue', listener.onCheckContinue)
  const connections = new Connections(server)
  // Without a listener node:http would drop the connection. A listener of the application's own replaces this answer.
  server.on('connect', (_req, socket) => {
    if (server.listenerCount('connect') > 1) return
    // The socket is ours now, and so is the error of a client that has gone.
    socket.on('error', () => socket.destroy())
    socket.end(NO_PROXY, () => socket.destroy())
  })
  await listen(server, { port, host, ...(backlog === undefined ? {} : { backlog }) })
  if (options.unhandledRejections === 'log') logUnhandledRejections(app, server)
  return new Handle(
    server,
    host,
    tls === undefined ? 'http' : 'https',
    app,
    listener,
    connections,
    drainTimeout,
    signal,
  )
}

/** Logs unhandled rejections until the server has closed. */
function logUnhandledRejections(app: WSGICallable, server: http.Server): void {
  const reporting = errorReporting(app)
  const report = (reason: unknown) => reporting.reportUnhandledRejection(reason)
  process.on('unhandledRejection', report)
  server.once('close', () => process.off('unhandledRejection', report))
}

const DEFAULT_HEADERS_TIMEOUT = 60_000

function nodeOptions(options: ServeOptions): ServerOptions {
  const { keepAliveTimeout, maxHeaderSize, connectionsCheckingInterval } = options
  // Node's default of five minutes for a whole request would end slow uploads. bodyTimeout ends those that stop.
  const { requestTimeout = 0 } = options
  // Node's default is the shorter of a minute and requestTimeout, and 0 would be no limit.
  const { headersTimeout = requestTimeout === 0 ? DEFAULT_HEADERS_TIMEOUT : undefined } = options
  const all = { requestTimeout, headersTimeout, keepAliveTimeout, maxHeaderSize, connectionsCheckingInterval }
  // A request without a body has nothing to read: node:http need not run a stream through its life for it. Older
  // versions do not know of it and do.
  const given: ServerOptions = { optimizeEmptyRequests: true, IncomingMessage: ServedRequest }
  return Object.assign(
    given,
    Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
  )
}

function secureServer(options: ServeOptions, tls: TLSServerOptions): http.Server {
  return https.createServer({ ...nodeOptions(options), ...tls })
}

function listen(
  server: http.Server,
  address: { port: number; host: string; backlog?: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(listenError(error, address))
    server.once('error', fail)
    server.listen(address, () => {
      server.off('error', fail)
      resolve()
    })
  })
}

const LISTEN_ERRORS: ReadonlyMap<string | undefined, string> = new Map([
  ['EADDRINUSE', 'it is in use: stop the other server, or choose another port'],
  ['EACCES', 'this user may not: choose a port above 1023'],
  ['EADDRNOTAVAIL', 'this machine has no such address: try 127.0.0.1, or 0.0.0.0 for all of its addresses'],
  ['ENOTFOUND', 'no such host is known: try 127.0.0.1, or 0.0.0.0 for all addresses of this machine'],
])

function listenError(error: NodeJS.ErrnoException, { port, host }: { port: number; host: string }): Error {
  const why = LISTEN_ERRORS.get(error.code) ?? error.message
  return Object.assign(new Error(`Cannot listen on port ${port} of ${host}: ${why}.`, { cause: error }), {
    code: error.code,
  })
}

class Handle implements ServerHandle {
  readonly url: string
  readonly port: number
  readonly host: string
  readonly server: http.Server
  readonly #listener: Listener
  readonly #connections: Connections
  readonly #drainTimeout: number
  readonly #unwire: () => void
  #closing: Promise<void> | undefined

  constructor(
    server: http.Server,
    host: string,
    scheme: string,
    app: WSGICallable,
    listener: Listener,
    connections: Connections,
    drainTimeout: number,
    signal: AbortSignal | undefined,
  ) {
    this.server = server
    this.host = host
    this.port = portOf(server.address())
    this.url = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${this.port}`
    this.#listener = listener
    this.#connections = connections
    this.#drainTimeout = drainTimeout
    this.#unwire = this.#wire(app, signal)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  #close(): Promise<void> {
    this.#unwire()
    const { server } = this
    this.#listener.draining = true
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#connections.destroy(), this.#drainTimeout)
      server.close((error) => {
        clearTimeout(timer)
        if (error === undefined) resolve()
        else reject(error)
      })
      this.#connections.close()
    })
  }

  /** Listens to what may come from outside until the server is closed. */
  #wire(app: WSGICallable, signal: AbortSignal | undefined): () => void {
    const hooks: ServerHooks | undefined = typeof app === 'object' ? app : undefined
    const hangup = hooks?.onHangup === undefined ? undefined : () => hooks.onHangup?.()
    const abort = () => {
      this.close()
    }
    if (hangup !== undefined) process.on('SIGHUP', hangup)
    signal?.addEventListener('abort', abort)
    return () => {
      if (hangup !== undefined) process.off('SIGHUP', hangup)
      signal?.removeEventListener('abort', abort)
    }
  }
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0
}
