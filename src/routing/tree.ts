/**
 * Where routes are found: a tree over the segments of paths, so that the cost of a match depends on the path and not on the
 * number of routes.
 *
 * A walk through the tree meets every route whose path fits; choosing among them is the choice's.
 *
 * @module
 */

import type { ControllerNames } from './controller-names.ts'
import type { Variant } from './pattern.ts'
import { literalForm } from './percent.ts'
import type { Route } from './route.ts'
import { Demands, delimitersIn, type SegmentMatcher, type Step, stepsOf } from './segment.ts'

/** One form of one route, at its place in the order. */
export interface Entry {
  readonly route: Route
  readonly variant: Variant
  readonly order: number
  /** What its values must be; entries of one place that ask the same share it. */
  readonly demands: Demands
}

/** An edge that a segment takes when it fits a mixture of literal text and values. */
export interface MixedEdge {
  readonly matcher: SegmentMatcher
  readonly child: TreeNode
}

/** An edge that all that is left of the path takes. */
export interface RestEdge {
  readonly matcher: SegmentMatcher
  readonly entries: Entry[]
}

/** A place between two segments, with every way on. */
export class TreeNode {
  /** The place in the order of the first route that comes through here. */
  readonly first: number
  literals: Map<string, TreeNode> | null = null
  value: TreeNode | null = null
  controller: TreeNode | null = null
  mixed: PrefixTable<MixedEdge> | null = null
  rest: PrefixTable<RestEdge> | null = null
  /** Routes whose last value is all that is left of the path. */
  tails: Entry[] | null = null
  /** Routes whose path ends here. */
  entries: Entry[] | null = null

  constructor(first: number) {
    this.first = first
  }
}

/** A length of prefixes. */
interface PrefixLength {
  readonly length: number
  /** The delimiters that all edges with such prefixes need. */
  delimiters: number
}

/** Edges by the literal text that they begin with: found by one look-up for each length that occurs. */
export class PrefixTable<Edge extends { readonly matcher: SegmentMatcher }> {
  readonly lengths: PrefixLength[] = []
  /** The length of the shortest prefix. */
  shortest = Infinity
  readonly #byPrefix = new Map<string, Edge[]>()

  /** The edge for a matcher, made when there is none yet. */
  edge(matcher: SegmentMatcher, make: () => Edge): Edge {
    const { prefix, source, delimiters } = matcher
    this.shortest = Math.min(this.shortest, prefix.length)
    const known = this.lengths.find(({ length }) => length === prefix.length)
    if (known) known.delimiters &= delimiters
    else this.lengths.push({ length: prefix.length, delimiters })
    let edges = this.#byPrefix.get(prefix)
    if (!edges) {
      edges = []
      this.#byPrefix.set(prefix, edges)
    }
    let edge = edges.find((other) => other.matcher.source === source)
    if (!edge) {
      edge = make()
      edges.push(edge)
    }
    return edge
  }

  at(prefix: string): readonly Edge[] | undefined {
    return this.#byPrefix.get(prefix)
  }
}

/** Greater than every place in the order of routes. */
const NO_BOUND = 0x3fffffff

/** Goes through the tree. Who extends it says what is to be done where routes are found. */
export abstract class Walk {
  /** The path on its way, unfolded. */
  path = ''
  /** Whether the raw path held any escape. */
  escaped = false
  /** Ways that lead only to routes from this place in the order on are not taken. */
  protected bound = NO_BOUND
  protected readonly controllers: ControllerNames | null
  /** What stands for the parameters on the present way. */
  readonly #way: string[] = []
  #depth = 0

  constructor(controllers: ControllerNames | null) {
    this.controllers = controllers
  }

  protected begin(path: string, escaped: boolean): void {
    this.path = path
    this.escaped = escaped
    this.bound = NO_BOUND
  }

  /**
   * Routes whose path fits, in the order of definition.
   *
   * @param texts - what stands for their parameters, valid only now and perhaps followed by others.
   * @param count - how many texts there are.
   */
  protected abstract visit(entries: readonly Entry[], texts: readonly string[], count: number): void

  /** Tries every way on from the root. */
  protected from(root: TreeNode, path = this.path): void {
    this.#depth = 0
    if (path.charCodeAt(0) === 47) this.#walk(root, path, 1)
  }

