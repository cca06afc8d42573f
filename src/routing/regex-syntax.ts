/**
 * The structure of a regular expression, as far as an automaton can express it.
 *
 * @module
 */

import type { RegexToken } from './regex-tokens.ts'

/** An expression. `repeat` is one or more times. */
export type RegexNode =
  | { readonly type: 'empty' }
  | { readonly type: 'atom'; readonly text: string }
  | { readonly type: 'sequence'; readonly nodes: readonly RegexNode[] }
  | { readonly type: 'choice'; readonly nodes: readonly RegexNode[] }
  | { readonly type: 'optional'; readonly node: RegexNode }
  | { readonly type: 'repeat'; readonly node: RegexNode }

/**
 * Parses an expression's tokens.
 *
 * @param mostAtoms - larger expressions, with their counted repetitions written out, are not taken.
 * @returns `undefined` where no automaton can do the same: look-around, back references, word boundaries, inner anchors, flags
 *   within the expression.
 */
export function parseRegex(tokens: readonly RegexToken[], mostAtoms: number): RegexNode | undefined {
  const parser = new Parser(tokens)
  const node = parser.choice()
  return node && parser.done && atoms(node) <= mostAtoms ? node : undefined
}

function atoms(node: RegexNode): number {
  if (node.type === 'atom') return 1
  if (node.type === 'sequence' || node.type === 'choice')
    return node.nodes.reduce((sum, inner) => sum + atoms(inner), 0)
  return node.type === 'empty' ? 0 : atoms(node.node)
}

const MOST_COPIES = 100

class Parser {
  readonly #tokens: readonly RegexToken[]
  #at = 0

  constructor(tokens: readonly RegexToken[]) {
    this.#tokens = tokens
  }

  get done(): boolean {
    return this.#at >= this.#tokens.length
  }

  choice(): RegexNode | undefined {
    const nodes: RegexNode[] = []
    for (;;) {
      const branch = this.#sequence()
      if (!branch) return undefined
      nodes.push(branch)
      if (this.#tokens[this.#at]?.type !== 'or')
        return nodes.length === 1 ? branch : { type: 'choice', nodes }
      this.#at++
    }
  }

  #sequence(): RegexNode | undefined {
    const nodes: RegexNode[] = []
    for (;;) {
      const token = this.#tokens[this.#at]
      if (token === undefined || token.type === 'or' || token.type === 'close')
        return { type: 'sequence', nodes }
      const node = this.#term(token)
      if (!node) return undefined
      nodes.push(node)
    }
  }

  #term(token: RegexToken): RegexNode | undefined {
    this.#at++
    if (token.type === 'atom') return this.#quantified({ type: 'atom', text: token.text })
    if (token.type !== 'open' || token.look || !/^\((?:\?:|\?<|$)/.test(token.text)) return undefined
    const inner = this.choice()
    if (!inner || this.#tokens[this.#at]?.type !== 'close') return undefined
    this.#at++
    return this.#quantified(inner)
  }

  #quantified(node: RegexNode): RegexNode | undefined {
    const token = this.#tokens[this.#at]
    if (token?.type !== 'quantifier') return node
    this.#at++
    const { min, max } = token
    if (min > MOST_COPIES || (max !== Infinity && max > MOST_COPIES)) return undefined
    const copies: RegexNode[] = Array.from({ length: min }, () => node)
    if (max === Infinity) {
      if (min === 0) return { type: 'optional', node: { type: 'repeat', node } }
      copies[min - 1] = { type: 'repeat', node }
      return { type: 'sequence', nodes: copies }
    }
    // x{0,2} is (?:x(?:x)?)?: written so, each count has one way only.
    let rest: RegexNode | undefined
    for (let count = min; count < max; count++) {
      rest = { type: 'optional', node: rest ? { type: 'sequence', nodes: [node, rest] } : node }
    }
    return { type: 'sequence', nodes: rest ? [...copies, rest] : copies }
  }
}
