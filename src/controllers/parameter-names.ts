/** Finds parameter names that a build has changed, and misspelt ones. */

import { similar } from '../base/suggest.ts'
import { APPLICATION_KEY, type Application } from './application.ts'
import { type Controller, stateOf } from './call-state.ts'
import { ArgumentNotSupplied, ParameterNamesError } from './controller-errors.ts'
import type { MethodBinding, NamedArguments } from './method-binding.ts'
import { looksRenamed, mayReceiveMore, originalMethod } from './parameters.ts'
import { MATCH_ARGUMENTS, REQUEST_ARGUMENTS, SUPPLIED_ARGUMENTS, unsuppliedArgument } from './supplied-arguments.ts'

/**
 * Compares the parameter names of a method with the arguments that a request or any route can supply. Arguments that a
 * minifier renamed would otherwise be undefined, and their defaults would be used for every request.
 *
 * A name that nothing supplies is an error if it is nearly one that something supplies. In production an action is
 * called in spite of it, and the reason is logged: a hook is refused, because it may be a guard. Any other name is an
 * error only if it looks like a minifier's, and if no other parameter of the method has a name that is supplied.
 *
 * @throws ParameterNamesError - the names look renamed.
 * @throws ArgumentNotSupplied - a name is misspelt.
 */
export function checkParameterNames(binding: MethodBinding, offered: NamedArguments, controller: Controller): void {
  const { environ } = stateOf(controller)
  const { converters, body, parameters } = binding
  const isPositional = parameters.kind === 'positional' && !binding.isStated
  const names = parameters.names.map(({ name }) => name)
  const application = environ[APPLICATION_KEY] as Partial<Application> | undefined
  const ofRoutes = application?.mapper === undefined ? undefined : namesOfRoutes(application.mapper)
  const isDeclared = (name: string) => converters?.has(name) === true || body?.name === name
  const isSupplied = (name: string) =>
    name in offered || SUPPLIED_ARGUMENTS.has(name) || isDeclared(name) || ofRoutes?.has(name) === true

  const missing = names.filter((name) => !isSupplied(name))
  const named = environ['wsgiorg.routing_args']?.[1].controller ?? undefined
  for (const name of isPositional ? missing : []) {
    const original = /^(.+?)[$_]*\d+$/.exec(name)?.[1]
    if (original !== undefined && isSupplied(original)) {
      throw new ParameterNamesError(
        binding.label,
        `its parameter "${name}" looks renamed: the routes supply "${original}"`,
        { controller: named },
      )
    }
  }
  const declared = [...(converters?.keys() ?? []), ...(body === undefined ? [] : [body.name])]
  const misspelt = misspeltNames(binding, missing, [...Object.keys(offered), ...declared], ofRoutes, controller)
  const isOriginal = (name: string) => isDeclared(name) || (isSupplied(name) && !looksRenamed(name))
  const renamed = isPositional ? missing.filter((name) => looksRenamed(name) && !misspelt.has(name)) : []
  if (renamed.length > 0 && !names.some(isOriginal)) {
    throw new ParameterNamesError(
      binding.label,
      `its parameters (${names.join(', ')}) look renamed by a build: no route supplies ${missing.map((name) => `"${name}"`).join(', ')}`,
      { controller: named },
    )
  }
  const hook = binding.isHook ? (named ?? undefined) : undefined
  for (const [name, meant] of misspelt) {
    const { message, fix } = unsuppliedArgument(binding.label, name, meant, hook)
    const error = new ArgumentNotSupplied(name, message, fix)
    if (binding.isHook || application?.debug === true) throw error
    application?.logger?.warn(error.message)
  }
  // Without routes another request can supply a name that this one does not.
  binding.checked = missing.length === 0 || ofRoutes !== undefined
}

/** Shortest name that counts as misspelt. Minifiers give shorter ones, and one edit of them is another word. */
const MIN_LENGTH = 3

/**
 * Returns the names of parameters that look like misspellings, with the names that were meant. A parameter with a
 * default may be left out, one that begins with an underscore is not used, and a method of the application may supply
 * any.
 */
function misspeltNames(
  { method, parameters: { names }, label, isStated }: MethodBinding,
  missing: readonly string[],
  offered: readonly string[],
  ofRoutes: ReadonlySet<string> | undefined,
  controller: Controller,
): ReadonlyMap<string, string> {
  const misspelt = new Map<string, string>()
  const isOverridden = controller._get_method_args !== stateOf(controller).description.defaultMethodArguments
  // Without routes the names that other requests supply are unknown.
  if (missing.length === 0 || ofRoutes === undefined || isOverridden || mayReceiveMore(method)) return misspelt
  const original = originalMethod(method)
  // Names that `static args` states say nothing of defaults. The length of a function counts the parameters before
  // the first one.
  const length = typeof original === 'function' ? original.length : 0
  const taken = new Set(names.map(({ name }) => name))
  const supplied = [...offered, ...ofRoutes, ...MATCH_ARGUMENTS, ...REQUEST_ARGUMENTS].filter(
    (name) => !taken.has(name) && (name !== 'error' || label.endsWith('.__after__')),
  )
  const free = new Map(supplied.map((name) => [plain(name), name]))
  for (const [index, { name, required }] of names.entries()) {
    const isRequired = isStated ? index < length : required
    if (!isRequired || !missing.includes(name) || name.length < MIN_LENGTH || name.startsWith('_')) continue
    const meant = free.get(similar(plain(name), free.keys()) ?? '')
    if (meant !== undefined) misspelt.set(name, meant)
  }
  return misspelt
}

/** Returns a name without its case and its underscores: `bookId` and `book_id` are the same. */
function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase()
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
