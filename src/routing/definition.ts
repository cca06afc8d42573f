/**
 * From the options of `connect` to a route.
 *
 * @module
 */

import { RouteDefinitionError } from './errors.ts'
import type { DefinitionSite } from './location.ts'
import type { MethodSet } from './methods.ts'
import type { ConditionFunction, Conditions, ConnectOptions, Extras } from './options.ts'
import { Route } from './route.ts'

/** What the mapper lends to every definition. */
export interface DefinitionSettings {
  readonly formats: readonly string[] | null
  readonly methods: MethodSet
  readonly prefix: string
  readonly site: DefinitionSite | undefined
}

const OPTION_NAMES: ReadonlySet<string> = new Set([
  'requirements',
  'conditions',
  'formats',
  'static',
  'absolute',
  'filter',
])

/**
 * Makes a route.
 *
 * @throws RouteDefinitionError for a malformed path, requirement, method or default.
 */
export function defineRoute(
  name: string | null,
  path: string,
  options: ConnectOptions,
  extras: Extras,
  settings: DefinitionSettings,
): Route {
  const isStatic = options.static ?? false
  const { conditions } = options
  const label = name ?? path
  const formats = options.formats === undefined ? settings.formats : options.formats
  const methods = methodsOf(conditions?.method)
  return new Route({
    name,
    path: isStatic ? path : rooted(settings.prefix, path),
    defaults: defaultsOf(options, label),
    requirements: options.requirements ?? {},
    formats,
    methods,
    methodMask: settings.methods.mask(methods, label),
    subDomain: subDomainsOf(conditions?.subDomain),
    condition: conditionOf(conditions?.function, label),
    filter: options.filter,
    static: isStatic,
    absolute: options.absolute ?? false,
    redirect: extras.redirect,
    resource: extras.resource,
    member: extras.member,
    aliases: (extras.aliases ?? []).map((alias) => rooted(settings.prefix, alias)),
    site: settings.site,
    definition: { name, path, options: { ...options, formats }, extras },
  })
}

/** A path with exactly one slash between it and what stands in front. */
export function rooted(prefix: string, path: string): string {
  const front = prefix.replace(/\/+$/, '')
  const root = front === '' || front.startsWith('/') ? front : `/${front}`
  return root + (path.startsWith('/') || (root !== '' && path === '') ? path : `/${path}`)
}

function methodsOf(given: string | readonly string[] | undefined): readonly string[] | null {
  if (given === undefined) return null
  const methods = (typeof given === 'string' ? [given] : [...given]).map((method) => method.toUpperCase())
  return methods.includes('ANY') ? null : Object.freeze([...new Set(methods)])
}

function subDomainsOf(given: Conditions['subDomain']): boolean | readonly string[] | undefined {
  return typeof given === 'string' ? [given] : given
}

function conditionOf(given: unknown, route: string): ConditionFunction | undefined {
  if (given === undefined) return undefined
  if (typeof given === 'function') return given as ConditionFunction
  throw wrongOption(route, 'conditions.function', given, 'Give a function of the context and the match.')
}

function defaultsOf(options: ConnectOptions, route: string): Map<string, string | null> {
  const defaults = new Map<string, string | null>()
  for (const [name, value] of Object.entries(options)) {
    if (OPTION_NAMES.has(name) || value === undefined) continue
    if (
      value !== null &&
      (typeof value === 'object' || typeof value === 'function' || typeof value === 'symbol')
    ) {
      throw wrongOption(route, name, value, 'Give text, a number, a boolean or null as a default.')
    }
    defaults.set(name, value === null ? null : String(value))
  }
  return defaults
}

function wrongOption(route: string, option: string, value: unknown, fix: string): RouteDefinitionError {
  return new RouteDefinitionError('E_ROUTE_OPTION', `Route "${route}" has a wrong option "${option}".`, fix, {
    route,
    parameter: option,
    value,
  })
}
