/**
 * Pipelined requests: served one at a time on each connection.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Number of waiting requests at which a connection is no longer read until all of them have begun. */
const MAX_WAITING = 100

interface Queue {
  /** Number of requests that have been received and have not begun. */
  waiting: number
}

/** Only connections with pipelined requests have an entry. */
const queues = new WeakMap<Socket, Queue>()

/**
 * Returns true if an earlier response of the connection is not complete.
 *
 * node:http assigns the socket to one response at a time, and to the next one when the last byte of a response has been
 * handed to the operating system.
 */
export function mustWait(res: ServerResponse): boolean {
  return res.socket === null && !res.writableEnded
}

/**
 * Calls `begin` when the earlier responses of the connection are complete, and never if the connection is lost before.
 *
 * A client that sends requests and does not read the responses thus costs the memory of one response. Unsafe requests
 * also have to be served one after the other (RFC 9112 §9.3.2).
 */
export function whenTurn({ socket }: IncomingMessage, res: ServerResponse, begin: () => void): void {
  let queue = queues.get(socket)
  if (queue === undefined) {
    queue = { waiting: 0 }
    queues.set(socket, queue)
  }
  const { waiting } = queue
  queue.waiting = waiting + 1
  // The parser resumes the socket for each request, so that it can only be paused after the chunk has been parsed.
  if (waiting >= MAX_WAITING && !socket.isPaused()) process.nextTick(pause, socket, queue)
  // The event comes in the async context of the earlier request, and node:http flushes the response afterwards. A
  // promise calls back after that, in the context of the caller.
  const turn = new Promise<void>((resolve) => res.on('socket', () => resolve()))
  turn.then(() => {
    queue.waiting -= 1
    if (queue.waiting === 0 && socket.isPaused()) socket.resume()
    if (!socket.destroyed) begin()
  })
}

/** Returns true if further requests of the connection have arrived and have not begun. */
export function isFollowed({ socket }: IncomingMessage): boolean {
  return (queues.get(socket)?.waiting ?? 0) > 0
}

/** Stops reading, unless the requests that were waiting have begun. */
function pause(socket: Socket, queue: Queue): void {
  if (queue.waiting > 0) socket.pause()
}
