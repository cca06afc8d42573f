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
