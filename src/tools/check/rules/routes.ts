/**
 * Options of routes that are none, methods in lower case, and what the mapper itself diagnoses.
 *
 * @module
 */

import { nearest } from '../../../base/suggest.ts'
import { MATCH_ARGUMENTS } from '../../../controllers/supplied-arguments.ts'
import type { Route } from '../../../routing/route.ts'
import { didYouMean, type Finding } from '../finding.ts'
import type { ControllerEntry, ControllerModel } from '../model.ts'
import { capital, placeOfText, RouteView } from '../route-view.ts'
import type { RoutingFiles } from '../routing-files.ts'
import type { Wiring } from '../wiring.ts'
import { methodFault } from './methods.ts'
import type { Project } from './rule.ts'

const OPTIONS = [
  'controller',
  'action',
  'requirements',
  'conditions',
  'formats',
  'static',
  'absolute',
  'filter',
]

/** Defaults that the framework itself reads. */
const FRAMEWORK_DEFAULTS: ReadonlySet<string> = new Set([...MATCH_ARGUMENTS, 'path_info'])

/** Checks that each key of a route is an option or an argument of an action that it leads to. */
export function* checkOptions({ wiring, files }: Project): Iterable<Finding> {
  for (const view of wiring.routes) {
    const { route } = view
    const entries = [...wiring.entries.values()].filter(({ name }) => view.leadsTo(name))
    for (const key of Object.keys(route.defaults)) {
      if (FRAMEWORK_DEFAULTS.has(key) || view.parameters.includes(key)) continue
      if (route.condition !== undefined && String(route.condition).includes(key)) continue
      if (entries.some((entry) => mayTake(entry, view, key))) continue
      const taken = entries.flatMap((entry) => argumentsOf(entry, view))
      // A route without its controller is reported as such.
      if (nearest(key, OPTIONS) === 'controller' && view.controller === undefined && !view.hasOpenController)
        continue
      const meant = nearest(key, [...OPTIONS, ...taken])
      yield {
        code: 'route-option-unknown',
        place: files.placeOfKey(route, key),
        message: `${capital(view.label)} has the key "${key}", which is neither an option of connect() nor an argument of ${actionLabel(view)}.`,
        fix: didYouMean(meant, 'Remove it, or add a parameter of that name to the action.'),
        controller: view.controller,
        action: view.action,
        argument: key,
      }
    }
    yield* checkRequirements(wiring, view, files)
  }
}

function actionLabel({ controller, action }: RouteView): string {
  if (controller === undefined) return 'the actions that it leads to'
  return action === undefined ? `the actions of "${controller}"` : `the action "${action}" of "${controller}"`
}

/** Returns true unless the controller certainly does not use an argument. */
function mayTake(entry: ControllerEntry, view: RouteView, key: string): boolean {
  if (entry.kind !== 'class') return true
  const { model } = entry
  if (model.isService || !model.isComplete || model.overridesArguments || readsMatch(model)) return true
  return (
    methodsOf(model, view).some(
      (method) => method.takesAll || method.parameters.some(({ name }) => name === key),
    ) || argumentsOf(entry, view).includes(key)
  )
}

function argumentsOf(entry: ControllerEntry, view: RouteView): string[] {
  if (entry.kind !== 'class') return []
  return methodsOf(entry.model, view).flatMap(({ name, parameters }) => {
    const { names = [] } = entry.model.declaredArguments(name)
    return [...parameters, ...names].map((parameter) => parameter.name)
  })
}

/** Returns the hooks and actions that a route runs, and all private methods: decorators may call these. */
function methodsOf(model: ControllerModel, view: RouteView) {
  return [...model.methods.values()].filter(({ name }) => name.startsWith('_') || view.runs(name))
}

/** Returns true if the source of a class reads the match as a whole. */
function readsMatch({ classes }: ControllerModel): boolean {
  return classes.some(({ module, node }) =>
    /\brouteParams\b|routing_args/.test(module.text.slice(node.start, node.end)),
  )
}

/** Checks that each requirement is for a parameter of a path. */
function* checkRequirements(wiring: Wiring, view: RouteView, files: RoutingFiles): Iterable<Finding> {
  const { route } = view
  for (const name of Object.keys(route.requirements)) {
    if (view.parameters.includes(name)) continue
    // Requirements of a resource and of a sub-mapper apply to the routes that have the parameter.
    if (wiring.routes.some((other) => name in other.route.requirements && other.parameters.includes(name)))
      continue
    const meant = nearest(name, view.parameters)
    yield {
      code: 'route-option-unknown',
      place: files.placeOfKey(route, name),
      message: `${capital(view.origin)} has a requirement for "${name}", which is not a parameter of its path.`,
      fix: didYouMean(meant, 'Remove it, or correct the name.'),
      controller: view.controller,
      action: view.action,
      argument: name,
    }
  }
}

/** Checks the request methods of routes. */
export function* checkMethods({ wiring, files }: Project): Iterable<Finding> {
  for (const { route, controller, action, origin } of wiring.routes) {
    for (const method of methodsOfRoute(route)) {
      const fault = methodFault(method)
      if (fault === undefined || method.toLowerCase() === 'any') continue
      yield {
        code: 'method-case',
        place: files.placeOfValue(route, method),
        message: `${capital(origin)} has the request method "${method}".`,
        fix: fault,
        controller,
        action,
      }
    }
  }
}

function methodsOfRoute({ definition }: Route): readonly string[] {
  const given = definition.options.conditions?.method
  return given === undefined ? [] : typeof given === 'string' ? [given] : given
}

/** Reports the routes that no request reaches, and the names that two routes have. */
export function* checkDiagnosis({ wiring }: Project): Iterable<Finding> {
  for (const { code, route, other, fix, definedAt } of wiring.mapper.diagnose()) {
    const [label, otherLabel] = [route, other].map((each) => new RouteView(each).label)
    const isUnreachable = code === 'unreachable'
    yield {
      code: isUnreachable ? 'route-unreachable' : 'route-duplicate-name',
      place: placeOfText(definedAt),
      message: isUnreachable
        ? `${capital(label ?? '')} can never be reached: ${otherLabel} is defined before it and matches all of its paths.`
        : `${capital(label ?? '')} has the name of ${otherLabel}. URLs are generated for the later route.`,
      fix,
    }
  }
}
