/**
 * Pipelined requests: served one at a time on each connection.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Number of waiting requests at which a connection is no longer read until all of them have begun. */
const MAX_WAITING = 100

/**
 * Number of waiting requests of all connections at which the connection with the most of them is closed. A read can
 * bring 2,500 of 26 bytes each, which take a hundred times as much memory once they are parsed.
 */
const MAX_WAITING_IN_ALL = 10_000

interface Queue {
  /** Number of requests that have been received and have not begun. */
  waiting: number
  /** Whether the connection is not read until all waiting requests have begun. */
  isHeld: boolean
}

/** Only connections with pipelined requests have an entry. */
const queues = new Map<Socket, Queue>()

/** Number of waiting requests in {@link queues}. */
let waitingInAll = 0

/**
 * Calls `begin` when the earlier responses of the connection are complete, and never if the connection is lost before.
 *
 * A client that sends requests and does not read the responses thus costs the memory of one response. Unsafe requests
 * also have to be served one after the other (RFC 9112 §9.3.2).
 *
 * The connection is not read while {@link MAX_WAITING} requests wait, or one whose body takes memory. If
 * {@link MAX_WAITING_IN_ALL} wait, the one with the most of them is closed, so that a few clients cannot take the
 * places of all: a client sends again what was not answered (RFC 9112 §9.3.2).
 */
export function whenTurn(req: IncomingMessage, res: ServerResponse, begin: () => void): void {
  const { socket } = req
  // The parser goes on with what it has read of a connection that is closed.
  if (socket.destroyed) return
  const queue = queues.get(socket) ?? addQueue(socket)
  queue.waiting += 1
  waitingInAll += 1
  if (waitingInAll > MAX_WAITING_IN_ALL) closeLongest()
  if (socket.destroyed) return
  if (!queue.isHeld) {
    // node:http resumes the socket for each request, in a tick after the chunk has been parsed. Microtasks run after
    // it.
    queueMicrotask(() => {
      if (queue.waiting >= MAX_WAITING || (queue.waiting > 0 && hasBody(req))) hold(socket, queue)
    })
  }
  // The event comes in the async context of the earlier request, and node:http flushes the response afterwards. A
  // promise calls back after that, in the context of the caller.
  const turn = new Promise<void>((resolve) => res.on('socket', () => resolve()))
  turn.then(() => {
    if (socket.destroyed) return
    queue.waiting -= 1
    waitingInAll -= 1
    if (queue.waiting === 0 && queue.isHeld) {
      queue.isHeld = false
      socket.resume()
    }
    begin()
  })
}

/** Returns true if further requests of the connection have arrived and have not begun. */
export function isFollowed({ socket }: IncomingMessage): boolean {
  return (queues.get(socket)?.waiting ?? 0) > 0
}

function addQueue(socket: Socket): Queue {
  const queue: Queue = { waiting: 0, isHeld: false }
  queues.set(socket, queue)
  socket.once('close', () => remove(socket))
  // node:http also resumes the socket when a request has been parsed, and when a response has been sent in part.
  socket.on('resume', () => {
    if (queue.isHeld) socket.pause()
  })
  return queue
}

/** Closes the connection with the most waiting requests. */
function closeLongest(): void {
  let longest: Socket | undefined
  let most = 0
  for (const [socket, { waiting }] of queues) {
    if (waiting <= most) continue
    longest = socket
    most = waiting
  }
  if (longest === undefined) return
  // The event comes later than the further requests of a read.
  remove(longest)
  longest.destroy()
}

function remove(socket: Socket): void {
  waitingInAll -= queues.get(socket)?.waiting ?? 0
  queues.delete(socket)
}

function hold(socket: Socket, queue: Queue): void {
  queue.isHeld = true
  socket.pause()
}

/** Returns true if a request that is not read yet has a body that is in memory or still arriving. */
function hasBody(req: IncomingMessage): boolean {
  return !req.complete || req.readableLength > 0
}
