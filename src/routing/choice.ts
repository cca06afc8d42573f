/**
 * Choosing among the routes that a path meets: the first defined that takes the method, the values and the conditions.
 *
 * @module
 */

import type { ControllerNames } from './controllers.ts'
import type { Demands } from './demands.ts'
import { matchOf } from './match-values.ts'
import { ANY_METHOD } from './methods.ts'
import type { Match, RouteContext } from './options.ts'
import { hostParts, type SubDomainSettings, subDomainFits } from './subdomain.ts'
import type { Entry, TreeNode } from './tree-node.ts'
import { Walk } from './walk.ts'

const NO_TEXTS: readonly string[] = []

/** A route that fits but for its condition function, which has not been asked. */
interface Conditional {
  readonly entry: Entry
  readonly texts: readonly string[]
}

/** One path in search of its route. */
export class Choice extends Walk {
  /** The route that was chosen. */
  entry: Entry | null = null
  /** What stands for its parameters. */
  texts: readonly string[] = NO_TEXTS
  /** The methods of the routes that would come before it, or of all if there is none, if only they took the method. */
  missed = 0
  readonly #wanted: number
  readonly #context: RouteContext
  readonly #subDomains: SubDomainSettings
  #match: Match | null = null
  /** The last place in the order of what counts in `missed`. */
  #lastMissed = -1
  #conditionals: Conditional[] | null = null

  /** @param wanted - the methods to take, with {@link ANY_METHOD} for routes that take any; 0 to learn of every method. */
  constructor(
    path: string,
    escaped: boolean,
    controllers: ControllerNames | null,
    subDomains: SubDomainSettings,
    wanted: number,
    context: RouteContext,
  ) {
    super(path, escaped, controllers)
    this.#subDomains = subDomains
    this.#wanted = wanted
    this.#context = context
  }

  /**
   * Makes the choice.
   *
   * @param twin - another path, whose routes count as well.
   */
  among(root: TreeNode, twin: string | undefined): void {
    this.#meet(root, twin)
    const missedConditionally = this.#conditionals === null ? 0 : this.#ask(this.#conditionals)
    if (this.#lastMissed > this.bound) {
      // Some of what was missed stands behind the choice. Now that it is made, only what stands before it is met.
      this.missed = 0
      this.#meet(root, twin)
    }
    this.missed |= missedConditionally
  }

  /** The values of the chosen route: its defaults, and what stands for its parameters. */
  match(entry: Entry): Match {
    this.#match ??= this.#matchOf(entry, this.texts)
    return this.#match
  }

  #meet(root: TreeNode, twin: string | undefined): void {
    this.from(root)
    if (twin !== undefined) this.from(root, twin)
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
        fits = this.#fits(demands, texts)
      }
      if (!fits) continue
      if (condition !== undefined) {
        this.#postpone(entry, texts, count)
      } else if (takes) {
        this.entry = entry
        this.texts = count === 0 ? NO_TEXTS : texts.slice(0, count)
        this.bound = entry.order
        return
      } else this.#miss(entry)
    }
  }

  #fits(demands: Demands, texts: readonly string[]): boolean {
    const { subDomain } = demands
    return (
      (subDomain === undefined || subDomainFits(subDomain, this.#subDomain())) &&
      demands.accept(texts, this.escaped, this.controllers)
    )
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
        this.entry = entry
        this.texts = texts
        this.bound = entry.order
        this.#match = match
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
