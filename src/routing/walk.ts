/**
 * The way of a path through the tree of routes.
 *
 * @module
 */

import type { ControllerNames } from './controllers.ts'
import { literalForm } from './percent.ts'
import type { SegmentMatcher } from './segment-matcher.ts'
import type { Entry, MixedEdge, PrefixTable, RestEdge, TreeNode } from './tree-node.ts'

/** Greater than every place in the order of routes. */
const NO_BOUND = 0x3fffffff

/**
 * What stands for the parameters on the present way. All walks share it, for a list of its own would cost each a tenth of its
 * time: a walk is over before another begins, since it calls nothing of the application's.
 */
const way: string[] = []

/** One walk. Who extends it says what is to be done where routes are found. */
export abstract class Walk {
  /** Unfolded. */
  readonly path: string
  /** Whether the raw path held any escape. */
  readonly escaped: boolean
  protected readonly controllers: ControllerNames | null
  /** Ways that lead only to routes from this place in the order on are not taken. */
  bound = NO_BOUND
  #depth = 0

  constructor(path: string, escaped: boolean, controllers: ControllerNames | null) {
    this.path = path
    this.escaped = escaped
    this.controllers = controllers
  }

  /**
   * Routes whose path fits, in the order of definition.
   *
   * @param texts - what stands for their parameters, valid only now and perhaps followed by others.
   * @param count - how many texts there are.
   */
  protected abstract visit(entries: readonly Entry[], texts: readonly string[], count: number): void

  /** Tries every way on from the root. */
  from(root: TreeNode, path = this.path): void {
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
      const child = literals.get(this.escaped ? literalForm(segment) : segment)
      if (child !== undefined) this.#enter(child, path, end)
    }
    if (value !== null) {
      way[this.#depth++] = segment
      this.#enter(value, path, end)
      this.#depth--
    }
    if (controller !== null && controller.first < this.bound) this.#controller(controller, path, start, end)
    if (mixed !== null) this.#mixed(mixed, path, segment, end)
    if (rest !== null) this.#rest(rest, path, start, segment)
    if (tails !== null) {
      way[this.#depth] = path.slice(start)
      this.visit(tails, way, this.#depth + 1)
    }
  }

  #enter(node: TreeNode, path: string, end: number): void {
    if (node.first >= this.bound) return
    if (end < path.length) this.#walk(node, path, end + 1)
    else if (node.entries !== null) this.visit(node.entries, way, this.#depth)
  }

  /** A name may take several segments; the longest is tried first. */
  #controller(child: TreeNode, path: string, start: number, firstEnd: number): void {
    const { controllers } = this
    if (controllers === null) return
    let end = firstEnd
    for (let depth = controllers.depth; depth > 1 && end < path.length; depth--) {
      const slash = path.indexOf('/', end + 1)
      end = slash < 0 ? path.length : slash
    }
    for (; end >= firstEnd; end = path.lastIndexOf('/', end - 1)) {
      const text = path.slice(start, end)
      if (controllers.find(this.escaped ? literalForm(text) : text) === undefined) continue
      way[this.#depth++] = text
      this.#enter(child, path, end)
      this.#depth--
    }
  }

  #mixed(table: PrefixTable<MixedEdge>, path: string, segment: string, end: number): void {
    for (const length of table.lengths) {
      if (length >= segment.length) continue
      const edges = table.at(segment.slice(0, length))
      if (edges === undefined) continue
      for (const { matcher, child } of edges) {
        if (child.first >= this.bound) continue
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
    for (const length of table.lengths) {
      if (length > segment.length) continue
      const edges = table.at(segment.slice(0, length))
      if (edges === undefined) continue
      for (const { matcher, entries } of edges) {
        const count = this.#capture(matcher, rest)
        if (count > 0) this.visit(entries, way, this.#depth + count)
      }
    }
  }

  /** How many values a matcher finds; 0 when the text does not fit. */
  #capture(matcher: SegmentMatcher, text: string): number {
    const values = matcher.match(text)
    if (values === null) return 0
    for (let index = 0; index < values.length; index++) way[this.#depth + index] = values[index] ?? ''
    return values.length
  }
}
