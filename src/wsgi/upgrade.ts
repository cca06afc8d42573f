/**
 * WebSockets: the interfaces by which a server offers the upgrade of a connection, and an application accepts it.
 *
 * @module
 */

/**
 * A client that is connected by a WebSocket: a `Peer` of crossws, whose further members exist as well.
 *
 * @typeParam Context - the values that the application has attached to the connection.
 */
export interface SocketPeer<Context extends object = object> {
  /** A random id of the connection. */
  readonly id: string
  readonly context: Context
  /** Bytes that were sent and that the client has not read. */
  readonly bufferedAmount: number
  /**
   * Sends a message: text, bytes, or a plain object as JSON.
   *
   * A client that leaves more than 16 MiB unread is disconnected by the next message.
   */
  send(data: unknown): unknown
  /**
   * Closes the connection.
   *
   * @param code - 1000, the default, or another code of RFC 6455 §7.4; 4000 to 4999 are for applications.
   * @param reason - at most 123 bytes.
   */
  close(code?: number, reason?: string): void
  /** Cuts the connection. */
  terminate(): void
  /** Begins to receive what other peers of this path and this process publish to a topic. */
  subscribe(topic: string): void
  unsubscribe(topic: string): void
  /** Sends a message to the other peers of this path and this process that have subscribed to a topic. */
  publish(topic: string, data: unknown): void
}

/** A message of a client: a `Message` of crossws, whose further members exist as well. */
export interface SocketMessage {
  /** The message as it arrived: text, or bytes. */
  readonly rawData: unknown
  text(): string
  /** @throws SyntaxError - the text is not JSON. */
  json<Value = unknown>(): Value
  uint8Array(): Uint8Array
}

/** The end of a connection. */
export interface SocketClosing {
  /** Code of RFC 6455 §7.4. Undefined on Deno, as is the reason. */
  readonly code?: number | undefined
  readonly reason?: string | undefined
}

/** The application's side of a connection. Its methods never throw. */
export interface SocketConnection {
  /** Maximum length of a message that the server reads, in bytes. Beyond it the server closes with 1009 if it can. */
  readonly maxMessage: number
  /** Peers of the same namespace receive what each other publish. */
  readonly namespace: string
  /** Members of `peer.context`. */
  readonly context: object
  /** A promise if so many messages wait that the server should read no further ones until it resolves. */
  readonly backlog?: Promise<void> | undefined
  opened(peer: SocketPeer): void
  received(peer: SocketPeer, message: SocketMessage): void
  closed(peer: SocketPeer, closing: SocketClosing): void
}

/**
 * The offer of a server to switch the connection of a request to a WebSocket: `environ['propylon.upgrade']`. An
 * application that accepts it sets {@link connection} and sends an empty response with the status `101 Switching
 * Protocols`. Header fields of the response are added to the fields of the handshake.
 */
export interface Upgrade {
  connection?: SocketConnection
}

/** Returns true for a request for a WebSocket (RFC 6455 §4.2.1), correct or not. */
export function asksForWebSocket(method: string | undefined, upgrade: string | undefined): boolean {
  return method === 'GET' && upgrade !== undefined && /^websocket\b/i.test(upgrade)
}
