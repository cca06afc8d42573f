/**
 * Where routes are found: a tree over the segments of paths, so that the cost of a match depends on the path and not on the
 * number of routes.
 *
 * The tree yields every route whose path fits, with its place in the order of definition; choosing among them is the matcher's.
 *
 * @module
 */

import type { ControllerNames } from './controllers.ts'
import type { Variant } from './pattern.ts'
import { literalForm } from './percent.ts'
import type { Route } from './route.ts'
import type { SegmentMatcher } from './segment-matcher.ts'
import { type Step, stepsOf } from './segments.ts'

/** One form of one route, at its place in the order. */
export interface Entry {
  readonly route: Route
  readonly variant: Variant
  readonly order: number
}

/** An entry that fits a path, with the unfolded texts that stand for its parameters. */
export interface Candidate {
  readonly entry: Entry
  readonly texts: readonly string[]
}

/** What stands for no candidate at all. */
const NOTHING: readonly Candidate[] = []

interface Edge {
  readonly matcher: SegmentMatcher
}

interface MixedEdge extends Edge {
  readonly child: Node
}

interface RestEdge extends Edge {
  readonly entries: Entry[]
}

class Node {
  readonly literals = new Map<string, Node>()
  value: Node | null = null
  controller: Node | null = null
  mixed: PrefixTable<MixedEdge> | null = null
  rest: PrefixTable<RestEdge> | null = null
  tails: Entry[] | null = null
  entries: Entry[] | null = null
}

/** Edges by the literal text that they begin with: found by one look-up for each length that occurs. */
class PrefixTable<Kind extends Edge> {
  readonly lengths: number[] = []
  readonly #byPrefix = new Map<string, Kind[]>()

  /** The edge for a matcher, made when there is none yet. */
  edge(matcher: SegmentMatcher, make: () => Kind): Kind {
    const { prefix, source } = matcher
    let edges = this.#byPrefix.get(prefix)
    if (!edges) {
      edges = []
      this.#byPrefix.set(prefix, edges)
      if (!this.lengths.includes(prefix.length)) this.lengths.push(prefix.length)
    }
    let edge = edges.find((other) => other.matcher.source === source)
    if (!edge) {
      edge = make()
      edges.push(edge)
    }
    return edge
  }

  at(prefix: string): readonly Kind[] | undefined {
    return this.#byPrefix.get(prefix)
  }
}

/** An immutable index of routes, made anew when routes or controllers change. */
export class Tree {
  readonly #root = new Node()
  readonly #controllers: ControllerNames | null
  /** Paths without parameters: what fits them has been found beforehand. */
  readonly #fixed = new Map<string, readonly Candidate[]>()

