/**
 * Waits for a promise that may never settle.
 *
 * @module
 */

/** The value of a promise, or the reason why nothing waits for it any longer. */
type Waited<T> =
  | { readonly kind: 'settled'; readonly value: T }
  /** The time is over. */
  | { readonly kind: 'late' }
  /** The process has nothing left to do that could settle the promise. */
  | { readonly kind: 'idle' }

/** Waits for a promise until it settles, the time is over, or the process has nothing left to do. */
export async function waitFor<T>(promise: Promise<T>, milliseconds: number): Promise<Waited<T>> {
  const { promise: ended, resolve } = Promise.withResolvers<Waited<T>>()
  const stop = () => resolve({ kind: 'idle' })
  process.once('beforeExit', stop)
  // The timer must not keep the process busy by itself, or an idle process would be noticed only when the time is over.
  const timer = setTimeout(() => resolve({ kind: 'late' }), milliseconds).unref()
  try {
    return await Promise.race([promise.then((value): Waited<T> => ({ kind: 'settled', value })), ended])
  } finally {
    clearTimeout(timer)
    process.off('beforeExit', stop)
  }
}

/** Words for what Node calls the resources that keep a process running. */
const RESOURCES: ReadonlyMap<string, string> = new Map([
  ['ChildProcess', 'child process'],
  ['FSEventWrap', 'watched file'],
  ['GetAddrInfoReqWrap', 'name lookup'],
  ['HTTPINCOMINGMESSAGE', 'HTTP request'],
  ['Immediate', 'timer'],
  ['MessagePort', 'worker'],
  ['PipeConnectWrap', 'connection attempt'],
  ['ProcessWrap', 'child process'],
  ['StatWatcher', 'watched file'],
  ['TCPConnectWrap', 'connection attempt'],
  ['TCPServerWrap', 'server'],
  ['TCPSocketWrap', 'connection'],
  ['TLSWrap', 'connection'],
  ['Timeout', 'timer'],
  ['UDPWrap', 'UDP socket'],
])

/** Returns what keeps this process running, such as `2 connections, 1 timer`. Empty if nothing is known. */
export function openResources(): string {
  const names = process.getActiveResourcesInfo().flatMap((resource) => RESOURCES.get(resource) ?? [])
  const counts = Map.groupBy(names, (name) => name)
  return [...counts]
    .map(([name, { length }]) => `${length} ${name}${length === 1 ? '' : pluralOf(name)}`)
    .join(', ')
}

function pluralOf(name: string): string {
  return name.endsWith('s') ? 'es' : 's'
}
