/**
 * The memory for responses that their clients do not read.
 *
 * @module
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { MAX_UNSENT, MESSAGE_COST } from '../crossws.ts'

/** A response that is in memory as a whole, or the frames of a WebSocket. */
type Sender = ServerResponse | SocketWrites

/** Length from which on responses count. Shorter ones are not worth the accounting. */
export const COUNTED_LENGTH = 16 * 1024

/**
 * Bounds the unsent bytes of the responses that are in memory as a whole, and of WebSockets, of a server together.
 * Beyond it the connections are cut that have waited for their clients for longest. Streamed responses need no bound:
 * they wait for their clients.
 */
export class UnsentBytes {
  readonly #max: number
  /** Unsent bytes when they were last counted, the longest-waiting sender first. */
  readonly #waiting = new Map<Sender, number>()
  /** Senders that are removed when they close. */
  readonly #watched = new WeakSet<Sender>()
  #held = 0

  /**
   * @param max - in bytes; Infinity for no bound.
   * @throws RangeError - it is negative or not a number.
   */
  constructor(max: number) {
    if (!(max >= 0)) {
      throw new RangeError(`maxUnsentBytes is ${max}. Pass a number of bytes from 0, or Infinity for no bound.`)
    }
    this.#max = max
  }

  /**
   * Counts a response of at least {@link COUNTED_LENGTH} that has been written as a whole, or what a WebSocket has
   * been sent so far. What the system has taken costs nothing.
   */
  add(sender: Sender): void {
    const unsent = unsentOf(sender)
    if (unsent === 0) return
    const before = this.#waiting.get(sender)
    this.#waiting.set(sender, unsent)
    this.#held += unsent - (before ?? 0)
    if (!this.#watched.has(sender)) {
      this.#watched.add(sender)
      // Emitted exactly once: when the response is complete, or when the connection is lost.
      const emitter = sender instanceof SocketWrites ? sender.socket : sender
      emitter.once('close', () => this.#remove(sender))
    }
    if (this.#held > this.#max) this.#cut(sender)
  }

  #remove(sender: Sender): void {
    this.#held -= this.#waiting.get(sender) ?? 0
    this.#waiting.delete(sender)
  }

  /** @param newest - is not cut: it may be longer than the bound, and its client has had no time to read. */
  #cut(newest: Sender): void {
    // Clients may have read in the meantime.
    this.#held = 0
    for (const sender of this.#waiting.keys()) {
      const unsent = unsentOf(sender)
      if (unsent === 0) this.#waiting.delete(sender)
      else this.#waiting.set(sender, unsent)
      this.#held += unsent
    }
    for (const sender of this.#waiting.keys()) {
      if (this.#held <= this.#max) return
      if (sender === newest) continue
      this.#remove(sender)
      if (sender instanceof SocketWrites) sender.socket.destroy()
      else sender.destroy()
    }
  }
}

function unsentOf(sender: Sender): number {
  return sender instanceof SocketWrites ? sender.unsent : (sender.socket?.writableLength ?? 0)
}

/** Length that is added to each write. ws writes the head and the payload of a frame apart. */
const WRITE_COST = MESSAGE_COST / 2

type WriteCallback = (error?: Error | null) => void

/**
 * The frames of a WebSocket that its client has not read: messages, and the pongs, pings and closes that ws sends by
 * itself. Beyond {@link MAX_UNSENT} the next frame cuts the connection.
 */
export class SocketWrites {
  readonly socket: Socket
  readonly #all: UnsentBytes
  /** Number of writes that the system has not taken. */
  #waiting = 0
  /** Number of writes that the system has taken, and whose callbacks have not been called. */
  #taken = 0

  constructor(socket: Socket, all: UnsentBytes) {
    this.socket = socket
    this.#all = all
  }

  /** Length of the unsent frames, with {@link WRITE_COST}. */
  get unsent(): number {
    const { writableLength } = this.socket
    // Callbacks follow in a later tick. The writes of a loop to a client that reads must not count until then.
    if (writableLength === 0) {
      this.#taken += this.#waiting
      this.#waiting = 0
    }
    return writableLength + this.#waiting * WRITE_COST
  }

  /** Counts all writes from now on. ws has no event for its own frames, so the method of the socket is replaced. */
  begin(): void {
    const { socket } = this
    const { write } = socket
    socket.write = (
      chunk: string | Uint8Array,
      encoding?: BufferEncoding | WriteCallback,
      callback?: WriteCallback,
    ) => {
      if (this.unsent > MAX_UNSENT) socket.destroy()
      const then = typeof encoding === 'function' ? encoding : callback
      const coding = typeof encoding === 'function' ? undefined : encoding
      this.#waiting += 1
      const isTaken = write.call(socket, chunk, coding, then === undefined ? this.#count : this.#counting(then))
      if (this.unsent >= COUNTED_LENGTH) this.#all.add(this)
      return isTaken
    }
  }

  /** Callbacks are called in the order of the writes. */
  readonly #count = (): void => {
    if (this.#taken > 0) this.#taken -= 1
    else this.#waiting -= 1
  }

  #counting(callback: WriteCallback): WriteCallback {
    return (error) => {
      this.#count()
      callback(error)
    }
  }
}
