/**
 * Methods that report their progress: async generators, which yield events and return the result.
 *
 * @module
 */

/** The steps of a method: the events that it yields, then its result. */
export type LongCall = AsyncGenerator<unknown, unknown, undefined>

export function isLongCall(returned: unknown): returned is LongCall {
  return Object.prototype.toString.call(returned) === '[object AsyncGenerator]'
}

/**
 * Runs a method to its end, for clients that do not see its events.
 *
 * @throws the reason of `signal`, which ends the method at its next event.
 */
export async function resultOf(call: LongCall, signal: AbortSignal): Promise<unknown> {
  let next = await call.next()
  while (next.done !== true) {
    if (signal.aborted) {
      await call.return(undefined)
      signal.throwIfAborted()
    }
    next = await call.next()
  }
  return next.value
}
