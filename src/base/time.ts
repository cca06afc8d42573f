/**
 * Returns the result of an operation.
 *
 * @throws Error, as a rejection - it takes more than a number of milliseconds. It is not cancelled.
 */
export async function within<T>(milliseconds: number, operation: () => Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`It took over ${milliseconds} ms.`)), milliseconds)
  try {
    return await Promise.race([operation(), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves after the event loop has handled what has arrived in the meantime, such as other requests. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    // Some runtimes have no setImmediate. A timer of Node waits for a millisecond.
    if (typeof setImmediate === 'function') setImmediate(resolve)
    else setTimeout(resolve, 0)
  })
}
