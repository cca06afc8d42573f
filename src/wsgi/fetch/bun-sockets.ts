import type { BunAdapter } from 'crossws/adapters/bun'
import { optionalPackage } from '../../base/optional-package.ts'
import { MAX_UNSENT, socketHooks } from '../socket-hooks.ts'

/** The option `websocket` of `Bun.serve()`. */
export interface BunSockets {
  message(socket: never, message: never): unknown
  readonly maxPayloadLength: number
}

let adapter: BunAdapter | undefined

/** Returns the adapter of this process. `Bun.serve()` has one handler for all WebSockets. */
export function bunAdapter(): BunAdapter {
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
    maxPayloadLength: maxMessage,
    backpressureLimit: MAX_UNSENT,
    closeOnBackpressureLimit: true,
  }
}

type BunSocket = Parameters<NonNullable<BunAdapter['websocket']['open']>>[0]

/** Limits topics to the peers of one path, as crossws does on other runtimes: Bun publishes to all of the server. */
function limitTopics(socket: BunSocket): void {
  for (const name of ['subscribe', 'unsubscribe', 'publish'] as const) {
    const native = socket[name].bind(socket)
    socket[name] = (topic: string, ...rest: unknown[]) =>
      native(`${socket.data.namespace}\n${topic}`, ...rest)
  }
}
