/**
 * Time after which a pending response listens for a disconnect, in milliseconds, at least. Reading the signal of a request
 * costs Bun and Deno more than a small response, and few responses take longer.
 */
const DELAY = 50

/** Pending responses that do not listen yet. */
const waiting = new Set<Departure>()

/** Whether the timer of all of them runs. A timer for each would cost Deno a tenth of a form. */
let isTimed = false

function advance(): void {
  for (const departure of waiting) departure.advance()
  isTimed = waiting.size > 0
  if (isTimed) setTimeout(advance, DELAY)
}

/** Notices that the client of a request disconnects while its response is pending. */
export class Departure {
  readonly #request: globalThis.Request
  readonly #leave: () => void
  #isOld = false
  #signal: AbortSignal | undefined = undefined

  /** @param leave - is called when the client disconnects, at most once. Not before {@link listen}. */
  constructor(request: globalThis.Request, leave: () => void) {
    this.#request = request
    this.#leave = leave
  }

  /** Listens if the response is still pending after {@link DELAY}, or at most twice that time. */
  listenLater(): void {
    waiting.add(this)
    if (isTimed) return
    isTimed = true
    setTimeout(advance, DELAY)
  }

  /** Listens at the second tick of the timer. */
  advance(): void {
    if (this.#isOld) this.listen()
    else this.#isOld = true
  }

  /** Listens from now on. Only the first call has an effect. */
  listen(): void {
    waiting.delete(this)
    if (this.#signal !== undefined) return
    const { signal } = this.#request
    this.#signal = signal
    if (signal.aborted) this.#leave()
    else signal.addEventListener('abort', this.#leave, { once: true })
  }

  /** Stops listening: the response is complete. */
  stop(): void {
    waiting.delete(this)
    this.#signal?.removeEventListener('abort', this.#leave)
  }
}
