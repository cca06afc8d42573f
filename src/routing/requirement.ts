/**
 * Requirements: the regular expressions that an application sets for the values of parameters. One that can take more than
 * quadratic time by backtracking is refused.
 *
 * @module
 */

import { RouteDefinitionError } from './errors.ts'
import {
  type Alphabet,
  alphabetOf,
  atom,
  compileRegex,
  escapeRegex,
  parseRegex,
  placeOf,
  type RegexNode,
  type RegexOwner,
  tokenizeRegex,
} from './regex.ts'

/**
 * Maximum length of a text, in UTF-16 code units, that is matched against an expression whose backtracking can take
 * quadratic time. Expressions that take linear time have no limit but that of the path.
 */
export const MAX_BACKTRACKING_LENGTH = 2048

/** A compiled requirement. It holds for the whole decoded value. */
export class Requirement {
  /** The expression as given, without outer anchors. */
  readonly source: string
  /** The expression, anchored. */
  readonly regex: RegExp
  /** True if a value may contain a slash, so that the parameter can span segments. */
  readonly spans: boolean
  /** True for `.*`, which accepts every text. */
  readonly acceptsAll: boolean
  readonly #maxLength: number

  constructor(source: string, regex: RegExp, maxLength: number) {
    this.source = source
    this.regex = regex
    this.acceptsAll = source === '.*'
    this.spans = tokenizeRegex(regex).some(
      ({ type, text }) => type === 'atom' && atom(text, regex.flags).test('/'),
    )
    this.#maxLength = maxLength
  }

