import { chunkLength } from '../../base/bytes.ts'
import { MESSAGE_COST } from '../../wsgi/crossws.ts'
import type { SocketClosing, SocketConnection, SocketMessage } from '../../wsgi/upgrade.ts'
import type { Socket, SocketContext, SocketHooks, SocketPeer } from './socket-hooks.ts'

/** Length of the messages that may wait for the hooks of one connection, beside one of maximum length. */
const MAX_WAITING = 16 * 1024 * 1024

/** Closing codes of RFC 6455 §7.4.1 and its registry. */
const GOING_AWAY = 1001
const TOO_LARGE = 1009
const INTERNAL_ERROR = 1011
const TRY_AGAIN_LATER = 1013

/** The owner of connections. */
export interface ConnectionOwner {
  opened(connection: Connection): void
  /** The connection is closed, and its last hook has returned. */
  ended(connection: Connection): void
  /** A hook has thrown. */
  failed(connection: Connection, error: unknown): void
}

/** A connection of a client: runs its hooks one after the other. */
export class Connection implements SocketConnection {
  readonly maxMessage: number
  readonly namespace: string
  readonly context: SocketContext
  readonly #hooks: SocketHooks
  readonly #owner: ConnectionOwner
  readonly #ending = Promise.withResolvers<void>()
  #peer: SocketPeer | undefined = undefined
  /** The hooks that were called so far. */
  #last: Promise<void> = Promise.resolve()
  /** Length of the messages that wait. */
  #waiting = 0
  /** Whether the connection has been closed because of an error, so that later messages are dropped. */
  #isOver = false

  constructor(socket: Socket, hooks: SocketHooks, context: SocketContext, owner: ConnectionOwner) {
    this.maxMessage = socket.maxMessage
    this.namespace = context.request.path
    this.context = context
    this.#hooks = hooks
    this.#owner = owner
  }

  opened(peer: SocketPeer): void {
    this.#peer = peer
    this.#owner.opened(this)
    this.#run(peer, () => this.#hooks.open?.(peer))
  }

  get backlog(): Promise<void> | undefined {
    return this.#waiting > this.maxMessage ? this.#last : undefined
  }

  received(peer: SocketPeer, message: SocketMessage): void {
    const length = lengthOf(message)
    const cost = length + MESSAGE_COST
    if (length > this.maxMessage) this.#end(peer, TOO_LARGE, 'The message is too long.')
    else if (this.#waiting + cost > MAX_WAITING + this.maxMessage)
      this.#end(peer, TRY_AGAIN_LATER, 'Too many messages are waiting.')
    if (this.#isOver) return
    this.#waiting += cost
    this.#run(peer, async () => {
      this.#waiting -= cost
      if (!this.#isOver) await this.#hooks.message?.(peer, message)
    })
  }

  closed(peer: SocketPeer, closing: SocketClosing): void {
    this.#run(peer, () => this.#hooks.close?.(peer, closing))
    void this.#last.then(() => {
      this.#owner.ended(this)
      this.#ending.resolve()
    })
  }

  /** Closes the connection because the server shuts down. Resolves when its last hook has returned. */
  shutDown(): Promise<void> {
    this.#peer?.close(GOING_AWAY, 'The server is shutting down.')
    return this.#ending.promise
  }

  /** Calls a hook when the earlier ones have ended. */
  #run(peer: SocketPeer, hook: () => unknown): void {
    this.#last = this.#last.then(hook).then(
      () => {},
      (error: unknown) => {
        this.#owner.failed(this, error)
        this.#end(peer, INTERNAL_ERROR, 'A hook has failed.')
      },
    )
  }

  #end(peer: SocketPeer, code: number, reason: string): void {
    this.#isOver = true
    peer.close(code, reason)
  }
}

/** Returns the length of a message in bytes. */
function lengthOf(message: SocketMessage): number {
  const { rawData } = message
  return typeof rawData === 'string' ? chunkLength(rawData) : message.uint8Array().byteLength
}
