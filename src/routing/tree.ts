/**
 * The tree of routes over the segments of their paths: the cost of a match depends on the path, not on the number of routes.
 *
 * @module
 */

import { Constraints, type ControllerNames } from './conditions.ts'
import type { Expansion } from './pattern.ts'
import { decodeLiteral, decodePrefix } from './percent.ts'
import type { Route } from './route.ts'
import { delimitersIn, type SegmentMatcher, type Step, stepsOf } from './segment.ts'

/** An expansion of a route's path, at the end of its way through the tree. */
export interface Leaf {
  readonly route: Route
  readonly expansion: Expansion
  /** The place in the order of definition. */
  readonly order: number
  /** The constraints on its values. Leaves of one node with equal constraints share one object. */
  readonly constraints: Constraints
}

/** Leaves of one node whose path matches, with the marked texts of the values. */
export interface Candidates {
  readonly leaves: readonly Leaf[]
  readonly texts: readonly string[]
}

/** Receives the leaves whose path matches. */
export interface Visitor {
  /** Branches that lead only to leaves of this order or later are skipped. */
  readonly bound: number
  /**
   * @param leaves - of one node, in the order of definition.
   * @param texts - the marked texts of the values; the array is reused after the call and may be longer than `count`.
   */
  visit(leaves: readonly Leaf[], texts: readonly string[], count: number): void
}

/** Greater than the order of every leaf. */
export const NO_BOUND = 0x3fffffff

/** Longer paths without parameters are not indexed. */
const MAX_FIXED_LENGTH = 256

/** An index of routes. It is rebuilt when routes or controllers change. */
export class Tree {
  readonly controllers: ControllerNames | null
  /** The methods that the routes name, as a mask. */
  readonly methodMask: number
  readonly #root = new Node(0)
  readonly #fixed = new Map<string, readonly Candidates[]>()
  /** The lengths of the indexed paths: a look-up that fails costs as much as a step through the tree. */
  readonly #fixedLengths: boolean[] = []
  // The state of the walk. No application code runs during a walk, so one at a time is enough.
  #path = ''
  #escaped = false
  #visitor: Visitor = NO_VISITOR
  readonly #texts: string[] = []
  #depth = 0

