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

/** An entry that fits a path, with the unfolded texts that stand for its parameters. */
export interface Candidate {
  readonly entry: Entry
  readonly texts: readonly string[]
}

/** An immutable index of routes, made anew when routes or controllers change. */
export class Tree {
  readonly root = new TreeNode(0)
  readonly controllers: ControllerNames | null
  /** The methods that its routes name. */
  readonly methodMask: number

  /**
   * @param routes - in the order of definition.
   * @param controllers - the known controllers, or null where `{controller}` takes any name.
   */
  constructor(routes: Iterable<Route>, controllers: ControllerNames | null) {
    this.controllers = controllers
    let order = 0
    let mask = 0
    for (const route of routes) {
      mask |= route.methodMask
      for (const variant of route.variants) {
        const steps = stepsOf(variant, controllers, route.path)
        if (!steps) continue
        insert(this.root, steps, { route, variant, order: order++, demands: new Demands(route, variant) })
      }
    }
    this.methodMask = mask
  }

  /** Everything that fits an unfolded path, first defined first. */
  find(path: string, escaped: boolean): readonly Candidate[] {
    return new Collection(this.controllers).of(this.root, path, escaped)
  }
}

/** Keeps all that it meets. */
class Collection extends Walk {
  readonly #found: Candidate[] = []

  of(root: TreeNode, path: string, escaped: boolean): readonly Candidate[] {
    this.begin(path, escaped)
    this.from(root)
    return this.#found.sort((a, b) => a.entry.order - b.entry.order)
  }

  protected override visit(entries: readonly Entry[], texts: readonly string[], count: number): void {
    const own = texts.slice(0, count)
    for (const entry of entries) this.#found.push({ entry, texts: own })
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
