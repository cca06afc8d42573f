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
