/** A sequence of pseudo-random numbers that is the same for the same seed (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Returns an integer from 0 up to, but not including, `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end)
  }

  /** Returns true with a probability of `percent` in 100. */
  chance(percent: number): boolean {
    return this.below(100) < percent
  }

  /** Returns one of the values. */
  of<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)]
    if (value === undefined) throw new RangeError('There is nothing to choose from.')
    return value
  }
}
