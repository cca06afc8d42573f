/**
 * The open connections of a server, for closing them in order.
 *
 * @module
 */
import type { Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { LINGER } from './send.ts'

/** Longest wait for the connections that have not been accepted yet, in milliseconds. */
const LONGEST_WAIT = 1000

/** Largest number of connections that an operating system lets wait by default (`net.core.somaxconn` of Linux). */
const MOST_WAITING = 4096

/** Number of times in its time-out that a connection is checked. */
const CHECKS_PER_TIMEOUT = 4

/** The fields by which node:http attaches its state to a socket. */
export interface HttpSocket extends Socket {
  /** The response that is being sent, from the end of the request's head on; the first of several pipelined ones. */
  readonly _httpMessage?: ServerResponse | null
  /** Null once the socket has been handed to a listener for `upgrade` or `connect`. */
  readonly parser?: object | null
  /** The counters by which net.Socket checks the progress of its own time-out. Null once the socket is closed. */
  readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null
}

/** A connection with unsent bytes. */
interface Stall {
  /** Number of bytes that had left the process. */
  readonly taken: number
  /** Number of checks since then. */
  checks: number
}

/**
 * Keeps the connections of a server. node:http cannot do it: it counts connections without a complete head as busy, and
 * it forgets the sockets of WebSockets and tunnels, for which `server.close()` waits nevertheless.
 */
export class Connections {
  /** Accepted sockets. Over TLS these are the encrypted ones, which carry no HTTP. */
  readonly #accepted = new Set<Socket>()
  /** Sockets after their TLS handshake. */
  readonly #secure = new Set<Socket>()
  readonly #server: Server
  readonly #isTLS: boolean
  /** Sockets that were accepted during the shutdown, whose clients are about to send a request. */
  readonly #late = new WeakSet<Socket>()
  /** Number of sockets that were accepted. */
  #count = 0

  constructor(server: Server) {
    this.#server = server
    keepFrom(server, 'connection', this.#accepted)
    keepFrom(server, 'secureConnection', this.#secure)
    this.#isTLS = 'setSecureContext' in server
    server.on('connection', () => {
      this.#count += 1
    })
  }

  /**
   * Cuts connections whose client has read nothing of what it was sent for a time, whatever it sends meanwhile: it
   * could go on sending requests, or blank lines between them.
   *
   * One interval checks all connections, so that a response costs nothing more.
   *
   * @param timeout - in milliseconds; 0 for none.
   * @throws RangeError - it is negative, not a number, or too large for a timer.
   */
  cutStalled(timeout: number): void {
    if (!(timeout >= 0 && timeout < 2 ** 31)) {
      throw new RangeError(`sendTimeout is ${timeout}. Pass milliseconds from 0 to ${2 ** 31 - 1}; 0 is no limit.`)
    }
    if (timeout === 0) return
    const stalled = new WeakMap<Socket, Stall>()
    const check = () => {
      for (const socket of this.#isTLS ? this.#secure : this.#accepted) {
        if (socket.writableLength === 0) continue
        const taken = takenFrom(socket)
        const stall = stalled.get(socket)
        if (stall?.taken !== taken) stalled.set(socket, { taken, checks: 0 })
        else if (++stall.checks === CHECKS_PER_TIMEOUT) socket.destroy()
      }
    }
    const timer = setInterval(check, timeout / CHECKS_PER_TIMEOUT).unref()
    this.#server.once('close', () => clearInterval(timer))
  }

  /** Expects a request on each connection that is accepted from now on, before {@link close} closes it. */
  expectLate(): void {
    for (const event of ['connection', 'secureConnection'] as const) {
      this.#server.on(event, (socket: Socket) => this.#late.add(socket))
    }
  }

  /**
   * Accepts and reads what the operating system has received already: it resets the connections that wait when the
   * port is closed. Node accepts one in each turn of the event loop.
   *
   * @param quiet - time without a new connection after which none is taken to follow, in milliseconds. 0 for one turn.
   */
  async acceptWaiting(quiet: number): Promise<void> {
    // This turn may have passed the phase in which connections are accepted.
    await new Promise(setImmediate)
    const end = performance.now() + LONGEST_WAIT
    let count: number
    do {
      count = this.#count
      if (quiet > 0) await new Promise((resolve) => setTimeout(resolve, quiet))
      // If the process was busy or suspended, the timer ends before anything is accepted.
      await this.#acceptAll()
    } while (this.#count !== count && performance.now() < end)
  }

  /** Accepts the connections that wait now, and reads what has arrived on them. */
  async #acceptAll(): Promise<void> {
    let count: number
    let turns = 0
    do {
      count = this.#count
      turns += 1
      await new Promise(setImmediate)
    } while (this.#count !== count && turns < MOST_WAITING)
  }

  /**
   * Closes each connection as soon as it has no request in progress: idle ones at once. One on which half a head has
   * arrived has {@link LINGER} for the other half, and its request is answered; so has one that was accepted during
   * the shutdown. Upgraded sockets are ended, which sends what their protocol has written, and cut if the client does
   * not close its side soon after.
   */
  close(): void {
    for (const socket of this.#isTLS ? this.#secure : this.#accepted) this.#closeWhenIdle(socket)
    if (!this.#isTLS) return
    const secured = new Set([...this.#secure].map(addressOf))
    for (const socket of this.#accepted) if (!secured.has(addressOf(socket))) socket.destroy()
  }

  #closeWhenIdle(socket: HttpSocket): void {
    const response = socket._httpMessage
    if (response) response.once('close', () => this.#closeWhenIdle(socket))
    else if (socket.parser === null) endUpgraded(socket)
    else {
      // node:http counts a connection without data as busy.
      if (socket.bytesRead === 0 && !this.#late.has(socket)) socket.destroy()
      this.#server.closeIdleConnections()
      if (!socket.destroyed) this.#awaitHead(socket)
    }
  }

  /** Closes a connection whose next head has not arrived, or half of it, unless the rest follows soon. */
  #awaitHead(socket: HttpSocket): void {
    const end = () => {
      if (socket._httpMessage) this.#closeWhenIdle(socket)
      else socket.destroy()
    }
    // Data that arrived while the process was suspended is read after the timer, and before setImmediate.
    const timer = setTimeout(() => setImmediate(end), LINGER)
    socket.once('close', () => clearTimeout(timer))
  }

  /** Cuts all connections. Resolves when their requests have been aborted. */
  async destroy(): Promise<void> {
    await Promise.all([...this.#secure, ...this.#accepted].map(cut))
  }
}

/** Returns a number that changes when the system takes bytes of the socket. */
function takenFrom({ _handle: handle }: HttpSocket): number {
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0
}

function keepFrom(server: Server, event: 'connection' | 'secureConnection', sockets: Set<Socket>): void {
  server.on(event, (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
}

/** Resolves after the response on the socket has emitted `close`, because that listener was added before. */
function cut(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve())
    socket.destroy()
  })
}

function endUpgraded(socket: HttpSocket): void {
  // The listener that took the socket over need not expect an error after it has been ended.
  socket.on('error', () => socket.destroy())
  socket.end(() => {
    if (socket.destroyed) return
    const timer = setTimeout(() => socket.destroy(), LINGER)
    socket.once('close', () => clearTimeout(timer))
  })
}

function addressOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`
}

// ------------------------------------------------------------ malformed bytes

/** Responses by the code of the parser's error. All other errors of the parser are 400. */
const RESPONSES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** The client has closed its side in the middle of a request. */
const EARLY_END = 'HPE_INVALID_EOF_STATE'

/**
 * Refuses malformed bytes after the responses to the requests before them. Without this, node:http sends the refusal
 * at once if the head of the response in progress has not been sent, so that the client takes it for the response to
 * a well-formed request.
 *
 * A listener of the application for `clientError` replaces this one.
 */
export function refuseMalformedBytes(server: Server): void {
  // The parser repeats its error for all bytes that follow.
  const refused = new WeakSet<Socket>()
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (server.listenerCount('clientError') > 1) return
    if (!(socket instanceof Socket)) socket.destroy(error)
    else if (!refused.has(socket)) {
      refused.add(socket)
      refuse(socket, error)
    }
  })
}

function refuse(socket: HttpSocket, error: NodeJS.ErrnoException): void {
  const { code = '' } = error
  const pending = socket._httpMessage
  // The request in progress is the malformed one if it is not complete.
  if (pending?.req.complete === true && !socket.destroyed && code !== EARLY_END) {
    pending.once('close', () => refuse(socket, error))
    return
  }
  const isUnanswered = !pending || (!pending.req.complete && !pending.headersSent)
  const status = code.startsWith('HPE_') ? (RESPONSES[code] ?? '400 Bad Request') : RESPONSES[code]
  if (isUnanswered && status !== undefined && socket.writable) {
    socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
  }
  socket.destroy(error)
}
