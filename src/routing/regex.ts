/**
 * Regular expressions (ECMA-262 §22.2.1): how they are compiled, their tokens, a tree of what is repeated and what alternates,
 * and the characters that their atoms accept.
 *
 * @module
 */

import { RouteDefinitionError } from './errors.ts'

/** The route and parameter of an expression, for error messages. */
export interface RegexOwner {
  readonly route: string
  readonly parameter?: string | undefined
}

/** Returns where an expression is, for error messages. */
export function placeOf({ route, parameter }: RegexOwner): string {
  return parameter === undefined ? `in route "${route}"` : `of parameter "${parameter}" in route "${route}"`
}

/** Escapes text so that a regular expression matches it literally. */
export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replaceAll('-', '\\x2d')
}

/**
 * Compiles an expression with the `u` flag, else with the `v` flag, else with neither.
 *
 * @throws RouteDefinitionError E_ROUTE_REQUIREMENT - no grammar allows it.
 */
export function compileRegex(source: string, flags: string, owner: RegexOwner): RegExp {
  let cause: unknown
  for (const grammar of ['u', 'v', '']) {
    try {
      return new RegExp(source, flags + grammar)
    } catch (error) {
      cause ??= error
    }
  }
  throw new RouteDefinitionError(
    'E_ROUTE_REQUIREMENT',
    `The regular expression ${source} ${placeOf(owner)} does not compile: ${cause instanceof Error ? cause.message : String(cause)}.`,
    'Correct the expression at the place that the message names.',
    { ...owner, pattern: source, cause },
  )
}

/** A token; `text` is its source. */
export type RegexToken =
  | { readonly type: 'atom'; readonly text: string }
  | { readonly type: 'open'; readonly text: string; readonly capturing: boolean }
  | { readonly type: 'close'; readonly text: ')' }
  | { readonly type: 'or'; readonly text: '|' }
  | { readonly type: 'assertion'; readonly text: string }
  | { readonly type: 'backreference'; readonly text: string; readonly group: number | undefined }
  | { readonly type: 'quantifier'; readonly text: string; readonly min: number; readonly max: number }

