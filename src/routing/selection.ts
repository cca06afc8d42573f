/**
 * The selection of a route among those whose path matches.
 *
 * @module
 */

import {
  ANY_METHOD,
  type Constraints,
  type ControllerNames,
  parseHost,
  type SubDomainSettings,
  subDomainMatches,
} from './conditions.ts'
import type { Expansion, PathPart } from './pattern.ts'
import { decodeMarked } from './percent.ts'
import type { Match, Route, RouteContext } from './route.ts'
import { type Candidates, type Leaf, NO_BOUND, type Tree, type Visitor } from './tree.ts'

/** A path to resolve. */
export interface Target {
  /** Marked text. */
  readonly path: string
  readonly escaped: boolean
  /** The same path with, or without, a trailing slash, if that makes no difference. */
  readonly alternative: string | undefined
  /** The routes, if they are known without a walk. */
  readonly candidates: readonly Candidates[] | undefined
}

const NO_CONTEXT: RouteContext = Object.freeze({})
const NO_TARGET: Target = { path: '', escaped: false, alternative: undefined, candidates: undefined }
const NO_TEXTS: readonly string[] = []

/** Selects among the routes whose path matches. One object serves many requests, which saves a quarter of their cost. */
export class Selection implements Visitor {
  bound = NO_BOUND
  /** The selected leaf, or null if no route accepts the request. */
  leaf: Leaf | null = null
  match: Match | null = null
  /** The marked texts of the values, if the route has `path_info`. */
  texts: readonly string[] = NO_TEXTS
  /** Methods of the routes that match the path but not the method: those before `leaf`, or all if it is null. */
  refused = 0
  readonly #tree: Tree
  readonly #subDomains: SubDomainSettings
  #wanted = 0
  #target = NO_TARGET
  #context = NO_CONTEXT
  /** Leaves that do not accept the method: the first `#refusedCount` of the array, which is kept for the next request. */
  readonly #refusedLeaves: Leaf[] = []
  #refusedCount = 0
  /** The highest order among them. */
  #lastRefused = -1
  /** Leaves with a condition function, which is called after the walk, in the order of definition. */
  #conditional: { readonly leaf: Leaf; readonly texts: readonly string[] }[] | null = null

  constructor(tree: Tree, subDomains: SubDomainSettings) {
    this.#tree = tree
    this.#subDomains = subDomains
  }

