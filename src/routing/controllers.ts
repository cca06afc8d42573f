/**
 * The controllers that `{controller}` may name.
 *
 * @module
 */

/** Known controllers by the text that a URL may have for them. */
export class ControllerNames {
  readonly #byText = new Map<string, string>()
  /** How many segments the longest name has that begins with a segment. */
  readonly #depths = new Map<string, number>()

  /**
   * @param names - every known name, with slashes where nested. A name with underscores is reached with dashes as well,
   *   where that is not the name of another.
   */
  constructor(names: Iterable<string>) {
    const dashed = new Map<string, string | undefined>()
    for (const name of names) {
      this.#byText.set(name, name)
      const variant = name.replaceAll('_', '-')
      if (variant !== name)
        dashed.set(variant, dashed.has(variant) && dashed.get(variant) !== name ? undefined : name)
    }
    for (const [variant, name] of dashed) {
      if (name !== undefined && !this.#byText.has(variant)) this.#byText.set(variant, name)
    }
    for (const text of this.#byText.keys()) {
      const segments = text.split('/')
      const first = segments[0] ?? ''
      this.#depths.set(first, Math.max(this.depthFrom(first), segments.length))
    }
  }

  /** The number of segments in the longest name that begins with a decoded segment; 0 when none does. */
  depthFrom(segment: string): number {
    return this.#depths.get(segment) ?? 0
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