  /** Returns true if the whole of a decoded value matches. */
  test(value: string): boolean {
    return this.acceptsAll || (value.length <= this.#maxLength && this.regex.test(value))
  }
}

const MAX_CACHED = 1000
const cache = new Map<string, Requirement>()

/**
 * Compiles a requirement with the flags `u` and `s`. An expression that only the `v` flag or only the older grammar without
 * flags allows is compiled with that.
 *
 * @throws RouteDefinitionError E_ROUTE_REQUIREMENT - the expression does not compile, or can backtrack too much.
 */
export function compileRequirement(given: string | RegExp, owner: RegexOwner): Requirement {
  const source = withoutAnchors(typeof given === 'string' ? given : given.source)
  const flags = typeof given !== 'string' && given.ignoreCase ? 'is' : 's'
  const key = `${flags}/${source}`
  const cached = cache.get(key)
  if (cached) return cached
  const maxLength = backtrackingLimit(compileRegex(source, flags, owner), owner)
  const requirement = new Requirement(source, compileRegex(`^(?:${source})$`, flags, owner), maxLength)
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(key, requirement)
  return requirement
}

/** Returns a requirement that accepts exactly the given texts. */
export function oneOf(texts: readonly string[], owner: RegexOwner): Requirement {
  return compileRequirement(texts.map(escapeRegex).join('|') || '[]', owner)
}

function withoutAnchors(source: string): string {
  const start = source.startsWith('^') ? 1 : 0
  const anchoredEnd = source.endsWith('$') && /(?:^|[^\\])(?:\\\\)*\$$/.test(source)
  return source.slice(start, anchoredEnd ? -1 : undefined)
}

/** How the work of matching by backtracking grows. */
interface Work {
  /** A text of length n takes about n^(degree + 1) steps; `Infinity` if exponential. */
  readonly degree: number
  /** Upper bound of the ways to match a text, apart from the choice of where each repetition ends. */
  readonly ways: number
}

/** Up to this number, the ways to match a text need no limit of its length. */
const FEW_WAYS = 64
const MAX_WAYS = 4096

/**
 * Returns the maximum length of a text that may be matched against an expression as a whole.
 *
 * @throws RouteDefinitionError E_ROUTE_REQUIREMENT - matching can take more than quadratic time.
 */
export function backtrackingLimit(regex: RegExp, owner: RegexOwner): number {
  const { source } = regex
  if (!/[*+?{(]/.test(source)) return Infinity
  const alphabet = alphabetOf(regex)
  const node = parseRegex(regex)
  if (node !== undefined) {
    const work = new Automaton(node, alphabet).work()
    if (!isExcessive(work))
      return work.degree > 0 || work.ways > FEW_WAYS ? MAX_BACKTRACKING_LENGTH : Infinity
  }
  const details = { ...owner, pattern: source }
  if (owner.parameter === undefined) {
    throw new RouteDefinitionError(
      'E_ROUTE_REQUIREMENT',
      `Route "${owner.route}" can divide a text among its values in too many ways, which can make matching slow.`,
      'Exclude from each value the text that follows it, as {a:[^-]+}-{b}, or separate the values by slashes.',
      details,
    )
  }
  const culprit = node === undefined ? source : smallestExcess(node, alphabet).text
  throw new RouteDefinitionError(
    'E_ROUTE_REQUIREMENT',
    `The requirement ${source} ${placeOf(owner)} can match a text in too many ways, which can make matching slow: see ${culprit}.`,
    `Rewrite ${culprit} so that it matches a text in one way only, as a+ instead of (?:a+)+, or [^-]+-[^-]+-.+ instead of .+-.+-.+.`,
    details,
  )
}

function isExcessive({ degree, ways }: Work): boolean {
  return degree > 1 || ways > (degree === 1 ? FEW_WAYS : MAX_WAYS)
}

/** Returns the innermost part of an expression that takes too much work by itself. */
function smallestExcess(node: RegexNode, alphabet: Alphabet): RegexNode {
  const children = 'nodes' in node ? node.nodes : 'node' in node ? [node.node] : []
  const child = children.find((inner) => isExcessive(new Automaton(inner, alphabet).work()))
  return child ? smallestExcess(child, alphabet) : node
}

interface Fragment {
  readonly nullable: boolean
  readonly first: readonly number[]
  readonly last: readonly number[]
}

const EMPTY: Fragment = { nullable: true, first: [], last: [] }
const OUTSIDE = -1

/**
 * The position automaton of an expression (Glushkov 1961): a state for each atom. A run of it over the beginning of a text is
 * a way that backtracking tries.
 *
 * Runs multiply exponentially if two runs over one text lead from a state back to it; they multiply by the length of the text
 * for each state p and later state q if one text leads from p to p, from p to q and from q to q (Weber and Seidl 1991).
 */
class Automaton {
  readonly #alphabet: Alphabet
  readonly #accepts: (readonly number[])[] = []
  readonly #sets: bigint[] = []
  readonly #follow: number[][] = []
  /** The number of the outermost repetition around each state. Its states are strongly connected. */
  readonly #loop: number[] = []
  readonly #members: number[][] = []
  readonly #universal: number[] = []
  readonly #first: readonly number[]
  #hasVoid = false

  constructor(node: RegexNode, alphabet: Alphabet) {
    this.#alphabet = alphabet
    const { first, last } = this.#build(node, OUTSIDE)
    this.#first = first
    // A repetition of any character at the end always succeeds, so it is never tried twice.
    for (const state of this.#universal) {
      const loop = this.#loop[state] ?? OUTSIDE
      if (!last.includes(state) || this.#follow[state]?.length !== 1 || loop === OUTSIDE) continue
      this.#follow[state] = []
      this.#loop[state] = OUTSIDE
      this.#members[loop] = []
    }
  }

  work(): Work {
    return this.#isExponential()
      ? { degree: Infinity, ways: Infinity }
      : { degree: this.#degree(), ways: this.#ways() }
  }

  #build(node: RegexNode, loop: number): Fragment {
    switch (node.type) {
      case 'empty':
        return EMPTY
      case 'atom':
        return this.#state(node.text, loop)
      case 'sequence':
        return node.nodes.reduce<Fragment>((front, next) => this.#join(front, this.#build(next, loop)), EMPTY)
      case 'choice': {
        const branches = node.nodes.map((branch) => this.#build(branch, loop))
        return {
          nullable: branches.some(({ nullable }) => nullable),
          first: branches.flatMap(({ first }) => first),
          last: branches.flatMap(({ last }) => last),
        }
      }
      case 'optional':
        return { ...this.#build(node.node, loop), nullable: true }
      case 'look':
        return { nullable: true, first: this.#build(node.node, OUTSIDE).first, last: [] }
      case 'void':
        this.#hasVoid = true
        return EMPTY
      case 'repeat': {
        const own = loop === OUTSIDE ? this.#members.push([]) - 1 : loop
        const inner = this.#build(node.node, own)
        for (const state of inner.last) this.#follow[state]?.push(...inner.first)
        if (!node.counted && /^(?:\.|\[\^\]|\[\\s\\S\])$/.test(node.node.text))
          this.#universal.push(...inner.first)
        return inner
      }
    }
  }

  #state(text: string, loop: number): Fragment {
    const accepted = this.#alphabet(text)
    const state = this.#follow.push([]) - 1
    this.#accepts.push(accepted)
    this.#sets.push(accepted.reduce((set, index) => set | (1n << BigInt(index)), 0n))
    this.#loop.push(loop)
    this.#members[loop]?.push(state)
    return { nullable: false, first: [state], last: [state] }
  }

  #join(front: Fragment, back: Fragment): Fragment {
    for (const state of front.last) this.#follow[state]?.push(...back.first)
    return {
      nullable: front.nullable && back.nullable,
      first: front.nullable ? [...front.first, ...back.first] : front.first,
      last: back.nullable ? [...front.last, ...back.last] : back.last,
    }
  }

  #overlap(one: number, other: number): boolean {
    return ((this.#sets[one] ?? 0n) & (this.#sets[other] ?? 0n)) !== 0n
  }

  /** The states after one that are in the same repetition. */
  #inside(state: number): number[] {
    return (this.#follow[state] ?? []).filter((next) => this.#loop[next] === this.#loop[state])
  }

  #isExponential(): boolean {
    if (this.#hasVoid) return true
    const size = this.#follow.length
    const looping = this.#members.flat()
    const next = new Map(looping.map((state) => [state, this.#inside(state)]))
    if (looping.some((state) => new Set(next.get(state)).size < (next.get(state)?.length ?? 0))) return true
    const previous = new Map(looping.map((state) => [state, [] as number[]]))
    for (const [state, states] of next) for (const one of states) previous.get(one)?.push(state)
    const pairs = (edges: Map<number, number[]>, forward: boolean) => (pair: number) => {
      const [left, right] = [Math.floor(pair / size), pair % size]
      if (!forward && !this.#overlap(left, right)) return []
      return (edges.get(left) ?? []).flatMap((one) =>
        (edges.get(right) ?? []).flatMap((other) =>
          forward && !this.#overlap(one, other) ? [] : [one * size + other],
        ),
      )
    }
    const same = looping.map((state) => state * size + state)
    const after = reachable(same, pairs(next, true))
    const before = reachable(same, pairs(previous, false))
    return [...after].some((pair) => Math.floor(pair / size) !== pair % size && before.has(pair))
  }

  #degree(): number {
    const best: number[] = []
    for (let loop = this.#members.length - 1; loop >= 0; loop--) {
      const states = reachable(this.#members[loop] ?? [], (state) => this.#follow[state] ?? [])
      best[loop] = 0
      for (let later = loop + 1; later < this.#members.length; later++) {
        if (!this.#members[later]?.some((state) => states.has(state))) continue
        best[loop] = Math.max(best[loop] ?? 0, (best[later] ?? 0) + (this.#multiplies(loop, later) ? 1 : 0))
      }
    }
    return Math.max(0, ...best)
  }

  /**
   * Returns true if a text that both repetitions accept can lead from one to the other. Conservative: the characters on the way
   * are compared one by one.
   */
  #multiplies(loop: number, later: number): boolean {
    const [front = [], back = []] = [this.#members[loop], this.#members[later]]
    const isShared = (state: number) =>
      [front, back].every((states) => states.some((one) => this.#overlap(one, state)))
    const way = reachable(front, (state) => (this.#follow[state] ?? []).filter(isShared))
    return back.some((state) => way.has(state))
  }

  #ways(): number {
    const known = new Map<number, number>()
    const after = (states: readonly number[], exits: readonly number[]): number => {
      const branches = Math.max(1, ...states.map((state) => this.#branches(this.#exits(state))))
      return branches * Math.max(1, ...exits.map(ways))
    }
    const ways = (state: number): number => {
      const loop = this.#loop[state] ?? OUTSIDE
      const key = loop === OUTSIDE ? state : -2 - loop
      let product = known.get(key)
      if (product === undefined) {
        const states = this.#members[loop] ?? [state]
        product = after(states, [...new Set(states.flatMap((one) => this.#exits(one)))])
        known.set(key, product)
      }
      return product
    }
    return this.#branches(this.#first) * Math.max(1, ...this.#first.map(ways))
  }

  #exits(state: number): number[] {
    const loop = this.#loop[state]
    return (this.#follow[state] ?? []).filter((next) => loop === OUTSIDE || this.#loop[next] !== loop)
  }

  /** The largest number of some states that accept the same character. */
  #branches(states: readonly number[]): number {
    const counts = new Map<number, number>()
    for (const state of states) {
      for (const index of this.#accepts[state] ?? []) counts.set(index, (counts.get(index) ?? 0) + 1)
    }
    return Math.max(1, ...counts.values())
  }
}

/** Returns the nodes of a graph that can be reached from others, themselves included. */
function reachable(roots: readonly number[], edges: (node: number) => readonly number[]): Set<number> {
  const found = new Set(roots)
  // A set iterates over what is added meanwhile.
  for (const node of found) for (const next of edges(node)) found.add(next)
  return found
}
