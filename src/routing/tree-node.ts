/**
 * What the tree of routes is made of.
 *
 * @module
 */

import type { Demands } from './demands.ts'
import type { Variant } from './pattern.ts'
import type { Route } from './route.ts'
import type { SegmentMatcher } from './segment-matcher.ts'

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
