/**
 * The option `sockets` of FrameworkApp: classes and objects of hooks by path.
 *
 * @module
 */
import { describeValue } from '../../base/describe.ts'
import { unknownOption } from '../../base/suggest.ts'
import { DeclarationError, socketFaults } from '../../controllers/vocabulary.ts'
import type { SocketPeer as Peer, SocketClosing, SocketMessage } from '../../wsgi/upgrade.ts'
import type { SocketRequest } from './socket-request.ts'

/** A client that is connected by a WebSocket. Applications may add values of their own to its context. */
export type SocketPeer = Peer<SocketContext>

/** The values that belong to a connection: `peer.context`. */
export interface SocketContext {
  /** Values of the parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** The request of the handshake. */
  readonly request: SocketRequest
  [name: string]: unknown
}

/**
 * The hooks of a WebSocket. At least one of `open`, `message` and `close` exists.
 *
 * The hooks of a connection run one after the other, each when the promise of the one before has settled. If one
 * throws, the error is logged and the connection is closed with 1011.
 */
export interface SocketHooks {
  /**
   * Maximum length of a message in bytes. Default 1,048,576 (1 MiB). A longer one closes the connection with 1009. It
   * is a static property of a class.
   */
  readonly maxMessage?: number
  /**
   * Decides whether a client may connect, before the upgrade. False is 403, and so is an HTTPException that is
   * thrown, by `abort(401)` for instance, with its status. Default: every client may.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a method that only throws returns void
  authorize?(request: SocketRequest): boolean | void | Promise<boolean | void>
  /** Called when the connection is open. */
  open?(peer: SocketPeer): unknown
  /** Called with each message of the client. */
  message?(peer: SocketPeer, message: SocketMessage): unknown
  /** Called when the connection has been closed, by either side. */
  close?(peer: SocketPeer, closing: SocketClosing): unknown
}

/**
 * A class of hooks, of which each connection has an instance, created for its handshake. The peer may have the type
 * of crossws, whose context has other members.
 */
export interface SocketClass {
  new (): Pick<SocketHooks, 'authorize'> & {
    open?(peer: Omit<SocketPeer, 'context'>): unknown
    message?(peer: Omit<SocketPeer, 'context'>, message: SocketMessage): unknown
    close?(peer: Omit<SocketPeer, 'context'>, closing: SocketClosing): unknown
  }
  readonly maxMessage?: number
}

/** Classes and objects of hooks by path, for instance `'/chat/{room}'`. */
export type SocketRecord = Readonly<Record<string, SocketClass | SocketHooks>>

const EVENTS = ['open', 'message', 'close'] as const
const NAMES = ['authorize', ...EVENTS]

const DEFAULT_MAX_MESSAGE = 1024 * 1024

/** The hooks of a path, checked. */
export interface Socket {
  /** Name of the class. Null for an object of hooks. */
  readonly className: string | null
  readonly maxMessage: number
  /** Returns the hooks of a connection. */
  create(): SocketHooks
}

/**
 * @throws TypeError - the value is neither a class nor an object of hooks, or `maxMessage` is not a positive integer.
 * @throws DeclarationError - a static property of the class is nearly `maxMessage`.
 */
export function socketOf(path: string, value: SocketClass | SocketHooks): Socket {
  const place = `FrameworkApp: sockets[${JSON.stringify(path)}]`
  const isClass = typeof value === 'function'
  const hooks: unknown = isClass ? value.prototype : value
  if (typeof hooks !== 'object' || hooks === null) {
    throw new TypeError(`${place} is ${describeValue(value)}. Pass a class or an object with ${NAMES.join(', ')}.`)
  }
  for (const [name, hook] of isClass ? [] : Object.entries(hooks)) {
    if (name === 'maxMessage') continue
    if (!NAMES.includes(name)) throw new TypeError(unknownOption(place, name, NAMES))
    if (typeof hook !== 'function') throw new TypeError(`${place}.${name} is ${describeValue(hook)}. Pass a function.`)
  }
  if (!EVENTS.some((name) => name in hooks)) {
    throw new TypeError(`${place} has no method open, message or close, so nothing would receive its messages.`)
  }
  const faults = isClass ? socketFaults(value) : []
  if (isClass && faults.length > 0) throw new DeclarationError(value, faults)
  const { maxMessage = DEFAULT_MAX_MESSAGE } = value
  if (!Number.isInteger(maxMessage) || maxMessage < 1) {
    throw new TypeError(`${place}: maxMessage is ${describeValue(maxMessage)}. Pass a number of bytes from 1.`)
  }
  return { className: isClass ? value.name : null, maxMessage, create: () => (isClass ? new value() : value) }
}
