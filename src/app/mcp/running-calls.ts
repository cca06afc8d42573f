/** Calls of tools that run in this process, for `notifications/cancelled` (basic protocol, "Cancellation"). */
import { isRecord } from '../../base/record.ts'
import { cancellationOf } from '../../wsgi/environ.ts'
import { ClientDisconnected } from '../../wsgi/error-reporting.ts'
import type { Environ } from '../../wsgi/types.ts'

/** Ids of the calls that run, by their requests. */
const running = new Map<Environ, unknown>()

/** Makes a call cancellable until the returned function is called. */
export function beginCall(environ: Environ, id: unknown): () => void {
  running.set(environ, id)
  return () => void running.delete(environ)
}

/**
 * Cancels the call that a notification names. Several clients may look the same: a call that cannot be told apart
 * goes on.
 */
export function cancelCall(environ: Environ, notification: unknown): void {
  const { method, params } = isRecord(notification) ? notification : {}
  if (method !== 'notifications/cancelled' || !isRecord(params)) return
  const { requestId } = params
  const calls = [...running].filter(([call, id]) => id === requestId && isSameClient(call, environ))
  const [call] = calls[0] ?? []
  if (call === undefined || calls.length > 1) return
  cancelled.add(call)
  cancellationOf(call).abort(new ClientDisconnected())
}

/** The keys of an environ that identify the client, and the server that it calls. */
const CLIENT =
  'HTTP_AUTHORIZATION HTTP_COOKIE HTTP_MCP_SESSION_ID HTTP_USER_AGENT REMOTE_ADDR SCRIPT_NAME PATH_INFO'.split(' ')

/**
 * Returns true if two requests may be of one client. There are no sessions, so a client is known by its credentials,
 * its address and its program.
 */
function isSameClient(one: Environ, other: Environ): boolean {
  return CLIENT.every((key) => one[key] === other[key])
}

const cancelled = new WeakSet<Environ>()

/** Returns true for the request of a call that its client has cancelled. */
export function isCancelled(environ: Environ): boolean {
  return cancelled.has(environ)
}
