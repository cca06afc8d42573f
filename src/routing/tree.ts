/**
 * Where routes are found: a tree over the segments of paths, so that the cost of a match depends on the path and not on the
 * number of routes.
 *
 * A walk through the tree meets every route whose path fits; choosing among them is the choice's.
 *
 * @module
 */

import type { ControllerNames } from './controllers.ts'
import { Demands } from './demands.ts'
import type { Route } from './route.ts'
import { type Step, stepsOf } from './segments.ts'
import { type Entry, PrefixTable, TreeNode } from './tree-node.ts'
import { Walk } from './walk.ts'

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
