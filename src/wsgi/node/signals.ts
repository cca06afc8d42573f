/**
 * SIGTERM: shuts down the servers of the process.
 *
 * @module
 */

/** Servers that are closed on SIGTERM, with the function that closes them. */
const closers = new Map<object, () => Promise<void>>()

/**
 * Closes a server on SIGTERM. When all such servers of the process have closed, the process exits, unless the application has
 * a listener of its own for the signal, which then ends the process. A second SIGTERM ends the process at once.
 *
 * @returns a function that ends this.
 */
export function closeOnTermination(server: object, close: () => Promise<void>): () => void {
  // First, because a listener that was added by once() is not counted any more when it has been called.
  if (closers.size === 0) process.prependListener('SIGTERM', terminate)
  closers.set(server, close)
  return () => {
    closers.delete(server)
    if (closers.size === 0) process.off('SIGTERM', terminate)
  }
}

function terminate(): void {
  const closing = [...closers.values()].map((close) => close())
  // Each close() has removed its entry, and the last one the listener.
  if (process.listenerCount('SIGTERM') > 0) return
  void Promise.allSettled(closing).then((results) => {
    const failure = results.find(({ status }) => status === 'rejected')
    process.exit(failure === undefined ? undefined : 1)
  })
}