  /**
   * @param routes - in the order of definition.
   * @param controllers - the known controllers, or null where `{controller}` takes any name.
   */
  constructor(routes: Iterable<Route>, controllers: ControllerNames | null) {
    this.#controllers = controllers
    const fixed: string[] = []
    let order = 0
    for (const route of routes) {
      for (const variant of route.variants) {
        const steps = stepsOf(variant, controllers, route.path)
        if (!steps) continue
        insert(this.#root, steps, { route, variant, order: order++ })
        if (variant.parameters.length === 0)
          fixed.push(variant.pieces[0]?.kind === 'literal' ? variant.pieces[0].text : '')
      }
    }
    for (const path of fixed) {
      if (!path.includes('%')) this.#fixed.set(path, this.find(path, false))
    }
  }

  /** What fits a path that is written exactly as a route without parameters is. */
  fixed(rawPath: string): readonly Candidate[] | undefined {
    return this.#fixed.get(rawPath)
  }

  /** Everything that fits an unfolded path, first defined first. */
  find(path: string, escaped: boolean): readonly Candidate[] {
    if (path.charCodeAt(0) !== 47) return NOTHING
    const search = new Search(path, escaped, this.#controllers)
    search.walk(this.#root, 1)
    return search.inOrder()
  }
}

function insert(root: Node, steps: readonly Step[], entry: Entry): void {
  let node = root
  for (const step of steps) {
    switch (step.kind) {
      case 'literal': {
        let child = node.literals.get(step.text)
        if (!child) {
          child = new Node()
          node.literals.set(step.text, child)
        }
        node = child
        break
      }
      case 'value':
        node.value ??= new Node()
        node = node.value
        break
      case 'controller':
        node.controller ??= new Node()
        node = node.controller
        break
      case 'mixed':
        node.mixed ??= new PrefixTable()
        node = node.mixed.edge(step.matcher, () => ({ matcher: step.matcher, child: new Node() })).child
        break
      case 'tail':
        node.tails ??= []
        node.tails.push(entry)
        return
      case 'rest':
        node.rest ??= new PrefixTable()
        node.rest.edge(step.matcher, () => ({ matcher: step.matcher, entries: [] })).entries.push(entry)
        return
    }
  }
  node.entries ??= []
  node.entries.push(entry)
}

/** One walk through the tree. */
class Search {
  readonly #path: string
  readonly #escaped: boolean
  readonly #controllers: ControllerNames | null
  readonly #texts: string[] = []
  #found: Candidate[] | null = null
  #sorted = true

  constructor(path: string, escaped: boolean, controllers: ControllerNames | null) {
    this.#path = path
    this.#escaped = escaped
    this.#controllers = controllers
  }

  inOrder(): readonly Candidate[] {
    const found = this.#found
    if (found === null) return NOTHING
    return this.#sorted ? found : found.sort((a, b) => a.entry.order - b.entry.order)
  }

  /** Tries every way on from a node; `start` is where the next segment begins. */
  walk(node: Node, start: number): void {
    const path = this.#path
    const slash = path.indexOf('/', start)
    const end = slash < 0 ? path.length : slash
    const segment = path.slice(start, end)
    if (node.literals.size > 0) {
      const child = node.literals.get(this.#literal(segment))
      if (child !== undefined) this.#enter(child, end)
    }
    if (node.value !== null) {
      this.#texts.push(segment)
      this.#enter(node.value, end)
      this.#texts.pop()
    }
    if (node.controller !== null) this.#controller(node.controller, start, end)
    if (node.mixed !== null) this.#mixed(node.mixed, segment, end)
    if (node.rest !== null) this.#rest(node.rest, start, segment)
    if (node.tails !== null) {
      this.#texts.push(path.slice(start))
      this.#yield(node.tails)
      this.#texts.pop()
    }
  }

  #literal(text: string): string {
    return this.#escaped ? literalForm(text) : text
  }

  #enter(node: Node, end: number): void {
    if (end < this.#path.length) this.walk(node, end + 1)
    else if (node.entries !== null) this.#yield(node.entries)
  }

  #yield(entries: readonly Entry[]): void {
    const texts = this.#texts.slice()
    this.#found ??= []
    const found = this.#found
    for (const entry of entries) {
      const last = found.at(-1)
      if (last !== undefined && last.entry.order > entry.order) this.#sorted = false
      found.push({ entry, texts })
    }
  }

  /** A name may take several segments; the longest is tried first. */
  #controller(child: Node, start: number, firstEnd: number): void {
    const path = this.#path
    const ends: number[] = [firstEnd]
    for (let depth = this.#controllers?.depth ?? 1; depth > 1; depth--) {
      const before = ends.at(-1) ?? path.length
      if (before >= path.length) break
      const slash = path.indexOf('/', before + 1)
      ends.push(slash < 0 ? path.length : slash)
    }
    for (const end of ends.reverse()) {
      const text = path.slice(start, end)
      if (this.#controllers?.find(this.#literal(text)) === undefined) continue
      this.#texts.push(text)
      this.#enter(child, end)
      this.#texts.pop()
    }
  }

  #mixed(table: PrefixTable<MixedEdge>, segment: string, end: number): void {
    for (const length of table.lengths) {
      if (length >= segment.length) continue
      const edges = table.at(segment.slice(0, length))
      if (edges === undefined) continue
      for (const edge of edges) {
        const depth = this.#texts.length
        if (!this.#capture(edge, segment)) continue
        this.#enter(edge.child, end)
        this.#texts.length = depth
      }
    }
  }

  #rest(table: PrefixTable<RestEdge>, start: number, segment: string): void {
    const rest = this.#path.slice(start)
    for (const length of table.lengths) {
      if (length > segment.length) continue
      const edges = table.at(segment.slice(0, length))
      if (edges === undefined) continue
      for (const edge of edges) {
        const depth = this.#texts.length
        if (!this.#capture(edge, rest)) continue
        this.#yield(edge.entries)
        this.#texts.length = depth
      }
    }
  }

  #capture({ matcher }: Edge, text: string): boolean {
    const texts = matcher.match(text)
    if (texts === null) return false
    for (const value of texts) this.#texts.push(value)
    return true
  }
}
