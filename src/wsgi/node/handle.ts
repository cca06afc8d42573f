/**
 * A running server, and its shutdown.
 *
 * @module
 */
import cluster from 'node:cluster'
import type http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRecord } from '../../base/record.ts'
import { errorReporting, type ServerHooks } from '../error-reporting.ts'
import type { WSGICallable } from '../types.ts'
import type { Connections } from './connections.ts'
import type { Listener } from './listener.ts'

/**
 * Default of the option `drainTimeout`, in milliseconds. With the default of `shutdownDelay` it is less than the 10
 * seconds after which Docker and others kill a process.
 */
export const DEFAULT_DRAIN_TIMEOUT = 7000

/** Time for an application to clean up after requests that were cut, such as half-written files, in milliseconds. */
const CLEANUP_TIME = 250

/**
 * Time that a client which has just received its response may need to connect for the next request, in milliseconds.
 */
const RECONNECTION = 100

/** Default of the option `shutdownDelay`, in milliseconds. */
export const DEFAULT_SHUTDOWN_DELAY = 1000

/** Options of {@link ServerHandle.close}. */
export interface CloseOptions {
  /**
   * Time for which new connections are accepted still, in milliseconds, so that a load balancer sees that the server
   * is not ready before it finds the port closed. Default 0.
   */
  delay?: number
}

/** A running server. */
export interface ServerHandle {
  /**
   * URL of the server: `http://127.0.0.1:8080`, or `unix:/run/app.sock`. `fd:3` for a unix socket that was passed, whose
   * path is not known.
   */
  readonly url: string
  /** 0 for a unix socket. */
  readonly port: number
  /** `''` for a unix socket. */
  readonly host: string
  /** Path of the unix socket. Undefined for a port. */
  readonly path: string | undefined
  /** Whether the server accepts requests: true until its shutdown begins, by SIGTERM or {@link close}. */
  readonly ready: boolean
  /**
   * The server of node:http. A listener of `request` may read the head of a request. Its events `data`, `end` and
   * `close` may not be emitted, because the application reads the body.
   */
  readonly server: http.Server
  /**
   * Closes the server in order. {@link ready} is false and event streams end at once. After `delay` it accepts no new
   * connections and closes those without a request in progress. Requests in progress are completed with `Connection:
   * close`, and so are requests of which a part has arrived, if the rest of their head follows within a second.
   * Upgraded sockets (WebSockets, CONNECT) are ended, and cut if the client does not close its side within a second.
   * After `drainTimeout` all remaining connections are cut. Then the callbacks of `app.onShutdown()` run, if no other
   * server of the application is open. Later calls return the first one's promise.
   */
  close(options?: CloseOptions): Promise<void>
}

/** The place where a server listens. */
export type Place = Pick<ServerHandle, 'url' | 'port' | 'host' | 'path'>

/** The parts of a running server. */
export interface ServerParts {
  readonly server: http.Server
  readonly place: Place
  readonly app: WSGICallable
  readonly listener: Listener
  readonly connections: Connections
  /** In milliseconds. */
  readonly drainTimeout: number
}

/** Number of open servers of each application. */
const openServers = new WeakMap<object, number>()

export class Handle implements ServerHandle {
  readonly url: string
  readonly port: number
  readonly host: string
  readonly path: string | undefined
  readonly server: http.Server
  readonly #parts: ServerParts
  /** Functions to call when the shutdown begins. */
  readonly #disposers: (() => void)[] = []
  #closing: Promise<void> | undefined

  constructor(parts: ServerParts) {
    const { place, server, app } = parts
    this.url = place.url
    this.port = place.port
    this.host = place.host
    this.path = place.path
    this.server = server
    this.#parts = parts
    openServers.set(app, (openServers.get(app) ?? 0) + 1)
  }

  get ready(): boolean {
    return this.#closing === undefined
  }

  /** Calls a function when the shutdown begins. */
  whenClosing(dispose: () => void): void {
    this.#disposers.push(dispose)
  }

