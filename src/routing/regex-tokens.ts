/**
 * The tokens of a regular expression (ECMA-262 §22.2.1), as far as routing must understand one: what each atom is, where groups
 * open, what is repeated.
 *
 * @module
 */

/** One token; `text` is its source. */
export type RegexToken =
  | { readonly type: 'atom'; readonly text: string }
  | { readonly type: 'open'; readonly text: string; readonly capturing: boolean; readonly look: boolean }
  | { readonly type: 'close'; readonly text: ')' }
  | { readonly type: 'or'; readonly text: '|' }
  | { readonly type: 'assertion'; readonly text: string }
  | { readonly type: 'backreference'; readonly text: string; readonly group: number }
  | { readonly type: 'namedReference'; readonly text: string }
  | { readonly type: 'quantifier'; readonly text: string; readonly min: number; readonly max: number }

const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y
const GROUP = /\((?:\?(?:[:=!]|<[=!]|<([^>]+)>|[a-z-]*:))?/y
const ESCAPE =
  /\\(?:([1-9]\d*)|(k<[^>]+>)|[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|([bB])|.)/suy

/**
 * Splits the source of a regular expression that is known to compile into its tokens.
 *
 * @param nestedClasses - whether `[` opens a class inside a class, as it does under the `v` flag.
 */
export function tokenizeRegex(source: string, nestedClasses: boolean): RegexToken[] {
  const tokens: RegexToken[] = []
  let at = 0
  while (at < source.length) {
    const token = tokenAt(source, at, nestedClasses)
    tokens.push(token)
    at += token.text.length
  }
  return tokens
}

function tokenAt(source: string, at: number, nestedClasses: boolean): RegexToken {
  const character = source[at]
  switch (character) {
    case '\\':
      return escapeAt(source, at)
    case '[':
      return { type: 'atom', text: source.slice(at, classEnd(source, at, nestedClasses)) }
    case '(':
      return groupAt(source, at)
    case ')':
      return { type: 'close', text: ')' }
    case '|':
      return { type: 'or', text: '|' }
    case '^':
    case '$':
      return { type: 'assertion', text: character }
    default:
      return (
        quantifierAt(source, at) ?? { type: 'atom', text: String.fromCodePoint(source.codePointAt(at) ?? 0) }
      )
  }
}

function escapeAt(source: string, at: number): RegexToken {
  ESCAPE.lastIndex = at
  const found = ESCAPE.exec(source)
  const text = found?.[0] ?? source.slice(at)
  if (found?.[1] !== undefined) return { type: 'backreference', text, group: Number(found[1]) }
  if (found?.[2] !== undefined) return { type: 'namedReference', text }
  if (found?.[3] !== undefined) return { type: 'assertion', text }
  return { type: 'atom', text }
}

function groupAt(source: string, at: number): RegexToken {
  GROUP.lastIndex = at
  const found = GROUP.exec(source)
  const text = found?.[0] ?? '('
  const capturing = text === '(' || found?.[1] !== undefined
  return { type: 'open', text, capturing, look: /^\(\?<?[=!]$/.test(text) }
}

function quantifierAt(source: string, at: number): RegexToken | undefined {
  QUANTIFIER.lastIndex = at
  const found = QUANTIFIER.exec(source)
  if (!found) return undefined
  const text = found[0]
  if (found[1] === undefined) {
    return {
      type: 'quantifier',
      text,
      min: text.startsWith('+') ? 1 : 0,
      max: text.startsWith('?') ? 1 : Infinity,
    }
  }
  const min = Number(found[1])
  const max = found[2] === undefined ? min : found[3] ? Number(found[3]) : Infinity
  return { type: 'quantifier', text, min, max }
}

/** The index after the `]` that closes the class opened at `at`. */
function classEnd(source: string, at: number, nestedClasses: boolean): number {
  let depth = 0
  for (let index = at; index < source.length; index++) {
    const character = source[index]
    if (character === '\\') index++
    else if (character === '[' && (depth === 0 || nestedClasses)) depth++
    else if (character === ']' && --depth === 0) return index + 1
  }
  return source.length
}
