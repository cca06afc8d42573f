/**
 * Routes to controllers and actions that do not exist, and actions that no route reaches.
 *
 * @module
 */
import { controllerClassName } from '../../../app/loaded-controller.ts'
import { nearest } from '../../../base/suggest.ts'
import { didYouMean, type Finding } from '../finding.ts'
import type { ControllerEntry, ControllerModel, MethodModel } from '../model.ts'
import { FRAMEWORK_MEMBERS } from '../reflection.ts'
import { capital, type RouteView } from '../route-view.ts'
import type { RoutingFiles } from '../routing-files.ts'
import { is, memberName, namedProperties, nodesIn, type SyntaxNode } from '../syntax.ts'
import { actionsOf, hasAction, type Wiring } from '../wiring.ts'
import { isPrompt } from './exposure.ts'
import type { Project } from './rule.ts'

/** Checks that each route leads to a controller. */
export function* checkControllers({ wiring, files }: Project): Iterable<Finding> {
  const known = [...wiring.entries.keys()]
  for (const route of wiring.routes) {
    const { controller } = route
    if (controller === undefined) {
      if (!route.hasOpenController) yield withoutController(route, files)
    } else if (!wiring.entries.has(controller)) {
      const meant = nearest(controller, known)
      const list = known.length === 0 ? 'there is none' : `there is ${known.join(', ')}`
      yield {
        code: 'controller-missing',
        place: files.placeOfValue(route.route, controller),
        message: `${capital(route.label)} leads to the controller "${controller}", which does not exist (${list}).`,
        fix: didYouMean(meant, `Create it with propylon controller ${controller}, or correct the route.`),
        controller,
      }
    }
  }
  for (const entry of wiring.entries.values()) {
    if (entry.kind !== 'broken' || wiring.routesTo(entry.name).length === 0) continue
    yield {
      code: 'controller-unreadable',
      place: entry.place,
      message: `The controller "${entry.name}" does not load: ${entry.reason.replace(/[.\s]+$/, '')}.`,
      fix:
        entry.fix ??
        `Export ${controllerClassName(entry.name)}. If the file is not a controller, begin its name with an underscore.`,
      controller: entry.name,
    }
  }
}

function withoutController(route: RouteView, files: RoutingFiles): Finding {
  const keys = Object.keys(route.route.defaults)
  const meant = nearest('controller', keys)
  return {
    code: 'controller-missing',
    place: (meant && files.placeOfKey(route.route, meant)) || route.place,
    message: `${capital(route.label)} has no controller${meant === undefined ? '' : `, but "${meant}"`}.`,
    fix: didYouMean(meant && 'controller', `Add { controller: '…' }.`),
  }
}

/** Checks that each route to a controller leads to an action of it. */
export function* checkActions(model: ControllerModel, { wiring, files }: Project): Iterable<Finding> {
  if (!model.isComplete) return
  const missing = wiring
    .routesTo(model.name)
    .filter((route) => route.controller !== undefined)
    .flatMap((route) => namedActions(route).map((action) => ({ route, action })))
    .filter(({ action }) => !hasAction(model, action))
  // A resource has many routes at one place, which lack several actions.
  const groups = Map.groupBy(missing, ({ route }) =>
    route.route.resource === undefined ? route : (route.route.definedAt ?? route),
  )
  for (const group of groups.values()) {
    const [first] = group
    if (first === undefined) continue
    const names = [...new Set(group.map(({ action }) => action))]
    yield first.route.route.resource === undefined
      ? missingAction(model, first.route, names[0] ?? '', files)
      : missingResourceActions(model, first.route, names, files)
  }
}

/** Returns the actions that a route names: one, or the list in a requirement (`{action:edit|show}`). */
function namedActions(route: RouteView): string[] {
  if (route.method !== undefined) return [route.method]
  const source = route.route.parameter('action')?.requirement?.source ?? ''
  return /^\w+(?:\|\w+)*$/.test(source) ? source.split('|') : []
}

function missingAction(
  model: ControllerModel,
  route: RouteView,
  action: string,
  files: RoutingFiles,
): Finding {
  const meant = nearest(action, actionsOf(model))
  const other = model.otherMembers.get(action)
  const reason = action.startsWith('_')
    ? `leads to ${model.className}.${action}(), which no URL can reach, because its name begins with an underscore`
    : action in FRAMEWORK_MEMBERS
      ? `leads to ${model.className}.${action}(), which is not an action, because ${action} is a member of the base class`
      : other !== undefined
        ? `leads to ${model.className}.${action}, which is a ${other} and not a method`
        : `leads to the action "${action}", which ${model.className} does not have (it has ${listOf(actionsOf(model))})`
  return {
    code: 'action-missing',
    place: files.placeOfValue(route.route, action),
    message: `${capital(route.label)} ${reason}.`,
    fix:
      action in FRAMEWORK_MEMBERS && !action.startsWith('_')
        ? 'Rename the method, and correct the route.'
        : didYouMean(
            other === undefined && !action.startsWith('_') ? meant : undefined,
            `Write a public method ${action.replace(/^_+/, '')} in ${model.className}, or correct the route.`,
          ),
    action,
  }
}

