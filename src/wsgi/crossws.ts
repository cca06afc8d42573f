/**
 * The hooks that pass the events of crossws to the connections of an application, on every runtime.
 *
 * @module
 */
import type { Hooks, Peer } from 'crossws'
import type { ResponseHead } from './response-head.ts'
import type { SocketConnection } from './upgrade.ts'

/** Length of the unsent frames of one connection beyond which its next frame cuts it. */
export const MAX_UNSENT = 16 * 1024 * 1024

/** Length that is added to each message in memory, for its objects. */
export const MESSAGE_COST = 256

interface Handshake {
  readonly connection: SocketConnection
  readonly headers: Headers
}

/** Accepted handshakes that crossws has not completed. */
const handshakes = new WeakMap<globalThis.Request, Handshake>()

/** Key of the connection in the context of its peer, of which crossws makes a copy. */
const CONNECTION = Symbol('propylon.connection')

export function connectionOf({ context }: Peer): SocketConnection | undefined {
  return Reflect.get(context, CONNECTION)
}

/**
 * Registers an accepted handshake before its request is passed to crossws.
 *
 * @returns the header fields of the application's response.
 */
export function acceptHandshake(
  request: globalThis.Request,
  connection: SocketConnection,
  { fields }: ResponseHead,
): Headers {
  const headers = new Headers()
  for (let at = 0; at < fields.length; at += 2) headers.append(fields[at] ?? '', fields[at + 1] ?? '')
  handshakes.set(request, { connection, headers })
  return headers
}

/**
 * Returns the hooks for an adapter of crossws.
 *
 * @param prepare - changes a peer before its connection receives it.
 */
export function socketHooks(prepare?: (peer: Peer) => void): Partial<Hooks> {
  return {
    upgrade(request) {
      const handshake = handshakes.get(request)
      if (handshake === undefined) return new Response(null, { status: 400 })
      const { connection, headers } = handshake
      const context = { ...connection.context, [CONNECTION]: connection }
      return { headers, namespace: connection.namespace, context }
    },
    open(peer) {
      prepare?.(peer)
      connectionOf(peer)?.opened(peer)
    },
    message: (peer, message) => connectionOf(peer)?.received(peer, message),
    close: (peer, closing) => connectionOf(peer)?.closed(peer, closing),
  }
}