const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y
const GROUP = /\((?:\?(?:[:=!]|<[=!]|<([^>]+)>|[a-z-]*:))?/y
const ESCAPE =
  /\\(?:([1-9]\d*)|(k<[^>]+>)|[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|([bB])|.)/suy

/** Splits the source of a regular expression into tokens. The expression must compile. */
export function tokenizeRegex({ source, unicodeSets }: RegExp): RegexToken[] {
  const tokens: RegexToken[] = []
  let at = 0
  while (at < source.length) {
    const token = tokenAt(source, at, unicodeSets)
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
  const [text = source.slice(at), group, name, boundary] = ESCAPE.exec(source) ?? []
  if (group !== undefined) return { type: 'backreference', text, group: Number(group) }
  if (name !== undefined) return { type: 'backreference', text, group: undefined }
  return boundary === undefined ? { type: 'atom', text } : { type: 'assertion', text }
}

function groupAt(source: string, at: number): RegexToken {
  GROUP.lastIndex = at
  const [text = '(', name] = GROUP.exec(source) ?? []
  return { type: 'open', text, capturing: text === '(' || name !== undefined }
}

function quantifierAt(source: string, at: number): RegexToken | undefined {
  QUANTIFIER.lastIndex = at
  const [text, least, comma, most] = QUANTIFIER.exec(source) ?? []
  if (text === undefined) return undefined
  if (least === undefined) {
    return {
      type: 'quantifier',
      text,
      min: text.startsWith('+') ? 1 : 0,
      max: text.startsWith('?') ? 1 : Infinity,
    }
  }
  const min = Number(least)
  return { type: 'quantifier', text, min, max: comma === undefined ? min : most ? Number(most) : Infinity }
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

/**
 * A node of the syntax tree; `text` is its source.
 *
 * `repeat` is one or more times; `counted` if the source limits the number. `look` is a look-ahead or look-behind, and
 * `void` the repetition, more than {@link MOST_COPIES} times, of a node that can match the empty text.
 */
export type RegexNode =
  | { readonly type: 'empty'; readonly text: string }
  | { readonly type: 'atom'; readonly text: string }
  | { readonly type: 'sequence' | 'choice'; readonly text: string; readonly nodes: readonly RegexNode[] }
  | { readonly type: 'optional' | 'look' | 'void'; readonly text: string; readonly node: RegexNode }
  | { readonly type: 'repeat'; readonly text: string; readonly node: RegexNode; readonly counted: boolean }

/** Counted repetitions up to this number are written out; larger ones count as unlimited. */
const MOST_COPIES = 3

/** A character that is repeated a fixed number of times is written out up to this number. */
const MOST_CHARACTERS = 100

/**
 * Parses an expression.
 *
 * The tree has at least as many ways to match a text as the expression: anchors and word boundaries are left out, a
 * back reference is any text, and the condition of a look-ahead is not applied.
 *
 * @returns `undefined` for a look-behind that repeats something, and for strings in a class (`\q{}`).
 */
export function parseRegex(regex: RegExp): RegexNode | undefined {
  const parser = new Parser(tokenizeRegex(regex))
  return parser.choice()
}

class Parser {
  readonly #tokens: readonly RegexToken[]
  #at = 0

  constructor(tokens: readonly RegexToken[]) {
    this.#tokens = tokens
  }

  choice(): RegexNode | undefined {
    const start = this.#at
    const nodes: RegexNode[] = []
    for (;;) {
      const branch = this.#sequence()
      if (!branch) return undefined
      nodes.push(branch)
      if (this.#tokens[this.#at]?.type !== 'or') {
        return nodes.length === 1 ? branch : { type: 'choice', nodes, text: this.#text(start) }
      }
      this.#at++
    }
  }

  #sequence(): RegexNode | undefined {
    const start = this.#at
    const nodes: RegexNode[] = []
    for (;;) {
      const token = this.#tokens[this.#at]
      if (token === undefined || token.type === 'or' || token.type === 'close') {
        const [only] = nodes
        return only && nodes.length === 1 ? only : { type: 'sequence', nodes, text: this.#text(start) }
      }
      const node = this.#term(token)
      if (!node) return undefined
      nodes.push(node)
    }
  }

  #term(token: RegexToken): RegexNode | undefined {
    const start = this.#at++
    const node = token.type === 'open' ? this.#group(token.text, start) : leaf(token)
    const quantifier = this.#tokens[this.#at]
    if (node === undefined || quantifier?.type !== 'quantifier') return node
    this.#at++
    return repeated(node, quantifier.min, quantifier.max, this.#text(start))
  }

  #group(opening: string, start: number): RegexNode | undefined {
    const node = this.choice()
    this.#at++
    if (node === undefined) return undefined
    const text = this.#text(start)
    if (!/^\(\?<?[=!]/.test(opening)) return { ...node, text }
    if (opening.startsWith('(?<') && repeats(node)) return undefined
    return { type: 'look', node, text }
  }

  #text(start: number): string {
    return this.#tokens
      .slice(start, this.#at)
      .map(({ text }) => text)
      .join('')
  }
}

function leaf({ type, text }: RegexToken): RegexNode | undefined {
  if (type === 'atom') return text.includes('\\q{') ? undefined : { type, text }
  if (type === 'assertion') return { type: 'empty', text }
  const any: RegexNode = { type: 'repeat', text, node: { type: 'atom', text: '[^]' }, counted: true }
  return { type: 'optional', text, node: any }
}

function repeated(node: RegexNode, min: number, max: number, text: string): RegexNode {
  if (max === 0) return { type: 'empty', text }
  const optional = (inner: RegexNode): RegexNode => ({ type: 'optional', node: inner, text })
  const most = node.type === 'atom' && min === max ? MOST_CHARACTERS : MOST_COPIES
  if (max > most) {
    if (min > MOST_COPIES && matchesEmpty(node)) return { type: 'void', node, text }
    const repeat: RegexNode = { type: 'repeat', node, counted: max !== Infinity || min > 1, text }
    return min === 0 ? optional(repeat) : repeat
  }
  // x{1,3} is x(?:x(?:x)?)?: written so, a number of times can be had in one way only.
  let rest: RegexNode | undefined
  for (let count = min; count < max; count++) {
    rest = optional(rest ? { type: 'sequence', nodes: [node, rest], text } : node)
  }
  const copies = Array.from({ length: min }, () => node)
  return { type: 'sequence', nodes: rest ? [...copies, rest] : copies, text }
}

function matchesEmpty(node: RegexNode): boolean {
  switch (node.type) {
    case 'atom':
      return false
    case 'sequence':
      return node.nodes.every(matchesEmpty)
    case 'choice':
      return node.nodes.some(matchesEmpty)
    case 'repeat':
      return matchesEmpty(node.node)
    default:
      return true
  }
}

function repeats(node: RegexNode): boolean {
  if ('nodes' in node) return node.nodes.some(repeats)
  return node.type === 'repeat' || node.type === 'void' || ('node' in node && repeats(node.node))
}

/** Compiles one atom of an expression. */
export function atom(text: string, flags: string): RegExp {
  return new RegExp(`^(?:${text})$`, flags)
}

/**
 * Returns the characters that an atom accepts, as numbers. Those beyond ASCII share one number, except for markers, which only
 * accompany the character that they replace.
 */
export type Alphabet = (atom: string) => readonly number[]

const BEYOND_ASCII = 128
const ACCEPTS_BEYOND = /[^\0-\x7f]|\\u(?!00[0-7]|d8[0-7])|\\x(?![0-7])|\\[pPsSDW]|\[\^|^\.$/

/** Creates the alphabet of an expression. */
export function alphabetOf({ flags }: RegExp): Alphabet {
  const cache = new Map<string, readonly number[]>()
  return (text) => {
    let accepted = cache.get(text)
    if (accepted === undefined) {
      const regex = atom(text, flags)
      const ascii = [...Array(BEYOND_ASCII).keys()].filter((code) => regex.test(String.fromCharCode(code)))
      accepted = ACCEPTS_BEYOND.test(text) ? [...ascii, BEYOND_ASCII] : ascii
      cache.set(text, accepted)
    }
    return accepted
  }
}
