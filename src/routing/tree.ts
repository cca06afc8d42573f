/**
 * The tree of routes over the segments of their paths: the cost of a match depends on the path, not on the number of
 * routes.
 *
 * @module
 */

import { getOrCreate } from '../base/get-or-create.ts'
import { escapeRegex } from '../base/regex.ts'
import {
  ANY_METHOD,
  type ControllerNames,
  type SubDomainSettings,
  subDomainMatches,
  subDomainOf,
} from './conditions.ts'
import { type Expansion, type Parameter, valueIn } from './pattern.ts'
import { decodeLiteral, decodePrefix } from './percent.ts'
import type { Route, RouteContext } from './route.ts'
import { type Matcher, type Step, stepsOf } from './segment.ts'

/** An expansion of a route's path, at the end of its way through the tree. */
export interface Leaf {
  readonly route: Route
  readonly expansion: Expansion
  /** The place in the order of definition. */
  readonly order: number
  /** The parameters of the expansion, or of the leaf before it in the node if they accept the same values. */
  readonly parameters: readonly Parameter[]
}

/** Leaves of one node whose path matches. */
export interface Candidates {
  /** In the order of definition. */
  readonly leaves: readonly Leaf[]
  /** The marked texts of the values. */
  readonly texts: readonly string[]
}

/** Receives the leaves whose path matches. */
interface Visitor {
  /** Branches that lead only to leaves of this order or later are skipped. */
  readonly bound: number
  /**
   * @param leaves - of one node, in the order of definition.
   * @param texts - the marked texts of the values; the array is reused after the call and may be longer.
   */
  visit(leaves: readonly Leaf[], texts: readonly string[]): void
}

/** Greater than the order of every leaf. */
const NO_BOUND = 0x3fffffff

/** An index of routes. It is rebuilt when routes or controllers change. */
export class Tree {
  readonly controllers: ControllerNames | null
  /** The methods that the routes name, as a mask. */
  readonly methodMask: number
  readonly #root = new Node(0)
  // The state of a walk. No application code runs during a walk, so one at a time is enough.
  #path = ''
  #escaped = false
  #visitor: Visitor = NO_VISITOR
  readonly #texts: string[] = []

