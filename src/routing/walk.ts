/**
 * The way of a path through the tree of routes.
 *
 * @module
 */

import type { ControllerNames } from './controllers.ts'
import { literalForm } from './percent.ts'
import { delimitersIn, type SegmentMatcher } from './segment-matcher.ts'
import type { Entry, MixedEdge, PrefixTable, RestEdge, TreeNode } from './tree-node.ts'

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
