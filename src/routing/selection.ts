/**
 * The selection of a route: among those whose path matches, the first whose values and conditions do.
 *
 * @module
 */

import {
  ANY_METHOD,
  type ControllerNames,
  type SubDomainSettings,
  subDomainMatches,
  subDomainOf,
} from './conditions.ts'
import { type Expansion, type Parameter, valueIn } from './pattern.ts'
import { decodeMarked, markerOf } from './percent.ts'
import type { Match, Route, RouteContext } from './route.ts'
import { type Candidates, type Leaf, NO_BOUND, type Tree, type Visitor } from './tree.ts'

/** A path to resolve. */
export interface Target {
  /** Marked text. */
  readonly path: string
  /** True if the raw path contained an escape. */
  readonly escaped: boolean
  /** The same path with, or without, a trailing slash, if that makes no difference. */
  readonly alternative: string | undefined
  /** The routes that match the path, if they are known without a walk. */
  readonly candidates: readonly Candidates[] | undefined
}

/** The first route that accepts a request. */
export interface Selection {
  /** Null if there is none. */
  readonly leaf: Leaf | null
  readonly match: Match
  /** The decoded values of the path. */
  readonly values: readonly string[]
  /** The methods of the routes that match the path but not the method: those before `leaf`, or all if it is null. */
  readonly refused: number
}

/** A route that does not match a request, but nearly. */
export interface NearMiss {
  readonly route: Route
  /** The condition that failed. */
  readonly condition: 'path' | 'requirement' | 'subDomain' | 'method' | 'function'
  /** The reason, as a phrase that follows the route. */
  readonly detail: string
}

/** A leaf that matches if its condition function returns true. */
interface Conditional {
  readonly leaf: Leaf
  readonly values: readonly string[]
}

const NO_VALUES: readonly string[] = []
const NO_MATCH: Match = Object.freeze({})
export const NO_SELECTION: Selection = { leaf: null, match: NO_MATCH, values: NO_VALUES, refused: 0 }

/** Selects routes from a tree. */
export class Selector {
  readonly #tree: Tree
  readonly #subDomains: SubDomainSettings

  constructor(tree: Tree, subDomains: SubDomainSettings) {
    this.#tree = tree
    this.#subDomains = subDomains
  }

