import { builtin } from '../../base/builtin.ts'
import { withCauses } from '../../base/thrown.ts'

/** A socket, as `node:net` and Undici have it. */
interface Counted {
  readonly bytesRead: number
}

/** Errors of requests that were sent on a reused connection, which closed before a byte of the response. */
const retryable = new WeakSet<object>()
let watching = false

/**
 * Returns true if a request failed because a server closed an idle connection just when the request was sent on it.
 * The server has not read it, so it can be sent again (RFC 9110 §9.2.2). Works for requests of Node's `fetch` that
 * were sent after `watchFetch`, and of `node:http`. Other runtimes send such requests again themselves.
 */
export function closedWhileIdle(error: unknown): boolean {
  return withCauses(error).some((cause) => cause instanceof Error && retryable.has(cause))
}

/** Notes the error of a request if its connection had been used and no byte was received since `bytesRead`. */
export function noteFailure(error: object, socket: Counted, bytesRead: number): void {
  if (bytesRead > 0 && socket.bytesRead === bytesRead) retryable.add(error)
}

interface Sending {
  readonly request: object
  readonly socket: Counted
}

interface Failing {
  readonly request: object
  readonly error: object
}

/**
 * Observes the requests of Node's `fetch`, whose errors do not show whether the connection was a new one
 * (https://undici.nodejs.org/#/docs/api/DiagnosticsChannel).
 */
export function watchFetch(): void {
  if (watching) return
  watching = true
  if (typeof process === 'undefined' || process.versions?.undici === undefined) return
  const { subscribe } = builtin('node:diagnostics_channel')
  const sent = new WeakMap<object, { socket: Counted; bytesRead: number }>()
  subscribe('undici:client:sendHeaders', (message) => {
    const { request, socket } = message as Sending
    sent.set(request, { socket, bytesRead: socket.bytesRead })
  })
  subscribe('undici:request:error', (message) => {
    const { request, error } = message as Failing
    const state = sent.get(request)
    if (state !== undefined) noteFailure(error, state.socket, state.bytesRead)
  })
}
