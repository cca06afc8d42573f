/**
 * Arguments of actions, hooks and methods that decorators call, and that no route supplies.
 *
 * @module
 */
import { nearest } from '../../../base/suggest.ts'
import { MATCH_ARGUMENTS, REQUEST_ARGUMENTS, unsuppliedArgument } from '../../../controllers/supplied-arguments.ts'
import type { Finding, Findings } from '../finding.ts'
import {
  type CheckedClass,
  converterOf,
  hasOwnDecorator,
  type Method,
  overridesArguments,
  type Project,
} from '../project.ts'
import type { RouteView } from '../route-view.ts'

/** A method that several controllers may share, and the routes by which each of them is reached. */
interface Call {
  readonly one: CheckedClass
  readonly method: Method
  readonly routes: readonly RouteView[]
}

/** Returns the actions, hooks and other methods of controllers that receive arguments by name. */
export function callsOf({ classes, reached, routesTo }: Project): Call[] {
  return classes
    .filter((one) => !one.isService)
    .flatMap((one) => {
      const hooks = ['__before__', '__after__'].flatMap((name) => one.methods.get(name) ?? [])
      return [...reached(one), ...hooks.map((method) => ({ method, routes: routesTo(one.name) }))]
        .filter(({ routes }) => routes.length > 0)
        .map(({ method, routes }) => ({ one, method, routes }))
    })
}

/** Checks that a route, a converter or the framework supplies each argument. */
export function* checkArguments(project: Project): Findings {
  // A method of a base class is wrong only if it is wrong for every controller that inherits it.
  for (const group of Map.groupBy(callsOf(project), ({ method }) => method.value).values()) {
    const [first, ...others] = group
    const missing = first === undefined ? [] : missingIn(first)
    for (const name of missing) {
      if (first === undefined || !others.every((call) => missingIn(call).includes(name))) continue
      yield notSupplied(project, first, name)
    }
  }
}

function missingIn({ one, method, routes }: Call): readonly string[] {
  if (overridesArguments(one) || hasOwnDecorator(method) || takesUnknown(method)) return []
  if (routes.some(({ supplied }) => supplied === undefined)) return []
  const names = new Set([...suppliedNames(method), ...routes.flatMap(({ supplied }) => [...(supplied ?? [])])])
  return method.parameters.filter((name) => !names.has(name) && converterOf(method, name) === undefined)
}

/** Returns the names of the arguments that the framework supplies to a method. Only `__after__` has an error. */
function suppliedNames({ name: action }: Method): string[] {
  return [...MATCH_ARGUMENTS, ...REQUEST_ARGUMENTS].filter((name) => name !== 'error' || action === '__after__')
}

/** Returns true for a method that may take any arguments, as far as its declarations say. */
export function takesUnknown({ takesAll, declared }: Method): boolean {
  return takesAll || declared?.kind === 'invalid'
}

function notSupplied({ sources }: Project, { one, method, routes }: Call, argument: string): Finding {
  const { controllerClass, name: controller } = one
  const { name: action, label, parameters, declared } = method
  const names = [...routes.flatMap(({ supplied }) => [...(supplied ?? [])]), ...suppliedNames(method)]
  const free = new Set(names.filter((name) => !parameters.includes(name)))
  const hooked = action.startsWith('__') ? controller : undefined
  const text = unsuppliedArgument(label, argument, nearest(argument, free), hooked)
  const place =
    declared?.kind === 'names'
      ? sources.ofEntry(controllerClass, 'args', action, argument)
      : sources.ofMethod(controllerClass, action, argument)
  return { code: 'argument-not-supplied', place, ...text, controller, action, argument }
}
