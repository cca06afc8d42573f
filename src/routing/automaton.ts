/**
 * Regular expressions without backtracking: the position automaton (Glushkov 1961) of an expression, run over all its ways at
 * once, and the question whether an expression has exponentially many ways for one text (Weber and Seidl 1991).
 *
 * @module
 */

import { parseRegex, type RegexNode } from './regex-syntax.ts'
import type { RegexToken } from './regex-tokens.ts'

const MOST_POSITIONS = 120
const SAMPLES_BEYOND_ASCII = ['\u00a0', 'é', 'ß', 'Ж', 'א', '日', '٣', '\u2028', '😀']

interface Fragment {
  readonly nullable: boolean
  readonly first: readonly number[]
  readonly last: readonly number[]
}

/** An automaton with one state for each atom of the expression. */
export class Automaton {
  readonly #atoms: RegExp[] = []
  readonly #ascii: Uint8Array[] = []
  readonly #follow: number[][] = []
  readonly #root: Fragment
  readonly #last: ReadonlySet<number>
  readonly #flags: string

  /** The automaton of an expression; `undefined` when it needs more than an automaton (look-around, back references) or is too large. */
  static of(tokens: readonly RegexToken[], flags: string): Automaton | undefined {
    const node = parseRegex(tokens, MOST_POSITIONS)
    return node && new Automaton(node, flags)
  }

  private constructor(node: RegexNode, flags: string) {
    this.#flags = flags
    this.#root = this.#build(node)
    this.#last = new Set(this.#root.last)
  }

  /** Whether the whole text fits. Its time is proportional to the text's length. */
  test(text: string): boolean {
    return this.ends(text, 0).includes(text.length)
  }

  /** Where a match that begins at an index may end, ascending. */
  ends(text: string, start: number): number[] {
    const found = this.#root.nullable ? [start] : []
    let states: ReadonlySet<number> | undefined
    let at = start
    while (at < text.length) {
      const code = text.codePointAt(at) ?? 0
      const character = String.fromCodePoint(code)
      const next = new Set<number>()
      if (states)
        for (const state of states) for (const position of this.#follow[state] ?? []) next.add(position)
      else for (const position of this.#root.first) next.add(position)
      for (const position of next) if (!this.#accepts(position, code, character)) next.delete(position)
      if (next.size === 0) return found
      at += character.length
      states = next
      for (const state of next) {
        if (!this.#last.has(state)) continue
        found.push(at)
        break
      }
    }
    return found
  }

  /** Whether some text can be matched in exponentially many ways. */
  isExplosive(): boolean {
    const size = this.#atoms.length
    const overlaps = this.#overlaps()
    const pairs = (state: number): number[] => {
      const left = Math.floor(state / size)
      const right = state % size
      const next: number[] = []
      for (const one of this.#follow[left] ?? []) {
        for (const other of this.#follow[right] ?? [])
          if (overlaps[one * size + other]) next.push(one * size + other)
      }
      return next
    }
    const diagonal = Array.from({ length: size }, (_, position) => position * size + position)
    for (const component of strongComponents(diagonal, pairs)) {
      const states = new Set(component)
      const [through] = component.filter((state) => Math.floor(state / size) === state % size)
      if (through === undefined) continue
      if (component.some((state) => Math.floor(state / size) !== state % size)) return true
      // The same step in two ways: a repetition within a repetition.
      for (const state of component) {
        const steps = (this.#follow[state % size] ?? []).filter((position) =>
          states.has(position * size + position),
        )
        if (new Set(steps).size < steps.length) return true
      }
    }
    return false
  }

  #accepts(position: number, code: number, character: string): boolean {
    if (code < 128) return this.#ascii[position]?.[code] === 1
    return this.#atoms[position]?.test(character) ?? false
  }

  #overlaps(): Uint8Array {
    const size = this.#atoms.length
    const overlaps = new Uint8Array(size * size)
    const beyond = this.#atoms.map((atom) => SAMPLES_BEYOND_ASCII.map((text) => atom.test(text)))
    for (let one = 0; one < size; one++) {
      for (let other = 0; other < size; other++) {
        const inAscii = this.#ascii[one]?.some((yes, code) => yes === 1 && this.#ascii[other]?.[code] === 1)
        const outside = beyond[one]?.some((yes, index) => yes && beyond[other]?.[index])
        if (inAscii || outside) overlaps[one * size + other] = 1
      }
    }
    return overlaps
  }

  #build(node: RegexNode): Fragment {
    switch (node.type) {
      case 'empty':
        return { nullable: true, first: [], last: [] }
      case 'atom':
        return this.#position(node.text)
      case 'sequence':
        return node.nodes.reduce<Fragment>((front, next) => this.#join(front, this.#build(next)), EMPTY)
      case 'choice': {
        const branches = node.nodes.map((branch) => this.#build(branch))
        return {
          nullable: branches.some(({ nullable }) => nullable),
          first: branches.flatMap(({ first }) => first),
          last: branches.flatMap(({ last }) => last),
        }
      }
      case 'optional':
        return { ...this.#build(node.node), nullable: true }
      case 'repeat': {
        const inner = this.#build(node.node)
        for (const state of inner.last) this.#follow[state]?.push(...inner.first)
        return inner
      }
    }
  }

  #position(atom: string): Fragment {
    const position = this.#atoms.length
    const regex = new RegExp(`^(?:${atom})$`, this.#flags)
    this.#atoms.push(regex)
    this.#ascii.push(
      Uint8Array.from({ length: 128 }, (_, code) => Number(regex.test(String.fromCharCode(code)))),
    )
    this.#follow.push([])
    return { nullable: false, first: [position], last: [position] }
  }

  #join(front: Fragment, back: Fragment): Fragment {
    for (const state of front.last) this.#follow[state]?.push(...back.first)
    return {
      nullable: front.nullable && back.nullable,
      first: front.nullable ? [...front.first, ...back.first] : front.first,
      last: back.nullable ? [...front.last, ...back.last] : back.last,
    }
  }
}

const EMPTY: Fragment = { nullable: true, first: [], last: [] }

/** The strongly connected components that can be reached (Tarjan 1972), without recursion. */
function strongComponents(roots: readonly number[], edges: (node: number) => readonly number[]): number[][] {
  const index = new Map<number, number>()
  const low = new Map<number, number>()
  const onStack = new Set<number>()
  const stack: number[] = []
  const components: number[][] = []
  for (const root of roots) {
    if (index.has(root)) continue
    const work: { node: number; next: readonly number[]; at: number }[] = []
    const visit = (node: number) => {
      index.set(node, index.size)
      low.set(node, index.size - 1)
      stack.push(node)
      onStack.add(node)
      work.push({ node, next: edges(node), at: 0 })
    }
    visit(root)
    for (let frame = work.at(-1); frame; frame = work.at(-1)) {
      const { node } = frame
      const next = frame.next[frame.at++]
      if (next !== undefined) {
        if (!index.has(next)) visit(next)
        else if (onStack.has(next)) low.set(node, Math.min(low.get(node) ?? 0, index.get(next) ?? 0))
        continue
      }
      work.pop()
      const parent = work.at(-1)
      if (parent) low.set(parent.node, Math.min(low.get(parent.node) ?? 0, low.get(node) ?? 0))
      if (low.get(node) !== index.get(node)) continue
      const component = stack.splice(stack.lastIndexOf(node))
      for (const member of component) onStack.delete(member)
      if (component.length > 1 || edges(node).includes(node)) components.push(component)
    }
  }
  return components
}