  /** @param wanted - the methods to accept, with {@link ANY_METHOD} for routes that accept any; 0 to refuse all. */
  select(wanted: number, target: Target, context: RouteContext): Selection {
    const { path, escaped, alternative, candidates } = target
    const found = new Collector(this.#tree.controllers, this.#subDomains, wanted, escaped, context)
    if (candidates === undefined) {
      this.#tree.walk(path, escaped, found)
      if (alternative !== undefined) this.#tree.walk(alternative, escaped, found)
    } else for (const { leaves, texts } of candidates) found.visit(leaves, texts)
    const { bound, leaf, values } = found
    let { refused } = found
    for (const one of found.conditional?.sort((a, b) => a.leaf.order - b.leaf.order) ?? []) {
      const { condition, methodMask } = one.leaf.route
      if (one.leaf.order >= bound) break
      const match = this.#matchOf(one.leaf, one.values, context)
      if (!condition?.(context, match)) continue
      if ((methodMask & wanted) !== 0)
        return { ...one, match, refused: methodsBefore(one.leaf.order, refused ?? []) }
      refused = [...(refused ?? []), one.leaf]
    }
    if (leaf === null && refused === null) return NO_SELECTION
    const match = leaf === null ? NO_MATCH : this.#matchOf(leaf, values, context)
    return { leaf, match, values, refused: refused === null ? 0 : methodsBefore(bound, refused) }
  }

  /** Returns the defaults of a route and the values of its parameters. */
  #matchOf({ route, expansion }: Leaf, values: readonly string[], context: RouteContext): Match {
    const match: Match = Object.create(null)
    for (const [name, value] of route.defaultEntries) match[name] = value
    let index = 0
    for (const { name } of expansion.parameters) {
      const value = values[index++] ?? ''
      if (value !== '' || !match[name]) match[name] = value
    }
    // A mount point itself has nothing behind it.
    for (const name of expansion.absent) match[name] ??= name === 'path_info' ? '' : null
    if (this.#subDomains.enabled) match.subDomain = subDomainOf(context, this.#subDomains)
    return match
  }

  /** Returns why a leaf whose path has the right shape does not accept a request, or undefined if it does. */
  rejection(
    leaf: Leaf,
    texts: readonly string[],
    method: string,
    escaped: boolean,
    context: RouteContext,
  ): NearMiss | undefined {
    const { route, expansion } = leaf
    const values: string[] = []
    for (const [index, parameter] of expansion.parameters.entries()) {
      const text = texts[index] ?? ''
      const value = valueIn(parameter, text, escaped, this.#tree.controllers)
      if (value === undefined)
        return { route, condition: 'requirement', detail: unacceptable(parameter, decodeMarked(text)) }
      values.push(value)
    }
    const { methods, subDomain } = route
    if (!subDomainMatches(subDomain, subDomainOf(context, this.#subDomains))) {
      const wanted = Array.isArray(subDomain) ? subDomain.join(' or ') : subDomain ? 'one' : 'none'
      const detail = `requires the sub-domain ${wanted}; the host is ${context.host ?? 'unknown'}`
      return { route, condition: 'subDomain', detail }
    }
    if (methods !== null && !methods.includes(method) && !(method === 'HEAD' && methods.includes('GET'))) {
      return { route, condition: 'method', detail: `takes ${methods.join(', ')}, not ${method}` }
    }
    if (route.condition === undefined || route.condition(context, this.#matchOf(leaf, values, context)))
      return undefined
    return { route, condition: 'function', detail: 'its condition function returned false' }
  }
}

function unacceptable({ name, controller, requirement }: Parameter, value: string): string {
  const shown = JSON.stringify(value)
  if (controller) return `${shown} is not a known controller`
  return requirement
    ? `${name} = ${shown} does not match ${requirement.source}`
    : `${name} cannot be ${shown}`
}

/** Collects the leaves that a walk visits, as far as they accept a request. */
class Collector implements Visitor {
  bound = NO_BOUND
  /** The first leaf that accepts the request, apart from those in `conditional`, and its values. */
  leaf: Leaf | null = null
  values = NO_VALUES
  /** Leaves that match but do not accept the method. */
  refused: Leaf[] | null = null
  conditional: Conditional[] | null = null
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
      if (
        subDomain !== undefined &&
        !subDomainMatches(subDomain, subDomainOf(this.#context, this.#subDomains))
      )
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

/** Returns the mask of the methods of leaves before a place in the order of definition. */
function methodsBefore(order: number, leaves: readonly Leaf[]): number {
  return leaves.reduce((mask, leaf) => (leaf.order < order ? mask | leaf.route.methodMask : mask), 0)
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

/** Splits a path where `path_info` begins, into SCRIPT_NAME and PATH_INFO. */
export function splitPath(
  { path, escaped }: Target,
  expansion: Expansion,
  values: readonly string[],
  fallback: string | null | undefined,
): { readonly scriptName: string; readonly pathInfo: string } {
  const decoded = escaped ? decodeMarked(path) : path
  const start = placesOf(expansion, values).get('path_info')?.[0]
  if (start !== undefined) {
    const cut = path[start - 1] === '/' ? start - 1 : start
    const pathInfo = cut === decoded.length ? '' : withSlash(decoded.slice(cut))
    return { scriptName: decoded.slice(0, cut), pathInfo }
  }
  if (expansion.absent.includes('path_info')) return { scriptName: decoded, pathInfo: '' }
  return { scriptName: decoded, pathInfo: withSlash(fallback ?? '') }
}

function withSlash(path: string): string {
  return path.startsWith('/') ? path : `/${path}`
}

/**
 * Returns the marked values of a path with an escaped comma, which belongs to an item of a list. Undefined for other
 * paths.
 */
export function markedValues(
  { path }: Target,
  expansion: Expansion,
  values: readonly string[],
): ReadonlyMap<string, string> | undefined {
  if (!path.includes(COMMA)) return undefined
  return new Map(
    [...placesOf(expansion, values)].map(([name, [start, end]]) => [name, path.slice(start, end)]),
  )
}

const COMMA = markerOf(',')

/** Returns where the values are in a path, by name. Decoded values are as long as in the path. */
function placesOf({ parts }: Expansion, values: readonly string[]): ReadonlyMap<string, [number, number]> {
  const places = new Map<string, [number, number]>()
  let end = 0
  let index = 0
  for (const part of parts) {
    const start = end
    end += part.kind === 'literal' ? part.text.length : (values[index++]?.length ?? 0)
    if (part.kind === 'parameter') places.set(part.name, [start, end])
  }
  return places
}