  /** Tries every way on from a node; `start` is where the next segment begins. */
  #walk(node: TreeNode, path: string, start: number): void {
    const slash = path.indexOf('/', start)
    const end = slash < 0 ? path.length : slash
    const segment = path.slice(start, end)
    const { literals, value, controller, mixed, rest, tails } = node
    if (literals !== null) {
      const child = literals.get(this.#literal(segment))
      if (child !== undefined) this.#enter(child, path, end)
    }
    if (value !== null) {
      this.#way[this.#depth++] = segment
      this.#enter(value, path, end)
      this.#depth--
    }
    if (controller !== null) this.#controller(controller, path, start, segment)
    if (mixed !== null) this.#mixed(mixed, path, segment, end)
    if (rest !== null) this.#rest(rest, path, start, segment)
    if (tails !== null) {
      this.#way[this.#depth] = path.slice(start)
      this.visit(tails, this.#way, this.#depth + 1)
    }
  }

  #enter(node: TreeNode, path: string, end: number): void {
    if (node.first >= this.bound) return
    if (end < path.length) this.#walk(node, path, end + 1)
    else if (node.entries !== null) this.visit(node.entries, this.#way, this.#depth)
  }

  /** A name may take several segments; the longest is tried first. */
  #controller(child: TreeNode, path: string, start: number, segment: string): void {
    const { controllers } = this
    if (controllers === null || child.first >= this.bound) return
    const beginning = controllers.beginningWith(this.#literal(segment))
    if (beginning === undefined) return
    const end = start + segment.length
    const { depth, name } = beginning
    if (depth > 1) this.#deepController(controllers, depth, child, path, start, end)
    if (name === undefined) return
    this.#way[this.#depth++] = segment
    this.#enter(child, path, end)
    this.#depth--
  }

  #deepController(
    controllers: ControllerNames,
    depth: number,
    child: TreeNode,
    path: string,
    start: number,
    before: number,
  ): void {
    if (before === path.length) return
    const slash = path.indexOf('/', before + 1)
    const end = slash < 0 ? path.length : slash
    if (depth > 2) this.#deepController(controllers, depth - 1, child, path, start, end)
    const text = path.slice(start, end)
    if (controllers.find(this.#literal(text)) === undefined) return
    this.#way[this.#depth++] = text
    this.#enter(child, path, end)
    this.#depth--
  }

  #literal(text: string): string {
    return this.escaped ? literalForm(text) : text
  }

  #mixed(table: PrefixTable<MixedEdge>, path: string, segment: string, end: number): void {
    if (segment.length <= table.shortest) return
    const present = delimitersIn(segment)
    for (const { length, delimiters } of table.lengths) {
      if (length >= segment.length || (delimiters & ~present) !== 0) continue
      const edges = table.at(segment.slice(0, length))
      if (edges === undefined) continue
      for (const { matcher, child } of edges) {
        if (child.first >= this.bound || (matcher.delimiters & ~present) !== 0) continue
        const count = this.#capture(matcher, segment)
        if (count === 0) continue
        this.#depth += count
        this.#enter(child, path, end)
        this.#depth -= count
      }
    }
  }

  #rest(table: PrefixTable<RestEdge>, path: string, start: number, segment: string): void {
    const rest = path.slice(start)
    for (const { length } of table.lengths) {
      if (length > segment.length) continue
      const edges = table.at(segment.slice(0, length))
      if (edges === undefined) continue
      for (const { matcher, entries } of edges) {
        const count = this.#capture(matcher, rest)
        if (count > 0) this.visit(entries, this.#way, this.#depth + count)
      }
    }
  }

  /** How many values a matcher finds; 0 when the text does not fit. */
  #capture(matcher: SegmentMatcher, text: string): number {
    const values = matcher.match(text)
    if (values === null) return 0
    for (let index = 0; index < values.length; index++) this.#way[this.#depth + index] = values[index] ?? ''
    return values.length
  }
}

/** A path without parameters, of which all is known beforehand that depends on nothing but the path. */
export interface FixedPath {
  readonly found: readonly Found[]
  /** The methods that its routes name; undefined where that depends on the request's host or on a condition function. */
  readonly methods: number | undefined
}

/** Longer paths without parameters are looked for as all others. */
const LONGEST_FIXED = 256

/** An entry that fits a path, with the unfolded texts that stand for its parameters. */
export interface Candidate {
  readonly entry: Entry
  readonly texts: readonly string[]
}

/** Entries that fit a path without being looked for. */
export interface Found {
  readonly entries: readonly Entry[]
  readonly texts: readonly string[]
}

