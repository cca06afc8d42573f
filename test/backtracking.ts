/**
 * The work of matching an expression by backtracking.
 *
 * @module
 */

import { atom, type RegexToken, tokenizeRegex } from '../src/base/regex.ts'

/** Up to this number, the ways to match a text need no limit of its length. */
const FEW_WAYS = 64
const MAX_WAYS = 4096

/** The time that matching takes at most, as a function of the length of the text. */
export type Backtracking =
  | { readonly growth: 'linear' | 'quadratic' }
  /** `culprit` is the innermost part of the expression that takes long, if one does by itself. */
  | { readonly growth: 'more'; readonly culprit: string | undefined }

/** Returns how long matching an expression can take. Conservative: it may take less. */
export function backtrackingOf(regex: RegExp): Backtracking {
  if (!/[*+?{(]/.test(regex.source)) return { growth: 'linear' }
  const automaton = new Automaton(regex)
  const { culprit } = automaton
  if (culprit !== undefined) return { growth: 'more', culprit }
  const [degree, ways] = [automaton.degree(), automaton.ways()]
  if (degree === 0 && ways <= FEW_WAYS) return { growth: 'linear' }
  if (degree < 2 && ways <= (degree === 1 ? FEW_WAYS : MAX_WAYS)) return { growth: 'quadratic' }
  return { growth: 'more', culprit }
}

/** An atom of an expression. */
interface State {
  /** The characters that it accepts, as numbers. Those beyond ASCII share one. */
  readonly accepts: readonly number[]
  /** The same characters as a bit set. */
  readonly set: bigint
  /** The atoms that can come next. */
  follow: State[]
  /** The outermost repetition around it, whose states are strongly connected. */
  loop: Loop | null
  /** True for an unlimited repetition of any character. */
  universal: boolean
}

interface Loop {
  readonly states: readonly State[]
}

/** A part of an expression: the atoms that it can begin and end with, and whether it matches the empty text. */
interface Fragment {
  readonly nullable: boolean
  readonly first: readonly State[]
  readonly last: readonly State[]
}

const EMPTY: Fragment = { nullable: true, first: [], last: [] }
const ANY = '[^]'
const ANY_CHARACTER: ReadonlySet<string> = new Set(['.', ANY, '[\\s\\S]'])
const BEYOND_ASCII = 128
const ACCEPTS_BEYOND = /[^\0-\x7f]|\\u(?!00[0-7]|d8[0-7])|\\x(?![0-7])|\\[pPsSDW]|\[\^|^\.$/

/** Counted repetitions up to this number are written out; larger ones count as unlimited. */
const MAX_COPIES = 3
/** A character that is repeated a fixed number of times is written out up to this number. */
const MAX_CHARACTERS = 100

/**
 * The position automaton of an expression (Glushkov 1961): a state for each atom. A run of it over the beginning of a
 * text is a way that backtracking tries.
 *
 * It has at least as many runs as the expression has ways: anchors and word boundaries are left out, a back reference
 * is any text, and the condition of a look-ahead is not applied.
 *
 * Runs multiply exponentially if two runs over one text lead from a state back to it; they multiply by the length of
 * the text for each state p and later state q if one text leads from p to p, from p to q and from q to q (Weber and
 * Seidl 1991).
 */
class Automaton {
  /** The innermost part of the expression that can take exponential time, or that cannot be analyzed. */
  culprit: string | undefined
  readonly #tokens: readonly RegexToken[]
  readonly #flags: string
  #at = 0
  /** The states outside of look-arounds, in the order of the source. */
  #states: State[] = []
  readonly #first: readonly State[]

  constructor(regex: RegExp) {
    this.#tokens = tokenizeRegex(regex)
    this.#flags = regex.flags
    const { first, last } = this.#choice()
    this.#first = first
    // A repetition of any character at the end always succeeds, so it is never tried twice.
    for (const state of last) {
      if (!state.universal || state.follow.length !== 1) continue
      state.follow = []
      state.loop = null
    }
  }

  /** Returns d if a text of length n takes about n^(d + 1) steps. */
  degree(): number {
    const known = new Map<Loop, number>()
    const degreeFrom = (loop: Loop): number => {
      const after = reachable(loop.states, ({ follow }) => follow)
      const degrees = [...loopsOf(after)].map((later) =>
        later === loop ? 0 : degree(later) + (multiplies(loop, later) ? 1 : 0),
      )
      return Math.max(0, ...degrees)
    }
    const degree = (loop: Loop): number => {
      const found = known.get(loop) ?? degreeFrom(loop)
      known.set(loop, found)
      return found
    }
    return Math.max(0, ...[...loopsOf(reachable(this.#first, ({ follow }) => follow))].map(degree))
  }

  /** Returns an upper bound of the ways to match a text, apart from the choice of where each repetition ends. */
  ways(): number {
    const known = new Map<Loop | State, number>()
    const waysFrom = ({ states }: Loop): number => {
      const exits = new Set(states.flatMap(exitsOf))
      return Math.max(1, ...states.map((state) => branches(exitsOf(state)))) * Math.max(1, ...[...exits].map(ways))
    }
    const ways = (state: State): number => {
      const place = state.loop ?? state
      const found = known.get(place) ?? waysFrom(state.loop ?? { states: [state] })
      known.set(place, found)
      return found
    }
    return branches(this.#first) * Math.max(1, ...this.#first.map(ways))
  }

  #choice(): Fragment {
    const found = [this.#sequence()]
    while (this.#tokens[this.#at]?.type === 'or') {
      this.#at++
      found.push(this.#sequence())
    }
    return {
      nullable: found.some(({ nullable }) => nullable),
      first: found.flatMap(({ first }) => first),
      last: found.flatMap(({ last }) => last),
    }
  }

  #sequence(): Fragment {
    let front = EMPTY
    for (;;) {
      const type = this.#tokens[this.#at]?.type
      if (type === undefined || type === 'or' || type === 'close') return front
      front = join(front, this.#quantified())
    }
  }

  #quantified(): Fragment {
    const start = this.#at
    const count = this.#states.length
    const one = this.#term()
    const end = this.#at
    const token = this.#tokens[end]
    if (token?.type !== 'quantifier') return one
    this.#at++
    const [min, max] = boundsOf(token.text)
    const [state, ...others] = one.first
    const isAtom = this.#states.length === count + 1 && others.length === 0 && !one.nullable && state?.loop === null
    if (max > (isAtom && min === max ? MAX_CHARACTERS : MAX_COPIES)) {
      // Each of many iterations that can be empty doubles the ways to match.
      if (min > MAX_COPIES && one.nullable) this.culprit ??= this.#text(start)
      const isUniversal = max === Infinity && min < 2 && ANY_CHARACTER.has(this.#tokens[start]?.text ?? '')
      this.#repeat(one, this.#states.slice(count), start)
      for (const state of isUniversal ? one.first : []) state.universal = true
      return { ...one, nullable: one.nullable || min === 0 }
    }
    // x{1,3} is x(?:x(?:x)?)?: written so, a number of times can be had in one way only.
    let rest = EMPTY
    for (let index = max - 1; index >= 0; index--) {
      this.#at = start
      rest = join(index === 0 ? one : this.#term(), rest)
      if (index >= min) rest = { ...rest, nullable: true }
    }
    this.#at = end + 1
    return rest
  }

  /** Adds the edges from the end of a fragment to its beginning. */
  #repeat({ first, last }: Fragment, states: readonly State[], start: number): void {
    for (const state of last) state.follow.push(...first)
    if (isExponential(states)) this.culprit ??= this.#text(start)
    const loop = { states }
    for (const state of states) state.loop = loop
  }

  #term(): Fragment {
    const start = this.#at++
    const { type, text } = this.#tokens[start] ?? { type: 'assertion', text: '' }
    if (type === 'open') return this.#group(text, start)
    if (type === 'assertion') return EMPTY
    if (type === 'atom') {
      // A class of strings is not a character.
      if (text.includes('\\q{')) this.culprit ??= text
      return this.#state(text)
    }
    const any = this.#state(ANY)
    this.#repeat(any, this.#states.slice(-1), start)
    return { ...any, nullable: true }
  }

  #group(opening: string, start: number): Fragment {
    const isLookAround = /^\(\?<?[=!]/.test(opening)
    const outer = this.#states
    if (isLookAround) this.#states = []
    const fragment = this.#choice()
    this.#at++
    if (!isLookAround) return fragment
    const repeats = this.#states.some(({ loop }) => loop !== null)
    if (repeats && opening.startsWith('(?<')) this.culprit ??= this.#text(start)
    this.#states = outer
    return { nullable: true, first: fragment.first, last: [] }
  }

  #state(text: string): Fragment {
    const regex = atom(text, this.#flags)
    const accepts = [...Array(BEYOND_ASCII).keys()].filter((code) => regex.test(String.fromCharCode(code)))
    if (ACCEPTS_BEYOND.test(text)) accepts.push(BEYOND_ASCII)
    const set = accepts.reduce((bits, code) => bits | (1n << BigInt(code)), 0n)
    const state: State = { accepts, set, follow: [], loop: null, universal: false }
    this.#states.push(state)
    return { nullable: false, first: [state], last: [state] }
  }

  /** Returns the source from a token to the present one. */
  #text(start: number): string {
    const tokens = this.#tokens.slice(start, this.#at)
    return tokens.map(({ text }) => text).join('')
  }
}

/** Returns the least and the greatest number of iterations. */
function boundsOf(quantifier: string): [min: number, max: number] {
  const [, least, comma, most] = /^\{(\d+)(?:(,)(\d*))?/.exec(quantifier) ?? []
  if (least === undefined) return [quantifier.startsWith('+') ? 1 : 0, quantifier.startsWith('?') ? 1 : Infinity]
  if (!comma) return [Number(least), Number(least)]
  return [Number(least), most ? Number(most) : Infinity]
}

function join(front: Fragment, back: Fragment): Fragment {
  for (const state of front.last) state.follow.push(...back.first)
  return {
    nullable: front.nullable && back.nullable,
    first: front.nullable ? [...front.first, ...back.first] : front.first,
    last: back.nullable ? [...front.last, ...back.last] : back.last,
  }
}

/** Returns true if two runs over one text lead from a state of a repetition back to it. */
function isExponential(states: readonly State[]): boolean {
  const numbers = new Map(states.map((state, index) => [state, index]))
  const next = states.map(({ follow }) => follow.flatMap((state) => numbers.get(state) ?? []))
  if (next.some((edges) => new Set(edges).size < edges.length)) return true
  const size = states.length
  const overlap = (one: number, other: number) => ((states[one]?.set ?? 0n) & (states[other]?.set ?? 0n)) !== 0n
  const before = new Map<number, number[]>()
  const pairsAfter = (pair: number) =>
    (next[Math.floor(pair / size)] ?? []).flatMap((one) =>
      (next[pair % size] ?? []).filter((other) => overlap(one, other)).map((other) => one * size + other),
    )
  const same = states.map((_state, index) => index * size + index)
  for (const pair of reachable(same, pairsAfter)) {
    for (const after of pairsAfter(pair)) before.set(after, (before.get(after) ?? []).concat(pair))
  }
  const back = reachable(same, (pair) => before.get(pair) ?? [])
  return [...back].some((pair) => Math.floor(pair / size) !== pair % size)
}

/**
 * Returns true if a text that both repetitions accept can lead from one to the other. Conservative: the characters on
 * the way are compared one by one.
 */
function multiplies(loop: Loop, later: Loop): boolean {
  const isShared = ({ set }: State) =>
    [loop, later].every(({ states }) => states.some((state) => (state.set & set) !== 0n))
  const way = reachable(loop.states, ({ follow }) => follow.filter(isShared))
  return later.states.some((state) => way.has(state))
}

function loopsOf(states: Iterable<State>): Set<Loop> {
  return new Set([...states].flatMap(({ loop }) => loop ?? []))
}

/** Returns the states after one that are not in the same repetition. */
function exitsOf({ follow, loop }: State): State[] {
  return follow.filter((next) => loop === null || next.loop !== loop)
}

/** Returns the largest number of some states that accept the same character, at least 1. */
function branches(states: readonly State[]): number {
  const counts = new Map<number, number>()
  for (const { accepts } of states) {
    for (const code of accepts) counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  return Math.max(1, ...counts.values())
}

/** Returns the nodes of a graph that can be reached from others, themselves included. */
function reachable<Node>(roots: readonly Node[], edges: (node: Node) => readonly Node[]): Set<Node> {
  const found = new Set(roots)
  // A set iterates over what is added meanwhile.
  for (const node of found) for (const next of edges(node)) found.add(next)
  return found
}
