/**
 * Media types and the parameters behind a semicolon (RFC 9110 §5.6.6, §8.3.1).
 *
 * @module
 */

/** A media type taken apart. */
export interface MediaType {
  /** `type/subtype` in lower case, without parameters. */
  readonly essence: string
  /** The parameters by lower-case name, the first of a name wins; no prototype. */
  readonly parameters: Readonly<Record<string, string>>
}

const ESSENCE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const PARAMETER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/**
 * Takes a Content-Type apart.
 *
 * @returns `undefined` when the text does not begin with `type/subtype`. A parameter that cannot be read is left out.
 */
export function parseMediaType(text: string): MediaType | undefined {
  const known = plainTypes.get(text)
  if (known !== undefined) return known
  const end = text.indexOf(';')
  const essence = (end === -1 ? text : text.slice(0, end)).trim().toLowerCase()
  if (!ESSENCE.test(essence)) return undefined
  if (end !== -1) return { essence, parameters: parseParameters(text, end) }
  const type: MediaType = Object.freeze({ essence, parameters: NO_PARAMETERS })
  if (plainTypes.size < MAX_REMEMBERED && text.length <= MAX_REMEMBERED_LENGTH) plainTypes.set(text, type)
  return type
}

/** Returns true for `application/json`, `text/json` and types with the suffix `+json` (RFC 6839 §3.1). */
export function isJson({ essence }: MediaType): boolean {
  return essence === 'application/json' || essence === 'text/json' || essence.endsWith('+json')
}

// Types without parameters: most requests have one of very few. Clients choose them, so what is remembered has a limit.
const plainTypes = new Map<string, MediaType>()
const MAX_REMEMBERED = 64
const MAX_REMEMBERED_LENGTH = 64

const NO_PARAMETERS: Readonly<Record<string, string>> = Object.freeze(Object.create(null))

/**
 * Reads `; name=value; name="quoted value"` from a header field's value.
 *
 * In a quoted string `\"` and `\\` stand for the second character; a backslash before anything else is kept, because
 * old browsers send Windows paths so.
 *
 * @param start - where to begin: at the first semicolon.
 */
export function parseParameters(text: string, start: number): Record<string, string> {
  const parameters: Record<string, string> = Object.create(null)
  let at = start
  while (at < text.length) {
    if (text[at] === ';') at++
    const equals = text.indexOf('=', at)
    const semicolon = text.indexOf(';', at)
    if (equals === -1) break
    if (semicolon !== -1 && semicolon < equals) {
      // All at once: going from one of many semicolons to the next would look for the same `=` every time.
      at = text.lastIndexOf(';', equals)
      continue
    }
    const name = text.slice(at, equals).trim().toLowerCase()
    let value: string
    let begin = equals + 1
    while (text[begin] === ' ' || text[begin] === '\t') begin++
    if (text[begin] === '"') {
      const close = closingQuote(text, begin + 1)
      value = text.slice(begin + 1, close).replace(/\\(["\\])/g, '$1')
      const next = text.indexOf(';', close)
      at = next === -1 ? text.length : next
    } else {
      at = semicolon === -1 ? text.length : semicolon
      value = text.slice(begin, at).trim()
    }
    if (PARAMETER_NAME.test(name) && !(name in parameters)) parameters[name] = value
  }
  return parameters
}

function closingQuote(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === '"') return at
    if (text[at] === '\\' && (text[at + 1] === '"' || text[at + 1] === '\\')) at++
  }
  return text.length
}
