/**
 * Switches connections of Bun and Deno to WebSockets.
 *
 * @module
 */
import type { Peer } from 'crossws'
import type { BunAdapter } from 'crossws/adapters/bun'
import type { DenoAdapter } from 'crossws/adapters/deno'
import { utf8Length } from '../../base/bytes.ts'
import { optionalPackage } from '../../base/optional-package.ts'
import { acceptHandshake, MAX_UNSENT, MESSAGE_COST, socketHooks } from '../crossws.ts'
import type { ResponseHead } from '../response-head.ts'
import type { Environ } from '../types.ts'
import { asksForWebSocket, type SocketConnection } from '../upgrade.ts'
import type { FetchCall } from './fetch-call.ts'

type BunServer = Parameters<BunAdapter['handleUpgrade']>[1]
type DenoInfo = Parameters<DenoAdapter['handleUpgrade']>[1]

let denoAdapter: DenoAdapter | undefined

/** Offers an application to switch the connection of a request, if the request wants it and the platform can. */
export function offerUpgrade({ platform: [info] }: FetchCall, environ: Environ): void {
  if (!asksForWebSocket(environ.REQUEST_METHOD, environ.HTTP_UPGRADE)) return
  if (isBunServer(info) || isDenoInfo(info)) environ['propylon.upgrade'] = {}
}

/** Switches the connection of a request. `head` is the application's response. */
export async function beginUpgrade(
  { request, platform: [info] }: FetchCall,
  connection: SocketConnection,
  head: ResponseHead,
): Promise<globalThis.Response> {
  const headers = acceptHandshake(request, connection, head)
  if (isDenoInfo(info)) {
    denoAdapter ??= optionalPackage('crossws/adapters/deno', 'FrameworkApp({ sockets })', 'deno add').default({
      hooks: socketHooks(boundUnsent),
    })
    const response = await denoAdapter.handleUpgrade(request, info)
    // Deno ignores the fields that crossws passes to it.
    for (const [name, value] of headers) response.headers.append(name, value)
    return response
  }
  if (!isBunServer(info)) throw new Error('The platform cannot switch the connection to a WebSocket.')
  // Bun has switched the connection then, and ignores the response.
  return (await bunAdapter().handleUpgrade(request, info)) ?? new Response(null)
}

/** Returns true for the server that `Bun.serve()` passes to a handler. */
function isBunServer(info: unknown): info is BunServer {
  return typeof info === 'object' && info !== null && 'upgrade' in info && typeof info.upgrade === 'function'
}

/** Returns true for the second argument of a handler of `Deno.serve()`. */
function isDenoInfo(info: unknown): info is DenoInfo {
  return 'Deno' in globalThis && typeof info === 'object' && info !== null && 'remoteAddr' in info
}

// ------------------------------------------------------------ Deno

/** The state of a WebSocket that is open (WHATWG WebSockets §3.1). */
const OPEN = 1

/**
 * Bounds the unsent messages of a peer, which Deno keeps without a limit: beyond {@link MAX_UNSENT} the connection is
 * cut. Messages to a connection that is closing are dropped. Deno throws.
 *
 * The method of the WebSocket is replaced, because `publish()` calls it without the method of the peer.
 */
function boundUnsent(peer: Peer): void {
  const { websocket } = peer
  const { send } = websocket
  if (send === undefined) return
  /** Lengths of the messages that may be unsent, the oldest first. */
  const lengths: number[] = []
  let total = 0
  websocket.send = (...message: Parameters<typeof send>) => {
    if (websocket.readyState !== OPEN) return
    const unsent = peer.bufferedAmount
    // Messages are sent in order, so the unsent bytes belong to the last ones.
    while (total > unsent || lengths[0] === 0) total -= lengths.shift() ?? 0
    if (unsent + lengths.length * MESSAGE_COST > MAX_UNSENT) {
      peer.terminate()
      return
    }
    send.apply(websocket, message)
    const length = lengthOf(message[0])
    lengths.push(length)
    total += length
  }
}

function lengthOf(message: unknown): number {
  if (typeof message === 'string') return utf8Length(message)
  return message instanceof ArrayBuffer || ArrayBuffer.isView(message) ? message.byteLength : 0
}

// ------------------------------------------------------------ Bun

/** The option `websocket` of `Bun.serve()`. */
export interface BunSockets {
  message(socket: never, message: never): unknown
  readonly maxPayloadLength: number
}

let adapter: BunAdapter | undefined

/** Returns the adapter of this process. `Bun.serve()` has one handler for all WebSockets. */
function bunAdapter(): BunAdapter {
  adapter ??= optionalPackage('crossws/adapters/bun', 'FrameworkApp({ sockets })', 'bun add').default({
    hooks: socketHooks(),
  })
  return adapter
}

/**
 * Returns the handler of WebSockets.
 *
 * @param maxMessage - longest message that is read, in bytes.
 */
export function bunSockets(maxMessage: number): BunSockets {
  const { websocket } = bunAdapter()
  return {
    ...websocket,
    open(socket: BunSocket) {
      limitTopics(socket)
      return websocket.open?.(socket)
    },
    ping(socket: BunSocket, data: Buffer) {
      // Beyond the limit Bun drops its pongs and keeps the connection. The next pong would not fit.
      if (socket.getBufferedAmount() + PONG_LENGTH > MAX_UNSENT) socket.terminate()
      else websocket.ping?.(socket, data)
    },
    maxPayloadLength: maxMessage,
    backpressureLimit: MAX_UNSENT,
    closeOnBackpressureLimit: true,
  }
}

/** Length of the longest pong: a head of two bytes and 125 bytes (RFC 6455 §5.5). */
const PONG_LENGTH = 127

type BunSocket = Parameters<NonNullable<BunAdapter['websocket']['open']>>[0]

/** Limits topics to the peers of one path, as crossws does on other runtimes: Bun publishes to all of the server. */
function limitTopics(socket: BunSocket): void {
  for (const name of ['subscribe', 'unsubscribe', 'publish'] as const) {
    const native = socket[name].bind(socket)
    socket[name] = (topic: string, ...rest: unknown[]) => native(`${socket.data.namespace}\n${topic}`, ...rest)
  }
}
