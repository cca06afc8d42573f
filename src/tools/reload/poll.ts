/** Delay between two checks. */
const INTERVAL_MILLISECONDS = 250

/** A check that takes long delays the next one by this multiple of its duration. */
const DELAY_FACTOR = 20

/**
 * Calls a function again and again, and waits for what it returns. The time of its synchronous part counts as its
 * duration.
 *
 * @returns a function that ends the calls.
 */
export function poll(check: () => void | Promise<void>): () => void {
  let isStopped = false
  let timer = setTimeout(run, INTERVAL_MILLISECONDS).unref()
  async function run(): Promise<void> {
    const begin = performance.now()
    const pending = check()
    const delay = Math.max(INTERVAL_MILLISECONDS, (performance.now() - begin) * DELAY_FACTOR)
    await pending
    if (!isStopped) timer = setTimeout(run, delay).unref()
  }
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
