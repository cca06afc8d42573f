/** Calls of tools that run in this process, for `notifications/cancelled` (basic protocol, "Cancellation"). */
import { isRecord } from '../../base/record.ts'
import { cancellationOf } from '../../wsgi/environ.ts'
import { ClientDisconnected } from '../../wsgi/error-reporting.ts'
import type { Environ } from '../../wsgi/types.ts'

/** Requests whose calls run, by client and id. */
const running = new Map<string, Set<Environ>>()

/** Identifies a call. There are no sessions, so a client is known by its credentials, its address and its program. */
function keyOf(environ: Environ, id: unknown): string {
  const { HTTP_AUTHORIZATION, HTTP_COOKIE, HTTP_MCP_SESSION_ID, HTTP_USER_AGENT, REMOTE_ADDR } = environ
  const client = [HTTP_AUTHORIZATION, HTTP_COOKIE, HTTP_MCP_SESSION_ID, HTTP_USER_AGENT, REMOTE_ADDR]
  return JSON.stringify([...client, environ.SCRIPT_NAME, environ.PATH_INFO, id])
}

/** Makes a call cancellable until the returned function is called. */
export function beginCall(environ: Environ, id: unknown): () => void {
  const key = keyOf(environ, id)
  const calls = running.get(key) ?? new Set()
  running.set(key, calls.add(environ))
  return () => {
    calls.delete(environ)
    if (calls.size === 0) running.delete(key)
  }
}

/**
 * Cancels the call that a notification names. Several clients may look the same: a call that cannot be told apart
 * goes on.
 */
export function cancelCall(environ: Environ, notification: unknown): void {
  const { method, params } = isRecord(notification) ? notification : {}
  if (method !== 'notifications/cancelled' || !isRecord(params)) return
  const [call, ...others] = running.get(keyOf(environ, params.requestId)) ?? []
  if (call === undefined || others.length > 0) return
  cancelled.add(call)
  cancellationOf(call).abort(new ClientDisconnected())
}

const cancelled = new WeakSet<Environ>()

/** Returns true for the request of a call that its client has cancelled. */
export function isCancelled(environ: Environ): boolean {
  return cancelled.has(environ)
}
