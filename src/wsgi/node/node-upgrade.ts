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
import { acceptHandshake, connectionOf, socketHooks } from '../crossws.ts'
import { urlOf } from '../request-url.ts'
import { fieldPairs, type ResponseHead } from '../response-head.ts'
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
    const request = new Request(urlOf(environ), { headers: fieldPairs(req.rawHeaders) })
    acceptHandshake(request, connection, head)
    this.#adapters.sockets.set(connection, socket)
    this.#res.detachSocket(socket)
    adapter.handleUpgrade(req, socket, this.#head, request).catch(() => socket.destroy())
  }
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
    const adapter = nodeAdapter({ hooks: socketHooks((peer) => this.#prepare(peer)), serverOptions: { maxPayload } })
    this.#adapters.set(maxPayload, adapter)
    // Ends the timer of its heartbeat.
    this.#server.once('close', () => adapter.close())
    return adapter
  }

  #prepare(peer: Peer): void {
    const connection = connectionOf(peer)
    const socket = connection && this.sockets.get(connection)
    if (connection === undefined || socket === undefined) return
    new SocketWrites(socket, this.#unsent).begin()
    readInTurn(peer, connection, socket)
  }
}

/**
 * Lets other connections be served after each chunk of a connection, and stops reading while its messages wait for
 * their hooks. Node reads up to 32 chunks in a row, which can have 300,000 messages or pings.
 */
function readInTurn({ websocket }: Peer, connection: SocketConnection, socket: Socket): void {
  if (!isPausable(websocket)) return
  // The listener of ws has been called before, and has called the hooks of the messages that are complete.
  socket.on('data', () => {
    websocket.pause()
    setImmediate(() => {
      const { backlog } = connection
      if (backlog === undefined) websocket.resume()
      else void backlog.then(() => websocket.resume())
    })
  })
}

interface Pausable {
  pause(): void
  resume(): void
}

function isPausable(websocket: object): websocket is Pausable {
  return 'pause' in websocket && typeof websocket.pause === 'function' && 'resume' in websocket
}