  close({ delay = 0 }: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(delay)
    return this.#closing
  }

  async #close(delay: number): Promise<void> {
    for (const dispose of this.#disposers) dispose()
    const { listener, connections } = this.#parts
    listener.endStreams()
    connections.expectLate()
    // Clients that go on sending open another connection, so that few are left when the idle ones are closed.
    listener.draining = true
    if (delay > 0) await sleep(delay)
    // Clients whose requests wait do not open further connections, so there is an end of those to accept.
    listener.hold()
    await connections.acceptWaiting(delay > 0 ? RECONNECTION : 0)
    try {
      await this.#drain()
    } finally {
      await this.#afterLast()
    }
  }

  #drain(): Promise<void> {
    const { server, listener, connections, drainTimeout } = this.#parts
    return new Promise((resolve, reject) => {
      let cut: Promise<void> | undefined
      const timer = setTimeout(() => {
        listener.isCut = true
        cut = connections.destroy().then(() => sleep(CLEANUP_TIME))
      }, drainTimeout)
      server.close((error) => {
        clearTimeout(timer)
        // The server closes before the sockets that were cut do.
        if (error === undefined) resolve(cut)
        else reject(error)
      })
      // The requests that wait need the rest of the time.
      void othersClosed(drainTimeout / 2).then(() => {
        connections.close()
        listener.release()
      })
    })
  }

  /** Runs the application's callbacks if this was its last server. */
  async #afterLast(): Promise<void> {
    const { app } = this.#parts
    const others = (openServers.get(app) ?? 1) - 1
    openServers.set(app, others)
    if (others > 0 || typeof app !== 'object') return
    const hooks: ServerHooks = app
    try {
      await hooks.shutDown?.()
    } catch (error) {
      errorReporting(app).reportUnhandledRejection(error)
    }
  }
}

// ------------------------------------------------------------ workers

/**
 * Time for which a worker that is replaced keeps idle connections. Clients that send requests in this time receive
 * `Connection: close` and open another connection. One that is closed while a request is on its way would fail it.
 */
const REPLACEMENT_MILLISECONDS = 1000

/** Whether this worker ends together with the others. */
let endsWithOthers = false

/**
 * Resolves when this process is to stop, to the time for which it keeps its port and idle connections, in milliseconds.
 *
 * @param terminated - the time after SIGTERM.
 * @param interrupted - the time after SIGINT. A second SIGINT ends the process.
 */
export function stopDelay(terminated: number, interrupted: number): Promise<number> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve(interrupted))
    process.once('SIGTERM', () => {
      endsWithOthers = cluster.isWorker
      resolve(terminated)
    })
    const { worker } = cluster
    if (worker === undefined) return
    // A signal to the process group reaches each worker, and the supervisor sends it again.
    process.on('SIGTERM', () => {})
    // The supervisor was killed. node:cluster would end this process at once, too.
    worker.once('disconnect', () => {
      worker.exitedAfterDisconnect = true
      resolve(terminated)
    })
    process.on('message', (message) => {
      if (isRecord(message) && message.replaced === true) resolve(REPLACEMENT_MILLISECONDS)
    })
  })
}

/**
 * Resolves when no worker accepts connections, if all of them are ending; otherwise at once. A client that receives
 * its response earlier connects for its next request, perhaps to a worker that is closing its port just then.
 *
 * @param longest - time after which it resolves in any case, in milliseconds: another worker may be busy.
 */
export function othersClosed(longest: number): Promise<void> {
  return new Promise((resolve) => {
    if (!endsWithOthers || !process.connected) return resolve()
    setTimeout(resolve, longest).unref()
    process.once('disconnect', resolve)
    process.on('message', (message) => {
      if (isRecord(message) && message.allClosed === true) resolve()
    })
    // If the supervisor has ended, the event comes.
    process.send?.({ closed: true }, () => {})
  })
}
