/**
 * Routes to controllers and actions that do not exist, controllers that no route reaches, and options of routes.
 *
 * @module
 */

import { controllerClassName } from '../../../app/loaded-controller.ts'
import { nearest } from '../../../base/suggest.ts'
import { declaredMethods } from '../../../controllers/statics.ts'
import { MATCH_ARGUMENTS } from '../../../controllers/supplied-arguments.ts'
import { placeOfText } from '../../sources/sources.ts'
import { didYouMean, type Finding, type Findings } from '../finding.ts'
import { type CheckedClass, type Entry, overridesArguments, type Project } from '../project.ts'
import { capital, RouteView } from '../route-view.ts'

/** Checks that each route leads to a controller, and that each controller loads. */
export function* checkControllers({ entries, routes, sources, routesTo }: Project): Findings {
  const known = [...entries.keys()]
  for (const { controller, hasOpenController, label, route } of routes) {
    if (controller === undefined && !hasOpenController) {
      const meant = nearest('controller', Object.keys(route.defaults))
      const message = `${capital(label)} has no controller${meant === undefined ? '' : `, but "${meant}"`}.`
      const fix = didYouMean(meant && 'controller', `Add { controller: '…' }.`)
      yield { code: 'controller-missing', place: sources.inCall(route.definedAt, meant), message, fix }
    } else if (controller !== undefined && !entries.has(controller)) {
      const list = known.length === 0 ? 'there is none' : `there is ${known.join(', ')}`
      const message = `${capital(label)} leads to the controller "${controller}", which does not exist (${list}).`
      const advice = `Create it with propylon controller ${controller}, or correct the route.`
      const fix = didYouMean(nearest(controller, known), advice)
      const place = sources.inCall(route.definedAt, controller)
      yield { code: 'controller-missing', place, message, fix, controller }
    }
  }
  for (const entry of entries.values()) {
    const { name } = entry
    if (entry.kind !== 'broken' || (!entry.isThrown && routesTo(name).length === 0)) continue
    const message = `The controller "${name}" does not load: ${entry.reason.replace(/[.\s]+$/, '')}.`
    const advice = `Export ${controllerClassName(name)}. If the file is not a controller, begin its name with an underscore.`
    const fix = entry.isThrown ? 'It is checked once it loads.' : advice
    yield { code: 'controller-unreadable', place: entry.place, message, fix, controller: name }
  }
}

/** Checks that each route leads to an action. */
export function* checkActions(project: Project): Findings {
  for (const one of project.classes) {
    if (one.isService) continue
    const missing = project
      .routesTo(one.name)
      .filter(({ controller }) => controller !== undefined)
      .flatMap((view) => view.namedActions.map((action) => ({ view, action })))
      .filter(({ action }) => one.methods.get(action)?.isAction !== true)
    // A resource has many routes at one place, which lack several actions.
    const groups = Map.groupBy(missing, ({ view: { route } }) =>
      route.resource === undefined ? route : (route.definedAt ?? route),
    )
    for (const group of groups.values()) {
      const [first] = group
      if (first === undefined) continue
      const { view, action } = first
      const isOne = view.route.resource === undefined
      const names = new Set(group.map((each) => each.action))
      const { problem, fix } = isOne ? missingAction(one, action, project) : missingActions(one, [...names])
      const message = `${capital(isOne ? view.label : view.origin)} leads to ${problem}.`
      const place = project.sources.inCall(view.route.definedAt, view.action ?? action)
      yield { code: 'action-missing', place, message, fix, controller: one.name, action }
    }
  }
}

function missingAction(one: CheckedClass, action: string, { sources }: Project) {
  const actions = actionsOf(one)
  const label = `${one.className}.${action}`
  const fix = `Write a public method ${action.replace(/^_+/, '')} in ${one.className}, or correct the route.`
  if (action.startsWith('_'))
    return { problem: `${label}(), which no URL can reach, because its name begins with an underscore`, fix }
  if (action in one.base) {
    const problem = `${label}(), which is not an action, because ${action} is a member of the base class`
    return { problem, fix: 'Rename the method, and correct the route.' }
  }
  if (sources.member(one.controllerClass, action) !== undefined)
    return { problem: `${label}, which is a field or an accessor and not a method`, fix }
  const list = actions.join(', ') || 'none'
  const problem = `the action "${action}", which ${one.className} does not have (it has ${list})`
  return { problem, fix: didYouMean(nearest(action, actions), fix) }
}

const RESOURCE_ACTIONS = new Set(['index', 'create', 'new', 'edit', 'update', 'delete', 'show'])

function missingActions({ className }: CheckedClass, names: readonly string[]) {
  const [actions, them] = names.length === 1 ? ['action', 'it'] : ['actions', 'them']
  const except = names.filter((name) => RESOURCE_ACTIONS.has(name)).map((name) => `'${name}'`)
  const option = except.length === 0 ? '' : `: { except: [${except.join(', ')}] }`
  const list = names.map((name) => `"${name}"`).join(', ')
  const problem = `the ${actions} ${list}, which ${className} does not have`
  return { problem, fix: `Write ${them}, or leave ${them} out of the resource${option}.` }
}

function actionsOf({ methods }: CheckedClass): string[] {
  return [...methods.values()].filter(({ isAction }) => isAction).map(({ name }) => name)
}

