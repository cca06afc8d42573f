/** Resolves after the event loop has handled what has arrived in the meantime, such as other requests. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    // Some runtimes have no setImmediate. A timer of Node waits for a millisecond.
    if (typeof setImmediate === 'function') setImmediate(resolve)
    else setTimeout(resolve, 0)
  })
}