/** An immutable index of routes, made anew when routes or controllers change. */
export class Tree {
  readonly root = new TreeNode(0)
  readonly controllers: ControllerNames | null
  /** The methods that its routes name. */
  readonly methodMask: number

  readonly #fixed = new Map<string, FixedPath>()
  /** Which lengths such paths have: a look-up that would be in vain costs as much as a step through the tree. */
  readonly #fixedLengths: boolean[] = []

  /**
   * @param routes - in the order of definition.
   * @param controllers - the known controllers, or null where `{controller}` takes any name.
   */
  constructor(routes: Iterable<Route>, controllers: ControllerNames | null) {
    this.controllers = controllers
    const fixed: string[] = []
    let order = 0
    let mask = 0
    for (const route of routes) {
      mask |= route.methodMask
      for (const variant of route.variants) {
        const steps = stepsOf(variant, controllers, route.path)
        if (!steps) continue
        insert(this.root, steps, { route, variant, order: order++, demands: new Demands(route, variant) })
        if (variant.parameters.length === 0)
          fixed.push(variant.pieces[0]?.kind === 'literal' ? variant.pieces[0].text : '')
      }
    }
    this.methodMask = mask
    for (const path of fixed) this.#fix(path)
  }

  #fix(path: string): void {
    if (path.includes('%') || path.length > LONGEST_FIXED) return
    while (this.#fixedLengths.length <= path.length) this.#fixedLengths.push(false)
    this.#fixedLengths[path.length] = true
    const found = new Collection(this.controllers).of(this.root, path, false)
    this.#fixed.set(path, { found, methods: this.#methodsOf(found) })
  }

  #methodsOf(found: readonly Found[]): number | undefined {
    let mask = 0
    for (const { entries, texts } of found) {
      for (const { route, demands } of entries) {
        if (route.methods === null || !demands.accept(texts, texts.length, false, this.controllers)) continue
        if (route.condition !== undefined || route.subDomain !== undefined) return undefined
        mask |= route.methodMask
      }
    }
    return mask
  }

  /** What is known of a path that is written exactly as a route without parameters is. */
  fixed(rawPath: string): FixedPath | undefined {
    return this.#fixedLengths[rawPath.length] === true ? this.#fixed.get(rawPath) : undefined
  }

  /** Everything that fits an unfolded path, first defined first. */
  find(path: string, escaped: boolean): readonly Candidate[] {
    return new Collection(this.controllers)
      .of(this.root, path, escaped)
      .flatMap(({ entries, texts }) => entries.map((entry) => ({ entry, texts })))
      .sort((a, b) => a.entry.order - b.entry.order)
  }
}

/** Keeps all that it meets. */
class Collection extends Walk {
  readonly #found: Found[] = []

  of(root: TreeNode, path: string, escaped: boolean): readonly Found[] {
    this.begin(path, escaped)
    this.from(root)
    return this.#found
  }

  protected override visit(entries: readonly Entry[], texts: readonly string[], count: number): void {
    this.#found.push({ entries, texts: texts.slice(0, count) })
  }
}

function insert(root: TreeNode, steps: readonly Step[], entry: Entry): void {
  let node = root
  for (const step of steps) {
    switch (step.kind) {
      case 'literal': {
        node.literals ??= new Map()
        let child = node.literals.get(step.text)
        if (!child) {
          child = new TreeNode(entry.order)
          node.literals.set(step.text, child)
        }
        node = child
        break
      }
      case 'value':
        node.value ??= new TreeNode(entry.order)
        node = node.value
        break
      case 'controller':
        node.controller ??= new TreeNode(entry.order)
        node = node.controller
        break
      case 'mixed': {
        const { matcher } = step
        node.mixed ??= new PrefixTable()
        node = node.mixed.edge(matcher, () => ({ matcher, child: new TreeNode(entry.order) })).child
        break
      }
      case 'tail':
        node.tails ??= []
        append(node.tails, entry)
        return
      case 'rest': {
        const { matcher } = step
        node.rest ??= new PrefixTable()
        append(node.rest.edge(matcher, () => ({ matcher, entries: [] })).entries, entry)
        return
      }
    }
  }
  node.entries ??= []
  append(node.entries, entry)
}

function append(entries: Entry[], entry: Entry): void {
  const demands = entries.find((other) => other.demands.equals(entry.demands))?.demands
  entries.push(demands === undefined ? entry : { ...entry, demands })
}
