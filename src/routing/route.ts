/**
 * A route: a path that means something.
 *
 * @module
 */

import { RouteDefinitionError } from './errors.ts'
import { type DefinitionSite, definitionSite } from './location.ts'
import type {
  ConditionFunction,
  ConnectOptions,
  Extras,
  GenerationFilter,
  Match,
  ResourceInfo,
} from './options.ts'
import { compilePattern, type Parameter, type Pattern, type Variant, variantsOf } from './pattern.ts'

/** Where a redirect route leads. */
export interface RedirectTarget {
  readonly pattern: Pattern
  readonly status: number
}

/** All that makes up a route; the mapper fills it in. */
export interface RouteInit {
  readonly name: string | null
  readonly path: string
  readonly defaults: ReadonlyMap<string, string | null>
  readonly requirements: Readonly<Record<string, string | RegExp>>
  readonly formats: readonly string[] | null
  readonly methods: readonly string[] | null
  readonly methodMask: number
  readonly subDomain: boolean | readonly string[] | undefined
  readonly condition: ConditionFunction | undefined
  readonly filter: GenerationFilter | undefined
  readonly static: boolean
  readonly absolute: boolean
  readonly redirect: { readonly destination: string; readonly status: number } | undefined
  readonly resource: ResourceInfo | undefined
  readonly member: { readonly name: string; readonly reserved: ReadonlySet<string> } | undefined
  /** Other paths that match as well; they are never generated. */
  readonly aliases: readonly string[]
  readonly site: DefinitionSite | undefined
  readonly definition: Definition
}

/** How a route was asked for: to define it once more elsewhere. */
export interface Definition {
  readonly name: string | null
  readonly path: string
  readonly options: ConnectOptions
  readonly extras: Extras
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** A route as it was defined. Made by a mapper; immutable. */
export class Route {
  readonly name: string | null
  /** The path as written, with the prefixes that were in force. */
  readonly path: string
  /** Other paths that match as well; they are never generated. */
  readonly aliases: readonly string[]
  /** What every match holds beside the path's own values. No prototype. */
  readonly defaults: Readonly<Match>
  /** Upper-case names, or null for any. */
  readonly methods: readonly string[] | null
  readonly methodMask: number
  readonly requirements: Readonly<Record<string, string | RegExp>>
  readonly subDomain: boolean | readonly string[] | undefined
  readonly condition: ConditionFunction | undefined
  readonly filter: GenerationFilter | undefined
  /** True when the route serves generation only. */
  readonly static: boolean
  /** True when the mount point does not stand in front of what is generated. */
  readonly absolute: boolean
  readonly redirect: RedirectTarget | undefined
  readonly resource: ResourceInfo | undefined
  /** The formats that the path knows as its suffix; null for any. */
  readonly formats: readonly string[] | null
  /** True when the match has `path_info`: the route hands the rest of the path on. */
  readonly pathInfo: boolean
  readonly pattern: Pattern
  /** The forms that matching looks for: those of the path, then those of its aliases. */
  readonly variants: readonly Variant[]
  readonly defaultEntries: readonly (readonly [name: string, value: string | null])[]
  readonly defaultNames: readonly string[]
  readonly defaultValues: readonly (string | null)[]
  /** How it was asked for. */
  readonly definition: Definition
  readonly #site: DefinitionSite | undefined

  constructor(init: RouteInit) {
    const about = { ...init, member: init.member }
    this.name = init.name
    this.path = init.path
    this.aliases = init.aliases
    this.methods = init.methods
    this.methodMask = init.methodMask
    this.requirements = init.requirements
    this.subDomain = init.subDomain
    this.condition = init.condition
    this.filter = init.filter
    this.static = init.static
    this.absolute = init.absolute
    this.resource = init.resource
    this.formats = init.formats
    this.#site = init.site
    this.definition = init.definition
    this.defaultEntries = [...init.defaults]
    this.defaultNames = [...init.defaults.keys()]
    this.defaultValues = [...init.defaults.values()]
    const defaults: Match = Object.create(null)
    for (const [name, value] of init.defaults) defaults[name] = value
    this.defaults = Object.freeze(defaults)
    this.pattern = compilePattern(init.path, about)
    this.redirect = init.redirect && redirectTarget(init.redirect, init, this.pattern)
    this.pathInfo =
      init.defaults.has('path_info') || this.pattern.parameters.some(({ name }) => name === 'path_info')
    this.variants = init.static
      ? []
      : [this.pattern, ...init.aliases.map((path) => compilePattern(path, about))].flatMap(variantsOf)
  }

  /** The fixed controller, if the path has none of its own. */
  get controller(): string | undefined {
    return this.parameter('controller') ? undefined : (this.defaults.controller ?? undefined)
  }

  /** The fixed action, if the path has none of its own. */
  get action(): string | undefined {
    return this.parameter('action') ? undefined : (this.defaults.action ?? undefined)
  }

  /** The path's parameter of this name. */
  parameter(name: string): Parameter | undefined {
    return this.pattern.parameters.find((parameter) => parameter.name === name)
  }

  /** How messages call the route: by its name, or by its path where it has none. */
  get label(): string {
    return this.name ?? this.path
  }

  /** File, line and column where the route was defined, where that is known (not in production). */
  get definedAt(): string | undefined {
    return this.#site && definitionSite(this.#site)
  }
}

function redirectTarget(
  redirect: { readonly destination: string; readonly status: number },
  init: RouteInit,
  source: Pattern,
): RedirectTarget {
  if (!REDIRECTS.has(redirect.status)) {
    throw new RouteDefinitionError(
      'E_ROUTE_OPTION',
      `The redirect from "${init.path}" has the status ${redirect.status}.`,
      `Use one of ${[...REDIRECTS].join(', ')}.`,
      { route: init.path, parameter: 'status', value: redirect.status },
    )
  }
  const pattern = compilePattern(redirect.destination, {
    requirements: requirementsOf(source),
    formats: null,
    static: true,
  })
  for (const { name, suffix } of pattern.parameters) {
    const known = init.defaults.has(name) || source.parameters.some((parameter) => parameter.name === name)
    if (known || suffix) continue
    throw new RouteDefinitionError(
      'E_ROUTE_PARAMETER',
      `The redirect from "${init.path}" to "${redirect.destination}" lacks a value for "${name}".`,
      `Add {${name}} to the path that is matched, or a default for it.`,
      { route: init.path, parameter: name, pattern: redirect.destination },
    )
  }
  return { pattern, status: redirect.status }
}

function requirementsOf({ parameters }: Pattern): Record<string, RegExp> {
  return Object.fromEntries(
    parameters.flatMap(({ name, requirement }) => (requirement ? [[name, requirement.regex]] : [])),
  )
}