  /**
   * @param routes - in the order of definition.
   * @param controllers - the known controllers, or null if `{controller}` accepts any name.
   */
  constructor(routes: Iterable<Route>, controllers: ControllerNames | null) {
    this.controllers = controllers
    const fixed: string[] = []
    let order = 0
    let mask = 0
    for (const route of routes) {
      mask |= route.methodMask
      for (const expansion of route.expansions) {
        const steps = stepsOf(expansion, controllers, route.path)
        if (!steps) continue
        insert(this.#root, steps, {
          route,
          expansion,
          order: order++,
          constraints: new Constraints(route.subDomain, expansion.parameters),
        })
        const [part] = expansion.parts
        if (expansion.parameters.length === 0 && part?.kind === 'literal') fixed.push(part.text)
      }
    }
    this.methodMask = mask
    for (const path of fixed) this.#index(path)
  }

  /** Literal text with a percent sign is not indexed: in a raw path, it would be an escape. */
  #index(path: string): void {
    if (path.includes('%') || path.length > MAX_FIXED_LENGTH) return
    while (this.#fixedLengths.length <= path.length) this.#fixedLengths.push(false)
    this.#fixedLengths[path.length] = true
    this.#fixed.set(path, this.find(path, false))
  }

  /** Returns what {@link find} would, without a walk, for a raw path that is exactly the path of a route without parameters. */
  fixed(rawPath: string): readonly Candidates[] | undefined {
    return this.#fixedLengths[rawPath.length] === true ? this.#fixed.get(rawPath) : undefined
  }

  /** Returns everything that matches a marked path. */
  find(path: string, escaped: boolean): Candidates[] {
    const found: Candidates[] = []
    this.walk(path, escaped, {
      bound: NO_BOUND,
      visit: (leaves, texts, count) => found.push({ leaves, texts: texts.slice(0, count) }),
    })
    return found
  }

  /**
   * Visits the leaves whose path matches, in no particular order.
   *
   * @param path - marked text.
   * @param escaped - true if the raw path contained an escape.
   */
  walk(path: string, escaped: boolean, visitor: Visitor): void {
    if (path.charCodeAt(0) !== 47) return
    this.#path = path
    this.#escaped = escaped
    this.#visitor = visitor
    this.#depth = 0
    this.#walk(this.#root, path, 1)
    this.#visitor = NO_VISITOR
  }

  /** Follows every edge of a node; `start` is the offset of the next segment. */
  #walk(node: Node, path: string, start: number): void {
    const slash = path.indexOf('/', start)
    const end = slash < 0 ? path.length : slash
    const segment = path.slice(start, end)
    const { literals, value, controller, mixed, rest, tails } = node
    if (literals !== null) {
      const child = literals.get(this.#literal(segment))
      if (child !== undefined) this.#enter(child, path, end)
    }
    if (value !== null) {
      this.#texts[this.#depth++] = segment
      this.#enter(value, path, end)
      this.#depth--
    }
    if (controller !== null) this.#walkController(controller, start, segment)
    if (mixed !== null) this.#walkMixed(mixed, segment, end)
    if (rest !== null) this.#walkRest(rest, start, segment)
    if (tails !== null) {
      this.#texts[this.#depth] = path.slice(start)
      this.#visitor.visit(tails, this.#texts, this.#depth + 1)
    }
  }

  #enter(node: Node, path: string, end: number): void {
    if (node.first >= this.#visitor.bound) return
    if (end < path.length) this.#walk(node, path, end + 1)
    else if (node.leaves !== null) this.#visitor.visit(node.leaves, this.#texts, this.#depth)
  }

  #prefix(segment: string, length: number): string {
    const prefix = segment.slice(0, length)
    return this.#escaped && length > 0 ? decodePrefix(prefix) : prefix
  }

  #literal(text: string): string {
    return this.#escaped ? decodeLiteral(text) : text
  }

  #walkController(child: Node, start: number, segment: string): void {
    const names = this.controllers?.withFirstSegment(this.#literal(segment))
    if (names === undefined || child.first >= this.#visitor.bound) return
    const end = start + segment.length
    if (names.depth > 1) this.#walkNested(names.depth, child, start, end)
    if (names.name !== undefined) this.#enterWith(segment, child, end)
  }

  /** Follows the edges of names with up to `depth` segments, the longest first. */
  #walkNested(depth: number, child: Node, start: number, before: number): void {
    if (before === this.#path.length) return
    const slash = this.#path.indexOf('/', before + 1)
    const end = slash < 0 ? this.#path.length : slash
    if (depth > 2) this.#walkNested(depth - 1, child, start, end)
    const text = this.#path.slice(start, end)
    if (this.controllers?.find(this.#literal(text)) !== undefined) this.#enterWith(text, child, end)
  }

  #enterWith(text: string, child: Node, end: number): void {
    this.#texts[this.#depth++] = text
    this.#enter(child, this.#path, end)
    this.#depth--
  }

  #walkMixed(table: PrefixTable<Node>, segment: string, end: number): void {
    if (segment.length < table.shortest) return
    const present = delimitersIn(segment)
    for (const { length, delimiters } of table.lengths) {
      if (length > segment.length || (delimiters & ~present) !== 0) continue
      for (const { matcher, target } of table.at(this.#prefix(segment, length))) {
        if (target.first >= this.#visitor.bound || (matcher.delimiters & ~present) !== 0) continue
        const count = this.#capture(matcher, segment)
        this.#depth += count
        if (count > 0) this.#enter(target, this.#path, end)
        this.#depth -= count
      }
    }
  }

  #walkRest(table: PrefixTable<Leaf[]>, start: number, segment: string): void {
    const rest = this.#path.slice(start)
    for (const { length } of table.lengths) {
      if (length > segment.length) continue
      for (const { matcher, target } of table.at(this.#prefix(segment, length))) {
        const count = this.#capture(matcher, rest)
        if (count > 0) this.#visitor.visit(target, this.#texts, this.#depth + count)
      }
    }
  }

  /** Returns the number of values that a matcher finds, 0 if the text does not match. */
  #capture(matcher: SegmentMatcher, text: string): number {
    const values = matcher.match(text)
    if (values === null) return 0
    for (let index = 0; index < values.length; index++) this.#texts[this.#depth + index] = values[index] ?? ''
    return values.length
  }
}

const NO_VISITOR: Visitor = { bound: 0, visit: () => undefined }

/** A place between two segments. */
class Node {
  /** The order of the first leaf below it. */
  readonly first: number
  literals: Map<string, Node> | null = null
  value: Node | null = null
  controller: Node | null = null
  mixed: PrefixTable<Node> | null = null
  rest: PrefixTable<Leaf[]> | null = null
  /** Leaves whose last value is the rest of the path. */
  tails: Leaf[] | null = null
  /** Leaves whose path ends here. */
  leaves: Leaf[] | null = null

  constructor(first: number) {
    this.first = first
  }
}

/** An edge for text that a matcher accepts. */
interface MatcherEdge<Target> {
  readonly matcher: SegmentMatcher
  readonly target: Target
}

/** Edges by the literal text that they begin with: one look-up for each length that occurs. */
class PrefixTable<Target> {
  /** The lengths, with the delimiters that all edges of that length need. */
  readonly lengths: { readonly length: number; delimiters: number }[] = []
  shortest = Infinity
  readonly #byPrefix = new Map<string, MatcherEdge<Target>[]>()

  /** Returns the target of a matcher, which is created at its first use. */
  target(matcher: SegmentMatcher, create: () => Target): Target {
    const { prefix, source, delimiters } = matcher
    this.shortest = Math.min(this.shortest, prefix.length)
    const known = this.lengths.find(({ length }) => length === prefix.length)
    if (known) known.delimiters &= delimiters
    else this.lengths.push({ length: prefix.length, delimiters })
    const edges = this.#byPrefix.get(prefix) ?? []
    this.#byPrefix.set(prefix, edges)
    let edge = edges.find((other) => other.matcher.source === source)
    if (!edge) {
      edge = { matcher, target: create() }
      edges.push(edge)
    }
    return edge.target
  }

  at(prefix: string): readonly MatcherEdge<Target>[] {
    return this.#byPrefix.get(prefix) ?? NO_EDGES
  }
}

const NO_EDGES: readonly never[] = []

function insert(root: Node, steps: readonly Step[], leaf: Leaf): void {
  const create = () => new Node(leaf.order)
  let node = root
  for (const step of steps) {
    switch (step.kind) {
      case 'literal': {
        node.literals ??= new Map()
        const child = node.literals.get(step.text) ?? create()
        node.literals.set(step.text, child)
        node = child
        break
      }
      case 'value':
        node.value ??= create()
        node = node.value
        break
      case 'controller':
        node.controller ??= create()
        node = node.controller
        break
      case 'mixed':
        node.mixed ??= new PrefixTable()
        node = node.mixed.target(step.matcher, create)
        break
      case 'tail':
        node.tails ??= []
        append(node.tails, leaf)
        return
      case 'rest':
        node.rest ??= new PrefixTable()
        append(
          node.rest.target(step.matcher, () => []),
          leaf,
        )
        return
    }
  }
  node.leaves ??= []
  append(node.leaves, leaf)
}

function append(leaves: Leaf[], leaf: Leaf): void {
  const shared = leaves.findLast((other) => other.constraints.equals(leaf.constraints))
  leaves.push(shared === undefined ? leaf : { ...leaf, constraints: shared.constraints })
}
