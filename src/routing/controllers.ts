/**
 * The controllers that `{controller}` may name.
 *
 * @module
 */

/** Known controllers by the text that a URL may have for them. */
export class ControllerNames {
  readonly #byText = new Map<string, string>()
  /** The largest number of segments in a name. */
  readonly depth: number

  /**
   * @param names - every known name, with slashes where nested. A name with underscores is reached with dashes as well,
   *   where that is not the name of another.
   */
  constructor(names: Iterable<string>) {
    let depth = 0
    const dashed = new Map<string, string | undefined>()
    for (const name of names) {
      this.#byText.set(name, name)
      depth = Math.max(depth, name.split('/').length)
      const variant = name.replaceAll('_', '-')
      if (variant !== name)
        dashed.set(variant, dashed.has(variant) && dashed.get(variant) !== name ? undefined : name)
    }
    for (const [variant, name] of dashed) {
      if (name !== undefined && !this.#byText.has(variant)) this.#byText.set(variant, name)
    }
    this.depth = depth
  }

  /** The name that a decoded text stands for. */
  find(text: string): string | undefined {
    return this.#byText.get(text)
  }

  /** Every text that stands for a name, longest first. */
  texts(): string[] {
    return [...this.#byText.keys()].sort((a, b) => b.length - a.length)
  }
}
