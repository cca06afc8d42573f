/**
 * The offer to switch a connection of node:http to a WebSocket.
 *
 * @module
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Peer } from 'crossws'
import type { NodeAdapter } from 'crossws/adapters/node'
import { optionalPackage } from '../../base/optional-package.ts'
import { urlOf } from '../request-url.ts'
import type { ResponseHead } from '../response-head.ts'
import { acceptHandshake, connectionOf, socketHooks } from '../socket-hooks.ts'
import type { Environ } from '../types.ts'
import type { SocketConnection, Upgrade } from '../upgrade.ts'
import { SocketWrites, type UnsentBytes } from './unsent-bytes.ts'

/** The offer to switch the connection of a request. */
export class NodeUpgrade implements Upgrade {
  connection?: SocketConnection
  readonly #adapters: Adapters
  readonly #req: IncomingMessage
  readonly #res: ServerResponse
  /** Bytes that the client has sent behind the request. */
  readonly #head: Buffer

  constructor(adapters: Adapters, req: IncomingMessage, res: ServerResponse, head: Buffer) {
    this.#adapters = adapters
    this.#req = req
    this.#res = res
    this.#head = head
  }

  /** Switches the connection. `head` is the application's response. */
  begin(environ: Environ, head: ResponseHead): void {
    const { connection } = this
    if (connection === undefined) return
    const req = this.#req
    const { socket } = req
    const adapter = this.#adapters.for(connection.maxMessage)
    const request = new Request(urlOf(environ), { headers: headersOf(req) })
    acceptHandshake(request, connection, head)
    this.#adapters.sockets.set(connection, socket)
    this.#res.detachSocket(socket)
    adapter.handleUpgrade(req, socket, this.#head, request).catch(() => socket.destroy())
  }
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  return headers
}

/** The adapters of a server, by the maximum length of a message, which ws has for a server as a whole. */
export class Adapters {
  /** Sockets of connections. */
  readonly sockets = new WeakMap<SocketConnection, Socket>()
  readonly #adapters = new Map<number, NodeAdapter>()
  readonly #server: Server
  readonly #unsent: UnsentBytes

  constructor(server: Server, unsent: UnsentBytes) {
    this.#server = server
    this.#unsent = unsent
  }

  for(maxPayload: number): NodeAdapter {
    const known = this.#adapters.get(maxPayload)
    if (known !== undefined) return known
    const { default: nodeAdapter } = optionalPackage('crossws/adapters/node', 'FrameworkApp({ sockets })')
    const adapter = nodeAdapter({
      hooks: socketHooks((peer) => this.#countUnsent(peer)),
      serverOptions: { maxPayload },
    })
    this.#adapters.set(maxPayload, adapter)
    // Ends the timer of its heartbeat.
    this.#server.once('close', () => adapter.close())
    return adapter
  }

  #countUnsent(peer: Peer): void {
    const connection = connectionOf(peer)
    const socket = connection && this.sockets.get(connection)
    if (socket !== undefined) new SocketWrites(socket, this.#unsent).begin()
  }
}
