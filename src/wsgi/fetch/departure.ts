/**
 * Time after which a pending response listens for a disconnect, in milliseconds. Reading the signal of a request costs Bun
 * and Deno more than a small response, and few responses take longer.
 */
const DELAY = 50

/** Notices that the client of a request disconnects while its response is pending. */
export class Departure {
  readonly #request: globalThis.Request
  readonly #leave: () => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #signal: AbortSignal | undefined = undefined

  /** @param leave - is called when the client disconnects, at most once. Not before {@link DELAY}, or {@link listen}. */
  constructor(request: globalThis.Request, leave: () => void) {
    this.#request = request
    this.#leave = leave
    this.#timer = setTimeout(() => this.listen(), DELAY)
  }

  /** Listens from now on. */
  listen(): void {
    clearTimeout(this.#timer)
    const { signal } = this.#request
    this.#signal = signal
    if (signal.aborted) this.#leave()
    else signal.addEventListener('abort', this.#leave, { once: true })
  }

  /** Stops listening: the response is complete. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#signal?.removeEventListener('abort', this.#leave)
  }
}