  /**
   * @param routes - in the order of definition.
   * @param controllers - the known controllers, or null if `{controller}` accepts any name.
   */
  constructor(routes: Iterable<Route>, controllers: ControllerNames | null) {
    this.controllers = controllers
    let order = 0
    let mask = 0
    for (const route of routes) {
      mask |= route.methodMask
      for (const expansion of route.expansions) {
        const steps = stepsOf(expansion, controllers, route.path)
        if (!steps) continue
        insert(this.#root, steps, { route, expansion, order: order++, parameters: expansion.parameters })
      }
    }
    this.methodMask = mask
  }

  /** Returns everything that matches a marked path. */
  find(path: string, escaped: boolean): readonly Candidates[] {
    const found: Candidates[] = []
    const visit: Visitor['visit'] = (leaves, texts) => found.push({ leaves, texts: [...texts] })
    this.walk(path, escaped, { bound: NO_BOUND, visit })
    return found
  }

  /**
   * Visits the leaves whose path matches, in no particular order.
   *
   * @param path - marked text.
   * @param escaped - true if the raw path contained an escape.
   */
  walk(path: string, escaped: boolean, visitor: Visitor): void {
    if (!path.startsWith('/')) return
    this.#path = path
    this.#escaped = escaped
    this.#visitor = visitor
    this.#walk(this.#root, 1, 0)
    this.#visitor = NO_VISITOR
  }

  /**
   * Follows every edge of a node; `start` is the offset of the next segment, `depth` the number of values before it.
   */
  #walk(node: Node, start: number, depth: number): void {
    if (node.first >= this.#visitor.bound) return
    const path = this.#path
    if (start > path.length) {
      if (node.leaves !== null) this.#visitor.visit(node.leaves, this.#texts)
      return
    }
    const slash = path.indexOf('/', start)
    const end = slash < 0 ? path.length : slash
    const segment = path.slice(start, end)
    const literal = this.#escaped ? decodeLiteral(segment) : segment
    const { literals, value, tail, mixed, controller } = node
    if (literals !== null) {
      const child = literals.get(literal)
      if (child !== undefined) this.#walk(child, end + 1, depth)
    }
    if (value !== null) {
      this.#texts[depth] = segment
      this.#walk(value, end + 1, depth + 1)
    }
    if (controller !== null) {
      const most = this.controllers?.depth(literal) ?? 0
      if (most > 0) this.#walkController(controller, segment, most, start, depth)
    }
    if (mixed?.hint.test(segment)) this.#walkMixed(mixed, segment, start, depth)
    if (tail !== null) {
      this.#texts[depth] = path.slice(start)
      this.#walk(tail, path.length + 1, depth + 1)
    }
  }

  /** Follows the edge for names of up to `most` segments that begin with `text`, the longest first. */
  #walkController(child: Node, text: string, most: number, start: number, depth: number): void {
    const end = start + text.length
    if (most > 1 && end < this.#path.length) {
      const slash = this.#path.indexOf('/', end + 1)
      const longer = this.#path.slice(start, slash < 0 ? undefined : slash)
      this.#walkController(child, longer, most - 1, start, depth)
    }
    if (this.controllers?.find(this.#escaped ? decodeLiteral(text) : text) === undefined) return
    this.#texts[depth] = text
    this.#walk(child, end + 1, depth + 1)
  }

  #walkMixed(table: PrefixTable, segment: string, start: number, depth: number): void {
    const path = this.#path
    for (const length of table.lengths) {
      if (length > segment.length) continue
      const prefix = segment.slice(0, length)
      for (const { matcher, target } of table.at(this.#escaped ? decodePrefix(prefix) : prefix)) {
        const text = matcher.spans ? path.slice(start) : segment
        const values = matcher.match(text)
        if (values === null) continue
        for (let index = 0; index < values.length; index++) this.#texts[depth + index] = values[index] ?? ''
        this.#walk(target, start + text.length + 1, depth + values.length)
      }
    }
  }
}

const NO_VALUES: readonly string[] = []
const NO_VISITOR: Visitor = { bound: 0, visit: () => undefined }

/** A leaf that matches if its condition function returns true. */
interface Conditional {
  readonly leaf: Leaf
  readonly values: readonly string[]
}

/** Collects the leaves that a walk visits, as far as they accept a request. */
export class Collector implements Visitor {
  bound = NO_BOUND
  /** The first leaf that accepts the request, apart from those in `conditional`, and its values. */
  leaf: Leaf | null = null
  values = NO_VALUES
  /** Leaves that match but do not accept the method. */
  refused: Leaf[] | null = null
  conditional: Conditional[] | null = null
  /** Whether neither a condition function nor the sub-domain of the request had a say. */
  isFixed = true
  readonly #controllers: ControllerNames | null
  readonly #subDomains: SubDomainSettings
  readonly #wanted: number
  readonly #escaped: boolean
  readonly #context: RouteContext

  constructor(
    controllers: ControllerNames | null,
    subDomains: SubDomainSettings,
    wanted: number,
    escaped: boolean,
    context: RouteContext,
  ) {
    this.#controllers = controllers
    this.#subDomains = subDomains
    this.#wanted = wanted
    this.#escaped = escaped
    this.#context = context
  }

  visit(leaves: readonly Leaf[], texts: readonly string[]): void {
    let parameters: readonly Parameter[] | undefined
    let values: readonly string[] | null = null
    for (const leaf of leaves) {
      if (leaf.order >= this.bound) return
      const { methodMask, condition, subDomain } = leaf.route
      const isWanted = (methodMask & this.#wanted) !== 0
      if (!isWanted && methodMask === ANY_METHOD) continue
      if (leaf.parameters !== parameters) {
        parameters = leaf.parameters
        values = valuesIn(parameters, texts, this.#escaped, this.#controllers)
      }
      if (values === null) continue
      if (condition !== undefined || subDomain !== undefined) this.isFixed = false
      if (subDomain !== undefined && !subDomainMatches(subDomain, subDomainOf(this.#context, this.#subDomains)))
        continue
      if (condition !== undefined) {
        this.conditional ??= []
        this.conditional.push({ leaf, values })
      } else if (isWanted) {
        this.leaf = leaf
        this.values = values
        this.bound = leaf.order
        return
      } else {
        this.refused ??= []
        this.refused.push(leaf)
      }
    }
  }
}

/**
 * Decodes the values of parameters.
 *
 * @param texts - the values in a marked path.
 * @param escaped - true if the path contained an escape.
 * @param controllers - the known controllers, or null if any name is accepted.
 * @returns null if a parameter does not accept its value.
 */
export function valuesIn(
  parameters: readonly Parameter[],
  texts: readonly string[],
  escaped: boolean,
  controllers: ControllerNames | null,
): readonly string[] | null {
  if (parameters.length === 0) return NO_VALUES
  const values = new Array<string>(parameters.length)
  for (let index = 0; index < values.length; index++) {
    const parameter = parameters[index]
    const text = texts[index]
    if (parameter === undefined || text === undefined) return null
    const { requirement, reserved, controller } = parameter
    const isPlain = requirement === null && reserved === null && !escaped && !(controller && controllers)
    const value = isPlain ? text || undefined : valueIn(parameter, text, escaped, controllers)
    if (value === undefined) return null
    values[index] = value
  }
  return values
}

/** Returns single leaves in the order of definition. */
export function inOrder(found: readonly Candidates[]): { readonly leaf: Leaf; readonly texts: readonly string[] }[] {
  return found
    .flatMap(({ leaves, texts }) => leaves.map((leaf) => ({ leaf, texts })))
    .sort((a, b) => a.leaf.order - b.leaf.order)
}

/** A place between two segments. */
class Node {
  /** The order of the first leaf below it. */
  readonly first: number
  literals: Map<string, Node> | null = null
  value: Node | null = null
  controller: Node | null = null
  mixed: PrefixTable | null = null
  /** The end of paths whose last value is the rest. */
  tail: Node | null = null
  /** Leaves whose path ends here, in the order of definition. */
  leaves: Leaf[] | null = null

  constructor(first: number) {
    this.first = first
  }
}

/** An edge for text that a matcher accepts. */
interface MatcherEdge {
  readonly matcher: Matcher
  readonly target: Node
}

/** Edges by the literal text that they begin with: one look-up for each length that occurs. */
class PrefixTable {
  readonly lengths: number[] = []
  /** Matches every segment that an edge accepts, at least. Most segments have no delimiter, and no edge is tried. */
  hint = /(?!)/
  /** Alternatives of {@link hint}. Most edges have the same one, and a repeated one would slow every request down. */
  readonly #hints = new Set<string>()
  readonly #byPrefix = new Map<string, MatcherEdge[]>()

  /** Returns the target of a matcher, which is created at its first use. */
  target(matcher: Matcher, first: number): Node {
    const { prefix, source } = matcher
    if (!this.lengths.includes(prefix.length)) this.lengths.push(prefix.length)
    const edges = getOrCreate(this.#byPrefix, prefix, () => [])
    const known = edges.find((edge) => edge.matcher.source === source)
    if (known) return known.target
    const target = new Node(first)
    edges.push({ matcher, target })
    this.#hints.add(matcher.spans ? '' : escapeRegex(matcher.delimiter))
    this.hint = new RegExp([...this.#hints].join('|'))
    return target
  }

  at(prefix: string): readonly MatcherEdge[] {
    return this.#byPrefix.get(prefix) ?? NO_EDGES
  }
}

const NO_EDGES: readonly never[] = []

function insert(root: Node, steps: readonly Step[], leaf: Leaf): void {
  const end = steps.reduce((node, step) => childOf(node, step, leaf.order), root)
  end.leaves ??= []
  const { parameters = leaf.parameters } = end.leaves.at(-1) ?? {}
  end.leaves.push(acceptSame(parameters, leaf.parameters) ? { ...leaf, parameters } : leaf)
}

/** Returns the node after a step, which is created at its first use. */
function childOf(node: Node, step: Step, first: number): Node {
  switch (step.kind) {
    case 'literal': {
      node.literals ??= new Map()
      return getOrCreate(node.literals, step.text, () => new Node(first))
    }
    case 'mixed':
      node.mixed ??= new PrefixTable()
      return node.mixed.target(step.matcher, first)
    default: {
      const child = node[step.kind] ?? new Node(first)
      node[step.kind] = child
      return child
    }
  }
}

/** Returns true if parameters accept the same values. May return false for equivalent ones written differently. */
function acceptSame(one: readonly Parameter[], other: readonly Parameter[]): boolean {
  return (
    one.length === other.length &&
    one.every((parameter, index) => {
      const { requirement, controller, reserved, suffixes } = parameter
      const second = other[index]
      return (
        requirement === second?.requirement &&
        controller === second.controller &&
        String(suffixes) === String(second.suffixes) &&
        reserved === second.reserved
      )
    })
  )
}
