/**
 * Choosing among the routes that a path meets: the first defined that takes the method, the values and the conditions.
 *
 * @module
 */

import type { Demands } from './demands.ts'
import { matchOf } from './match-values.ts'
import { ANY_METHOD } from './methods.ts'
import type { Match, RouteContext } from './options.ts'
import { hostParts, type SubDomainSettings, subDomainFits } from './subdomain.ts'
import type { Found, Tree } from './tree.ts'
import type { Entry } from './tree-node.ts'
import { Walk } from './walk.ts'

const NO_CONTEXT: RouteContext = {}
const NO_TEXTS: readonly string[] = []

/** A route that fits but for its condition function, which has not been asked. */
interface Conditional {
  readonly entry: Entry
  readonly texts: readonly string[]
}

/** Finds routes for paths, one after the other: making one for each path would be a quarter of the cost of a match. */
export class Choice extends Walk {
  /** The route that was chosen. */
  entry: Entry | null = null
  /** Its values; null when no route was chosen. */
  match: Match | null = null
  /** What stands for its parameters, if it hands the rest of the path on. */
  texts: readonly string[] = NO_TEXTS
  /** The methods of the routes that would come before it, or of all if there is none, if only they took the method. */
  missed = 0
  readonly #tree: Tree
  readonly #subDomains: SubDomainSettings
  #context: RouteContext = NO_CONTEXT
  #wanted = 0
  /** The last place in the order of what counts in `missed`. */
  #lastMissed = -1
  #conditionals: Conditional[] | null = null

  constructor(tree: Tree, subDomains: SubDomainSettings) {
    super(tree.controllers)
    this.#tree = tree
    this.#subDomains = subDomains
  }

  /**
   * Makes the choice.
   *
   * @param fixed - what fits the path, when that has been found beforehand.
   * @param twin - another path, whose routes count as well.
   * @param wanted - the methods to take, with {@link ANY_METHOD} for routes that take any; 0 to learn of every method.
   */
  make(
    path: string,
    twin: string | undefined,
    fixed: readonly Found[] | undefined,
    escaped: boolean,
    wanted: number,
    context: RouteContext,
  ): void {
    this.begin(path, escaped)
    this.entry = null
    this.missed = 0
    this.#context = context
    this.#wanted = wanted
    this.match = null
    this.#lastMissed = -1
    this.#conditionals = null
    this.#meet(fixed, twin)
    const missedConditionally = this.#conditionals === null ? 0 : this.#ask(this.#conditionals)
    if (this.#lastMissed > this.bound) {
      // Some of what was missed stands behind the choice. Now that it is made, only what stands before it is met.
      this.missed = 0
      this.#meet(fixed, twin)
    }
    this.missed |= missedConditionally
    this.#context = NO_CONTEXT
  }

  #meet(fixed: readonly Found[] | undefined, twin: string | undefined): void {
    if (fixed === undefined) this.from(this.#tree.root)
    else for (const { entries, texts } of fixed) this.visit(entries, texts, texts.length)
    if (twin !== undefined) this.from(this.#tree.root, twin)
  }

  protected override visit(entries: readonly Entry[], texts: readonly string[], count: number): void {
    let demands: Demands | null = null
    let fits = false
    for (let index = 0; index < entries.length; index++) {
      const entry = entries[index]
      if (entry === undefined || entry.order >= this.bound) return
      const { methodMask, condition } = entry.route
      const takes = (methodMask & this.#wanted) !== 0
      if (
        !takes &&
        (methodMask === ANY_METHOD || (condition === undefined && (methodMask & ~this.missed) === 0))
      )
        continue
      if (entry.demands !== demands) {
        demands = entry.demands
        fits = this.#fits(demands, texts, count)
      }
      if (!fits) continue
      if (condition !== undefined) {
        this.#postpone(entry, texts, count)
      } else if (takes) {
        this.#take(entry, texts, this.#matchOf(entry, texts))
        return
      } else this.#miss(entry)
    }
  }

  #fits(demands: Demands, texts: readonly string[], count: number): boolean {
    const { subDomain } = demands
    return (
      (subDomain === undefined || subDomainFits(subDomain, this.#subDomain())) &&
      demands.accept(texts, count, this.escaped, this.controllers)
    )
  }

  #take(entry: Entry, texts: readonly string[], match: Match): void {
    this.entry = entry
    this.match = match
    this.bound = entry.order
    if (entry.route.pathInfo) this.texts = texts.slice(0, entry.variant.parameters.length)
  }

  #miss({ order, route }: Entry): void {
    this.missed |= route.methodMask
    if (order > this.#lastMissed) this.#lastMissed = order
  }

  /** Functions are asked in the order of definition, when it is known which routes come before them. */
  #postpone(entry: Entry, texts: readonly string[], count: number): void {
    this.#conditionals ??= []
    this.#conditionals.push({ entry, texts: texts.slice(0, count) })
  }

  /**
   * Asks the functions of the routes that come before the choice; the first that agrees takes its place.
   *
   * @returns the methods that were missed on the way.
   */
  #ask(conditionals: Conditional[]): number {
    let missed = 0
    for (const { entry, texts } of conditionals.sort((a, b) => a.entry.order - b.entry.order)) {
      const { methodMask, condition } = entry.route
      if (entry.order >= this.bound) break
      const takes = (methodMask & this.#wanted) !== 0
      if (!takes && (methodMask & ~missed) === 0) continue
      const match = this.#matchOf(entry, texts)
      if (!condition?.(this.#context, match)) continue
      if (takes) {
        this.#take(entry, texts, match)
      } else missed |= methodMask
    }
    return missed
  }

  #matchOf(entry: Entry, texts: readonly string[]): Match {
    const subDomain = this.#subDomains.enabled ? this.#subDomain() : undefined
    return matchOf(entry, texts, this.escaped, this.controllers, subDomain)
  }

  #subDomain(): string | null {
    return hostParts(this.#context.host ?? '', this.#subDomains).subDomain
  }
}