  /** @param wanted - the methods to accept, with {@link ANY_METHOD} for routes that accept any; 0 to refuse all. */
  make(wanted: number, target: Target, context: RouteContext): void {
    this.bound = NO_BOUND
    this.leaf = null
    this.match = null
    this.refused = 0
    this.#wanted = wanted
    this.#target = target
    this.#context = context
    this.#refusedCount = 0
    this.#lastRefused = -1
    this.#conditional = null
    const { path, escaped, alternative, candidates } = target
    if (candidates === undefined) {
      this.#tree.walk(path, escaped, this)
      if (alternative !== undefined) this.#tree.walk(alternative, escaped, this)
    } else for (const { leaves, texts } of candidates) this.visit(leaves, texts, texts.length)
    if (this.#conditional !== null) this.#callConditions(this.#conditional)
    if (this.#lastRefused > this.bound) this.#dropRefusedAfterMatch()
    this.#context = NO_CONTEXT
  }

  visit(leaves: readonly Leaf[], texts: readonly string[], count: number): void {
    let constraints: Constraints | null = null
    let fulfilled = false
    for (let index = 0; index < leaves.length; index++) {
      const leaf = leaves[index]
      if (leaf === undefined || leaf.order >= this.bound) return
      const { methodMask, condition } = leaf.route
      const accepts = (methodMask & this.#wanted) !== 0
      if (!accepts && methodMask === ANY_METHOD) continue
      if (leaf.constraints !== constraints) {
        constraints = leaf.constraints
        fulfilled = this.#fulfils(constraints, texts, count)
      }
      if (!fulfilled) continue
      if (condition !== undefined) {
        this.#conditional ??= []
        this.#conditional.push({ leaf, texts: texts.slice(0, count) })
      } else if (accepts) {
        this.#take(leaf, texts, this.#matchOf(leaf, texts))
        return
      } else this.#refuse(leaf)
    }
  }

  #fulfils(constraints: Constraints, texts: readonly string[], count: number): boolean {
    const { subDomain } = constraints
    return (
      (subDomain === undefined || subDomainMatches(subDomain, this.#subDomain())) &&
      constraints.accept(texts, count, this.#target.escaped, this.#tree.controllers)
    )
  }

  #take(leaf: Leaf, texts: readonly string[], match: Match): void {
    this.leaf = leaf
    this.match = match
    this.bound = leaf.order
    if (leaf.route.pathInfo) this.texts = texts.slice(0, leaf.expansion.parameters.length)
  }

  #refuse(leaf: Leaf): void {
    this.#refusedLeaves[this.#refusedCount++] = leaf
    this.refused |= leaf.route.methodMask
    if (leaf.order > this.#lastRefused) this.#lastRefused = leaf.order
  }

  #dropRefusedAfterMatch(): void {
    this.refused = 0
    for (const { order, route } of this.#refusedLeaves.slice(0, this.#refusedCount)) {
      if (order < this.bound) this.refused |= route.methodMask
    }
  }

  #callConditions(conditional: { readonly leaf: Leaf; readonly texts: readonly string[] }[]): void {
    for (const { leaf, texts } of conditional.sort((a, b) => a.leaf.order - b.leaf.order)) {
      if (leaf.order >= this.bound) return
      const { condition, methodMask } = leaf.route
      const match = this.#matchOf(leaf, texts)
      if (!condition?.(this.#context, match)) continue
      if ((methodMask & this.#wanted) === 0) this.#refuse(leaf)
      else this.#take(leaf, texts, match)
    }
  }

  #matchOf({ route, expansion }: Leaf, texts: readonly string[]): Match {
    const match = matchOf(route, expansion, texts, this.#target.escaped, this.#tree.controllers)
    if (this.#subDomains.enabled) match.subDomain = this.#subDomain()
    return match
  }

  #subDomain(): string | null {
    return parseHost(this.#context.host ?? '', this.#subDomains).subDomain
  }
}

/** Returns the defaults of a route and the decoded values of its parameters. */
export function matchOf(
  { defaultNames, defaultValues }: Route,
  { parameters, absent }: Expansion,
  texts: readonly string[],
  escaped: boolean,
  controllers: ControllerNames | null,
): Match {
  const match: Match = Object.create(null)
  for (let index = 0; index < defaultNames.length; index++) {
    match[defaultNames[index] ?? ''] = defaultValues[index] ?? null
  }
  for (let index = 0; index < parameters.length; index++) {
    const parameter = parameters[index]
    const text = texts[index]
    if (parameter === undefined || text === undefined) continue
    const value = escaped ? decodeMarked(text) : text
    if (parameter.controller && controllers) match[parameter.name] = controllers.find(value) ?? value
    else if (value !== '' || !match[parameter.name]) match[parameter.name] = value
  }
  for (const name of absent) match[name] ??= null
  return match
}

/** Splits a path where `path_info` begins, into SCRIPT_NAME and PATH_INFO. */
export function splitPath(
  { path, escaped }: Target,
  parts: readonly PathPart[],
  texts: readonly string[],
  fallback: string | null | undefined,
): { scriptName: string; pathInfo: string } {
  let start = 0
  let index = 0
  for (const part of parts) {
    if (part.kind === 'parameter' && part.name === 'path_info') {
      const cut = path[start - 1] === '/' ? start - 1 : start
      const [front, rest] = [path.slice(0, cut), path.slice(cut)]
      return {
        scriptName: escaped ? decodeMarked(front) : front,
        pathInfo: withSlash(escaped ? decodeMarked(rest) : rest),
      }
    }
    start += part.kind === 'literal' ? part.text.length : (texts[index++]?.length ?? 0)
  }
  return { scriptName: escaped ? decodeMarked(path) : path, pathInfo: withSlash(fallback ?? '') }
}

function withSlash(path: string): string {
  return path.startsWith('/') ? path : `/${path}`
}