function missingResourceActions(
  model: ControllerModel,
  { route }: RouteView,
  actions: readonly string[],
  files: RoutingFiles,
): Finding {
  const { member = '', collection = '' } = route.resource ?? {}
  const standard = actions.filter((action) => RESOURCE_ACTIONS.includes(action))
  const leaveOut = `leave ${actions.length === 1 ? 'it' : 'them'} out of the resource`
  const except = standard.map((action) => `'${action}'`).join(', ')
  return {
    code: 'action-missing',
    place: files.placeOfValue(route, actions[0] ?? ''),
    message: `The resource "${member}", "${collection}" leads to the ${actions.length === 1 ? 'action' : 'actions'} ${listOf(actions, '"')}, which ${model.className} does not have.`,
    fix: `Write ${actions.length === 1 ? 'it' : 'them'}, or ${leaveOut}${standard.length === 0 ? '' : `: { except: [${except}] }`}.`,
    action: actions[0],
  }
}

const RESOURCE_ACTIONS = ['index', 'create', 'new', 'edit', 'update', 'delete', 'show']

/** Checks routes such as `/{controller}/list` with an action that no controller has. The default routes name `index`. */
export function* checkOpenActions({ wiring, files }: Project): Iterable<Finding> {
  const entries = [...wiring.entries.values()]
  for (const route of wiring.routes) {
    const { action, method: name } = route
    if (!route.hasOpenController || action === undefined || name === undefined || name === 'index') continue
    if (entries.length === 0 || entries.some((entry) => mayHave(entry, name))) continue
    const meant = nearest(name, new Set(wiring.models.flatMap(actionsOf)))
    yield {
      code: 'action-missing',
      place: files.placeOfValue(route.route, action),
      message: `${capital(route.label)} leads to the action "${action}", which no controller has.`,
      fix: didYouMean(meant, 'Correct the route, or remove it.'),
      action,
    }
  }
}

function mayHave(entry: ControllerEntry, action: string): boolean {
  if (entry.kind !== 'class') return true
  return entry.model.isService || !entry.model.isComplete || hasAction(entry.model, action)
}

/** Checks that a route reaches each controller and each action. */
export function* checkReach({ wiring }: Project): Iterable<Finding> {
  const bases = new Set(wiring.models.flatMap(({ classes }) => classes.slice(1).map(({ node }) => node)))
  const unreached: { readonly model: ControllerModel; readonly method: MethodModel }[] = []
  const reachedElsewhere = new Set<unknown>()
  for (const entry of wiring.entries.values()) {
    if (wiring.routesTo(entry.name).length === 0) {
      if (entry.kind === 'broken' || (entry.kind === 'class' && needsNoRoute(entry.model, bases))) continue
      const { name } = entry
      yield {
        code: 'controller-unreached',
        place: entry.kind === 'class' ? entry.model.place : entry.place,
        message: `No route leads to the controller "${name}".`,
        fix: `Add a route with { controller: '${name}' }. If the file is not a controller, begin its name with an underscore.`,
        controller: name,
      }
      continue
    }
    if (entry.kind !== 'class' || entry.model.isService) continue
    for (const { method, routes, isTarget } of wiring.reached(entry.model)) {
      const identity = method.source?.node ?? method
      const isUsed = isTarget || method.isHelper || isPrompt(entry.model, method.name)
      if (routes.length > 0 || isUsed) reachedElsewhere.add(identity)
      else unreached.push({ model: entry.model, method })
    }
  }
  const lost = unreached.filter(({ method }) => !reachedElsewhere.has(method.source?.node ?? method))
  const used = lost.length === 0 ? undefined : usedMethods(wiring)
  for (const { model, method } of lost) {
    if (used?.has(method.name)) continue
    yield {
      code: 'action-unreached',
      place: method.place,
      message: `No route leads to ${method.label}().`,
      fix: `Add a route with { controller: '${model.name}', action: '${method.name}' }, remove the method, or begin its name with an underscore if it is not an action.`,
      controller: model.name,
      action: method.name,
    }
  }
}

/** Returns true for a class with prompts, and for a base class, which may be a controller only by the place of its file. */
function needsNoRoute({ classes, staticEntries }: ControllerModel, bases: ReadonlySet<SyntaxNode>): boolean {
  const [own] = classes
  const isBase = own !== undefined && bases.has(own.node)
  return isBase || staticEntries.some(({ record }) => record === 'prompts')
}

/** Returns the names of all methods that the controllers and their base classes use, so that they are helpers. */
function usedMethods(wiring: Wiring): ReadonlySet<string> {
  const modules = new Set(wiring.models.flatMap(({ classes }) => classes.map(({ module }) => module)))
  return new Set([...modules].flatMap(({ tree }) => nodesIn(tree).flatMap(usedMembers)))
}

/** Returns the members of the controller that an expression reads: `this.list`, `const { list } = this`. */
function usedMembers(node: SyntaxNode): string[] {
  if (is(node, 'MemberExpression') && is(node.object, 'ThisExpression', 'Super')) {
    const name = memberName(node)
    return name === undefined ? [] : [name]
  }
  const isTaken = is(node, 'VariableDeclarator') && is(node.init, 'ThisExpression')
  return isTaken && is(node.id, 'ObjectPattern') ? [...namedProperties(node.id).entries.keys()] : []
}

function listOf(names: readonly string[], quote = ''): string {
  return names.length === 0 ? 'none' : names.map((name) => quote + name + quote).join(', ')
}
