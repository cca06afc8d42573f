/** Maximum number of keys. Each takes about 200 bytes. */
const MAX_KEYS = 100_000

/** The requests of a key in its window. */
export interface Usage {
  /** Number of requests so far. */
  readonly used: number
  /** Time until the window ends, in seconds. */
  readonly seconds: number
}

interface Window {
  used: number
  readonly end: number
}

/** Counts the requests of each key in windows of equal length, in memory. */
export class MemoryCounts {
  readonly #milliseconds: number
  // In the order in which the windows begin and end.
  readonly #windows = new Map<string, Window>()
  // One iterator for all removals. A new one would skip each entry that was removed before.
  #entries = this.#windows.entries()
  #oldest: [key: string, window: Window] | undefined

  /** @param seconds - the length of a window. */
  constructor(seconds: number) {
    this.#milliseconds = seconds * 1000
  }

  /** Returns the requests of a key so far. */
  get(key: string): Usage {
    const now = performance.now()
    this.#removeEnded(now)
    const { used, end } = this.#windows.get(key) ?? { used: 0, end: now }
    return { used, seconds: (end - now) / 1000 }
  }

  /**
   * Counts a request, and returns the requests so far, with this one. A window begins with the first request of a
   * key.
   */
  add(key: string): Usage {
    const now = performance.now()
    this.#removeEnded(now)
    let window = this.#windows.get(key)
    if (window === undefined) {
      this.#makeRoom()
      window = { used: 0, end: now + this.#milliseconds }
      this.#windows.set(key, window)
    }
    window.used += 1
    return { used: window.used, seconds: (window.end - now) / 1000 }
  }

  #removeEnded(now: number): void {
    while (this.#windows.size > 0 && this.#first()[1].end <= now) this.#removeFirst()
  }

  /** Forgets the oldest window if there are too many. */
  #makeRoom(): void {
    if (this.#windows.size >= MAX_KEYS) this.#removeFirst()
  }

  /** Returns the oldest window and its key. There must be one. */
  #first(): [key: string, window: Window] {
    for (;;) {
      this.#oldest ??= this.#entries.next().value
      if (this.#oldest !== undefined) return this.#oldest
      // An iterator that has ended does not return what is added later.
      this.#entries = this.#windows.entries()
    }
  }

  #removeFirst(): void {
    this.#windows.delete(this.#first()[0])
    this.#oldest = undefined
  }
}
