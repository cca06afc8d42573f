/** Reads JavaScript as tokens: the source of functions and classes, and the tags of templates. */

import jsTokens from 'js-tokens'

/** A token. Blanks and comments are not tokens. */
export interface Token {
  /** `${` and `}` for the parts of a template literal around an expression. */
  readonly text: string
  readonly offset: number
  /** Whether a line break precedes it. */
  readonly startsLine: boolean
  /** The last doc comment between the token before and this one. */
  readonly doc: string | undefined
  /** False for a string or a regular expression that breaks off. */
  readonly isClosed: boolean
  /** For an opening bracket, the tokens up to the closing one, which {@link nestedTokens} reads. */
  readonly inside: Token[] | undefined
}

/** Closing brackets by the opening ones. */
export const CLOSERS: Readonly<Record<string, string>> = { '{': '}', '(': ')', '[': ']', '${': '}' }

/** Reads code, token by token. Code that is not JavaScript is no error. */
export function* tokensOf(code: string): Generator<Token> {
  let start = 0
  let blank = ''
  let doc: string | undefined
  for (const token of jsTokens(code)) {
    const { type, value } = token
    const offset = start
    start += value.length
    if (/^(?:WhiteSpace|LineTerminatorSequence|\w+Comment)$/.test(type)) {
      blank += value
      if (/^\/\*\*../s.test(value)) doc = value
      continue
    }
    const isClosed = !('closed' in token) || token.closed
    const make = (text: string, at: number): Token => {
      const inside = Object.hasOwn(CLOSERS, text) ? [] : undefined
      return { text, offset: at, startsLine: /[\n\r\u2028\u2029]/.test(blank), doc, isClosed, inside }
    }
    const isTemplatePart = type.startsWith('Template')
    if (!isTemplatePart) yield make(value, offset)
    if (isTemplatePart && value.startsWith('}')) yield make('}', offset)
    if (isTemplatePart && value.endsWith('${')) yield make('${', start - 2)
    blank = ''
    doc = undefined
  }
}

/** Reads code whose brackets are closed. The tokens in brackets are `inside` of the opening ones. */
export function nestedTokens(code: string): Token[] {
  const open: Token[][] = [[]]
  for (const token of tokensOf(code)) {
    if (/^[)\]}]$/.test(token.text)) open.pop()
    else open.at(-1)?.push(token)
    if (token.inside !== undefined) open.push(token.inside)
  }
  return open[0] ?? []
}

/** Returns the items of a list, which commas separate. A comma may follow the last one. */
export function listItems(tokens: readonly Token[]): Token[][] {
  const items: Token[][] = [[]]
  for (const token of tokens) {
    if (token.text === ',') items.push([])
    else items.at(-1)?.push(token)
  }
  return items.at(-1)?.length === 0 ? items.slice(0, -1) : items
}

const ESCAPE = /\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2})|(.))/gis

/** Returns the name that a token is: a word, or a text or a number as a key. */
export function nameOf({ text }: Token): string {
  if (/^[\d.]/.test(text)) return String(Number(text.replace(/_|n$/g, '')))
  const name = /^['"]/.test(text) ? text.slice(1, -1) : text
  return name.replace(ESCAPE, (_, point, unit, byte, other) => {
    return other ?? String.fromCodePoint(Number.parseInt(point ?? unit ?? byte, 16))
  })
}
