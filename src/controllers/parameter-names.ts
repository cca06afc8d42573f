/** Finds parameter names that a build has changed. */

import type { Environ } from '../wsgi/types.ts'
import { APPLICATION_KEY, type Application } from './application.ts'
import { ParameterNamesError } from './controller-errors.ts'
import type { MethodBinding, NamedArguments } from './method-binding.ts'
import { SUPPLIED_ARGUMENTS } from './supplied-arguments.ts'

/**
 * Compares the parameter names of a method with the arguments that a request or any route can supply. Arguments that a
 * minifier renamed would otherwise be undefined, and their defaults would be used for every request.
 *
 * A name that nothing supplies is an error only if it looks like a minifier's, and if no other parameter of the method
 * has a name that is supplied.
 *
 * @throws ParameterNamesError - the names look renamed.
 */
export function checkParameterNames(binding: MethodBinding, offered: NamedArguments, environ: Environ): void {
  const { converters, body, parameters } = binding
  const names = parameters.kind === 'positional' ? parameters.names.map(({ name }) => name) : []
  const application = environ[APPLICATION_KEY] as Partial<Application> | undefined
  const ofRoutes = application?.mapper === undefined ? undefined : namesOfRoutes(application.mapper)
  const isDeclared = (name: string) => converters?.has(name) === true || body?.name === name
  const isSupplied = (name: string) =>
    name in offered || SUPPLIED_ARGUMENTS.has(name) || isDeclared(name) || ofRoutes?.has(name) === true

  const missing = names.filter((name) => !isSupplied(name))
  const controller = environ['wsgiorg.routing_args']?.[1].controller ?? undefined
  for (const name of missing) {
    const original = /^(.+?)[$_]*\d+$/.exec(name)?.[1]
    if (original !== undefined && isSupplied(original)) {
      throw new ParameterNamesError(
        binding.label,
        `its parameter "${name}" looks renamed: the routes supply "${original}"`,
        { controller },
      )
    }
  }
  const isOriginal = (name: string) => isDeclared(name) || (isSupplied(name) && !looksRenamed(name))
  if (missing.some(looksRenamed) && !names.some(isOriginal)) {
    throw new ParameterNamesError(
      binding.label,
      `its parameters (${names.join(', ')}) look renamed by a build: no route supplies ${missing.map((name) => `"${name}"`).join(', ')}`,
      { controller },
    )
  }
  // Without routes another request can supply a name that this one does not.
  binding.checked = missing.length === 0 || ofRoutes !== undefined
}

/** Short words that are names of arguments more often than a minifier's. */
const SHORT_WORDS: ReadonlySet<string> = new Set([
  ...[
    'id',
    'day',
    'doc',
    'key',
    'lat',
    'lng',
    'lon',
    'max',
    'min',
    'ref',
    'row',
    'sku',
    'tag',
    'uid',
    'uri',
    'url',
  ],
])

/**
 * Returns true for names such as minifiers and compilers give: up to three characters, or one letter with digits, `_` or
 * `$`.
 */
export function looksRenamed(name: string): boolean {
  if (SHORT_WORDS.has(name.replace(/^_/, ''))) return false
  return name.length <= 3 || /^_*[A-Za-z]?[$_]*\d+$|\$\d*$/.test(name)
}

interface RouteNames {
  readonly routes: number
  readonly names: ReadonlySet<string>
}

const known = new WeakMap<Application['mapper'], RouteNames>()

/** Returns the names of the parameters and defaults of all routes. */
function namesOfRoutes(mapper: Application['mapper']): ReadonlySet<string> {
  const { routes } = mapper
  const cached = known.get(mapper)
  if (cached?.routes === routes.length) return cached.names
  const names = new Set<string>()
  for (const { pattern, defaults } of routes) {
    for (const { name } of pattern.parameters) names.add(name)
    for (const name in defaults) names.add(name)
  }
  known.set(mapper, { routes: routes.length, names })
  return names
}
