/**
 * The controllers that `{controller}` may name.
 *
 * @module
 */

/** What a segment may begin. */
interface Beginning {
  /** The name that the segment stands for by itself. */
  name: string | undefined
  /** How many segments the longest name has that begins with it. */
  depth: number
}

/** Known controllers by the text that a URL may have for them. */
export class ControllerNames {
  readonly #byText = new Map<string, string>()
  readonly #byFirstSegment = new Map<string, Beginning>()

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
    for (const [text, name] of this.#byText) this.#begin(text.split('/'), name)
  }

  #begin(segments: readonly string[], name: string): void {
    const first = segments[0] ?? ''
    let beginning = this.#byFirstSegment.get(first)
    if (!beginning) {
      beginning = { name: undefined, depth: 0 }
      this.#byFirstSegment.set(first, beginning)
    }
    if (segments.length === 1) beginning.name = name
    beginning.depth = Math.max(beginning.depth, segments.length)
  }

  /** What a decoded segment begins; undefined when no name begins with it. */
  beginningWith(segment: string): Readonly<Beginning> | undefined {
    return this.#byFirstSegment.get(segment)
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
