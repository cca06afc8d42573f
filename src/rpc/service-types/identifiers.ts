const MAX_LENGTH = 60

/** Reserved words, and names that strict mode or TypeScript treats differently as parameters or types. */
const RESERVED: ReadonlySet<string> = new Set(
  `any arguments as async await bigint boolean break case catch class const continue debugger declare default delete do
  else enum eval export extends false finally for from function get if implements import in infer instanceof interface
  is keyof let module namespace never new null number object of package private protected public readonly require
  return set static string super switch symbol this throw true try type typeof undefined unique unknown var void while
  with yield`.split(/\s+/),
)

/** Creates identifiers from names of a server. No two of them are equal. */
export class Identifiers {
  readonly #taken: Set<string>
  /** Last number behind each base, so that many equal names take linear time. */
  readonly #last = new Map<string, number>()

  /** @param taken - identifiers that the generated ones must differ from. */
  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken)
  }

  /**
   * Returns an identifier in ASCII that resembles `name`, or `otherwise` if nothing of the name can be kept.
   *
   * @param otherwise - an identifier.
   */
  of(name: string, otherwise: string): string {
    const words = name.slice(0, MAX_LENGTH).replace(/^\W+|\W+$/g, '')
    const plain = words.replace(/\W+/g, '_')
    const begun = /^\d/.test(plain) ? `_${plain}` : plain
    const wanted = /[A-Za-z]/.test(begun) ? begun : otherwise
    const base = RESERVED.has(wanted) ? `${wanted}_` : wanted
    let identifier = base
    let number = this.#last.get(base) ?? 1
    while (this.#taken.has(identifier)) identifier = `${base}${++number}`
    this.#last.set(base, number)
    this.#taken.add(identifier)
    return identifier
  }
}

/** Returns true if a name can be the name of an interface as it is. */
export function isTypeName(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name) && !RESERVED.has(name)
}
