/**
 * Regular expressions (ECMA-262 §22.2.1): escaping, and their tokens.
 *
 * @module
 */

/** Escapes text so that a regular expression matches it literally. */
export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replaceAll('-', '\\x2d')
}

/** Returns the source of a regular expression for one UTF-16 code unit. */
export function codeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** A token of an expression. An atom matches one character. */
export interface RegexToken {
  readonly type: 'atom' | 'open' | 'close' | 'or' | 'assertion' | 'backreference' | 'quantifier'
  /** Its source. */
  readonly text: string
}

const QUANTIFIER = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/.source
const GROUP = /\((?:\?(?:[:=!]|<[=!]|<[^>]+>|[a-z-]*:))?/.source
const ESCAPE = /\\(?:[1-9]\d*|k<[^>]+>|[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|.)/.source
const TOKEN = new RegExp(`${QUANTIFIER}|${GROUP}|${ESCAPE}|.`, 'suy')

/** Splits the source of a regular expression into tokens. The expression must compile. */
export function tokenizeRegex({ source, unicodeSets }: RegExp): RegexToken[] {
  const tokens: RegexToken[] = []
  for (let at = 0; at < source.length; at += tokens.at(-1)?.text.length ?? 1) {
    TOKEN.lastIndex = at
    const [text = ''] = TOKEN.exec(source) ?? []
    tokens.push(
      text === '['
        ? { type: 'atom', text: source.slice(at, classEnd(source, at, unicodeSets)) }
        : { type: typeOf(text), text },
    )
  }
  return tokens
}

function typeOf(text: string): RegexToken['type'] {
  if (/^\\(?:[1-9]|k<)/.test(text)) return 'backreference'
  if (/^(?:[$^]|\\b)$/i.test(text)) return 'assertion'
  if (/^(?:[*+?]|\{.)/.test(text)) return 'quantifier'
  if (text.startsWith('(')) return 'open'
  return text === ')' ? 'close' : text === '|' ? 'or' : 'atom'
}

/** Returns the index after the `]` that closes the class opened at `at`. */
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

/** Compiles one atom of an expression. */
export function atom(text: string, flags: string): RegExp {
  return new RegExp(`^(?:${text})$`, flags)
}
