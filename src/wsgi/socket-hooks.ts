/**
 * The hooks that pass the events of crossws to the connections of an application, on every runtime.
 *
 * @module
 */
import type { Hooks, Peer } from 'crossws'
import type { ResponseHead } from './response-head.ts'
import type { SocketConnection } from './upgrade.ts'

/** Unsent bytes of one connection beyond which its next message cuts it. */
export const MAX_UNSENT = 16 * 1024 * 1024

/** The state of a WebSocket that is open (WHATWG WebSockets §3.1). */
const OPEN = 1

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
    message(peer, message) {
      const backlog = connectionOf(peer)?.received(peer, message)
      const { websocket } = peer
      // Only ws can stop reading.
      if (backlog === undefined || !isPausable(websocket)) return
      websocket.pause()
      void backlog.then(() => websocket.resume())
    },
    close: (peer, closing) => connectionOf(peer)?.closed(peer, closing),
  }
}

/**
 * Bounds the unsent messages of a peer, which ws and Deno keep without a limit: beyond {@link MAX_UNSENT} the connection is cut.
 * Messages to a connection that is closing are dropped, as ws does. Deno throws.
 *
 * The method of the WebSocket is replaced, because `publish()` calls it without the method of the peer.
 *
 * @param sent - called after each message.
 */
export function boundUnsent(peer: Peer, sent?: () => void): void {
  const { websocket } = peer
  const { send } = websocket
  if (send === undefined) return
  websocket.send = (...message: Parameters<typeof send>) => {
    if (websocket.readyState !== OPEN) return
    if (peer.bufferedAmount > MAX_UNSENT) peer.terminate()
    else {
      send.apply(websocket, message)
      sent?.()
    }
  }
}

interface Pausable {
  pause(): void
  resume(): void
}

function isPausable(websocket: object): websocket is Pausable {
  return 'pause' in websocket && typeof websocket.pause === 'function' && 'resume' in websocket
}
