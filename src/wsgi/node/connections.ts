/**
 * The open connections of a server, for closing them in order.
 *
 * @module
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LINGER } from './send.ts'

/** The fields by which node:http attaches its state to a socket. */
interface HttpSocket extends Socket {
  /** The response that is being sent, from the end of the request's head on; the first of several pipelined ones. */
  readonly _httpMessage?: ServerResponse | null
  /** Null once the socket has been handed to a listener for `upgrade` or `connect`. */
  readonly parser?: object | null
}

/**
 * Keeps the connections of a server. node:http cannot do it: it takes a connection that has sent half a head, or nothing, for
 * busy, and it forgets the sockets of WebSockets and tunnels, for which `server.close()` waits nevertheless.
 */
export class Connections {
  /** Accepted sockets. Over TLS these are the encrypted ones, which carry no HTTP. */
  readonly #accepted = new Set<Socket>()
  /** Sockets after their TLS handshake. */
  readonly #secure = new Set<Socket>()
  readonly #server: Server
  readonly #isTLS: boolean

  constructor(server: Server) {
    this.#server = server
    keepFrom(server, 'connection', this.#accepted)
    keepFrom(server, 'secureConnection', this.#secure)
    this.#isTLS = 'setSecureContext' in server
  }

  /**
   * Closes each connection as soon as it has no request in progress: idle ones at once. One on which half a head has arrived
   * has {@link LINGER} for the other half, and its request is answered. Upgraded sockets are ended, which sends what their protocol has written, and cut if the client does not close its
   * side soon after.
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
      // node:http takes a connection that has received nothing for busy.
      if (socket.bytesRead === 0) socket.destroy()
      this.#server.closeIdleConnections()
      if (!socket.destroyed) this.#awaitHead(socket)
    }
  }

  /** Closes a connection on which half a head has arrived, unless the other half follows soon. */
  #awaitHead(socket: HttpSocket): void {
    const timer = setTimeout(() => {
      if (socket._httpMessage) this.#closeWhenIdle(socket)
      else socket.destroy()
    }, LINGER)
    socket.once('close', () => clearTimeout(timer))
  }

  /** Cuts all connections. Resolves when their requests have been aborted. */
  async destroy(): Promise<void> {
    await Promise.all([...this.#secure, ...this.#accepted].map(cut))
  }
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
