/** Maximum number of entries of a {@link RecentMap}, and maximum total of their sizes. No limit if it is left out. */
export interface RecentLimits {
  readonly entries?: number
  readonly size?: number
}

/** Values by key, up to a number and a total size. The least recently used one is removed first. */
export class RecentMap<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly size: number }>()
  readonly #most: Required<RecentLimits>
  #total = 0

  constructor({ entries = Number.POSITIVE_INFINITY, size = Number.POSITIVE_INFINITY }: RecentLimits) {
    this.#most = { entries, size }
  }

  /** Number of entries. */
  get size(): number {
    return this.#entries.size
  }

  /** Total of the sizes. */
  get total(): number {
    return this.#total
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    // A Map iterates in insertion order, so the first entry is the least recently used.
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** Stores a value, unless it exceeds the total size by itself. */
  set(key: string, value: Value, size = 0): void {
    this.delete(key)
    if (size > this.#most.size) return
    this.#entries.set(key, { value, size })
    this.#total += size
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#most.entries && this.#total <= this.#most.size) break
      this.delete(oldest)
    }
  }

  delete(key: string): boolean {
    this.#total -= this.#entries.get(key)?.size ?? 0
    return this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
    this.#total = 0
  }
}
