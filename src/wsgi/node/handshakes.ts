/**
 * Requests of node:http that ask for a WebSocket.
 *
 * @module
 */
import type { IncomingMessage, Server } from 'node:http'
import { asksForWebSocket } from '../upgrade.ts'
import type { HttpSocket } from './connections.ts'
import { http } from './http-module.ts'
import { isEmpty, type Listener } from './listener.ts'
import { Adapters, NodeUpgrade } from './upgrade.ts'

/** Answers a request with a body that asks for another protocol, which Node before 22.21 and 24.9 does not parse. */
const NO_UPGRADE = 'HTTP/1.1 501 Not Implemented\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

/**
 * Returns true for a request whose connection is offered to the application for a WebSocket. Others are requests like any other:
 * those with a body, and those behind a response that is not complete.
 */
export function isHandshake(req: IncomingMessage): boolean {
  const { _httpMessage: earlier }: HttpSocket = req.socket
  return asksForWebSocket(req.method, req.headers.upgrade) && isEmpty(req) && !earlier
}

/** Passes handshakes to the application, and switches those that it accepts. */
export function handleUpgrades(server: Server, listener: Listener): void {
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