/** Checks that a route reaches each controller. */
export function* checkReach({ classes, entries, sources, routesTo }: Project): Findings {
  const bases = new Set(classes.flatMap((one) => ownClasses(one).slice(1)))
  for (const entry of entries.values()) {
    const { name: controller } = entry
    if (entry.kind === 'broken' || routesTo(controller).length > 0) continue
    const isClass = entry.kind === 'class'
    if (isClass && (bases.has(entry.controllerClass) || declaredMethods(entry.controllerClass, 'prompts').length > 0))
      continue
    const own = entry.file === undefined ? undefined : { file: entry.file, line: 1, column: 1 }
    const place = (isClass ? sources.ofClass(entry.controllerClass) : undefined) ?? own
    const message = `No route leads to the controller "${controller}".`
    const fix = `Add a route with { controller: '${controller}' }. If the file is not a controller, begin its name with an underscore.`
    yield { code: 'controller-unreached', place, message, fix, controller }
  }
}

/** Returns a class of the application and those that it extends, up to the framework's. */
function ownClasses({ controllerClass, base }: CheckedClass): unknown[] {
  const classes: unknown[] = []
  for (let one: unknown = controllerClass; one && one !== base.constructor; one = Object.getPrototypeOf(one))
    classes.push(one)
  return classes
}

const OPTIONS = ['controller', 'action', 'requirements', 'conditions', 'formats', 'static', 'absolute', 'filter']

/** Defaults that the framework itself reads. */
const FRAMEWORK_DEFAULTS = [...MATCH_ARGUMENTS, 'path_info']

/**
 * Checks the keys and the requirements of routes, and reports what the mapper itself diagnoses.
 */
export function* checkOptions(project: Project): Findings {
  for (const view of project.routes) {
    const { controller, action } = view
    for (const finding of [...checkKeys(project, view), ...checkRequirements(project, view)])
      yield { ...finding, code: 'route-option-unknown', controller, action }
  }
  for (const { code, route, other, fix, definedAt } of project.mapper.diagnose()) {
    const [label, otherLabel] = [new RouteView(route).label, new RouteView(other).label]
    const isHidden = code === 'unreachable'
    const problem = isHidden
      ? `can never be reached: ${otherLabel} is defined before it and matches all of its paths`
      : `has the name of ${otherLabel}. URLs are generated for the later route`
    const rule = isHidden ? 'route-unreachable' : 'route-duplicate-name'
    yield { code: rule, place: placeOfText(definedAt), message: `${capital(label)} ${problem}.`, fix }
  }
}

/** A finding about a key of a route. */
type KeyFinding = Omit<Finding, 'code'>

/** Checks that each key of a route is an option or an argument of an action that it leads to. */
function* checkKeys({ entries, sources }: Project, view: RouteView): Iterable<KeyFinding> {
  const { route, controller, action, hasOpenController, label, parameters } = view
  const targets = [...entries.values()].filter(({ name }) => view.leadsTo(name))
  const methods = targets.flatMap((entry) => (entry.kind === 'class' ? [...entry.methods.values()] : []))
  // Decorators may call private methods.
  const called = methods.filter(({ name }) => name.startsWith('_') || view.runs(name))
  const taken = called.flatMap((method) => method.parameters)
  const takesAny = (entry: Entry) =>
    entry.kind !== 'class' || entry.isService || overridesArguments(entry) || readsMatch(entry)
  const isReadByCondition = route.condition !== undefined
  if (isReadByCondition || targets.some(takesAny) || called.some(({ takesAll }) => takesAll)) return
  const known = [...FRAMEWORK_DEFAULTS, ...parameters, ...taken]
  for (const key of Object.keys(route.defaults)) {
    if (known.includes(key)) continue
    const meant = nearest(key, [...OPTIONS, ...taken])
    // A route without its controller is reported as such.
    if (meant === 'controller' && controller === undefined && !hasOpenController) continue
    const actions = action === undefined ? 'the actions' : `the action "${action}"`
    const target = controller === undefined ? 'the actions that it leads to' : `${actions} of "${controller}"`
    const message = `${capital(label)} has the key "${key}", which is neither an option of connect() nor an argument of ${target}.`
    const fix = didYouMean(meant, 'Remove it, or add a parameter of that name to the action.')
    yield { place: sources.inCall(route.definedAt, key), message, fix, argument: key }
  }
}

/** Returns true if a class reads the match as a whole. */
function readsMatch(one: CheckedClass): boolean {
  return ownClasses(one).some((each) => /\brouteParams\b|routing_args/.test(String(each)))
}

/** Checks that each requirement is for a parameter of a path. */
function* checkRequirements({ routes, sources }: Project, view: RouteView): Iterable<KeyFinding> {
  const { route, parameters, origin } = view
  for (const name of Object.keys(route.requirements)) {
    // Requirements of a resource and of a sub-mapper apply to the routes that have the parameter.
    if (routes.some((other) => name in other.route.requirements && other.parameters.includes(name))) continue
    const message = `${capital(origin)} has a requirement for "${name}", which is not a parameter of its path.`
    const fix = didYouMean(nearest(name, parameters), 'Remove it, or correct the name.')
    yield { place: sources.inCall(route.definedAt, name), message, fix, argument: name }
  }
}
