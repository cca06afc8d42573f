/** The actions and templates that classes declare as tools, resources and prompts. */

import type { ControllerClass } from '../../controllers/class-methods.ts'
import { exposureOf, operationName } from '../../controllers/declarations.ts'
import {
  type ActionDescription,
  type ControllerDescription,
  describeController,
  requireToolNames,
  securityOf,
} from '../../controllers/describe.ts'
import type { Mapper } from '../../routing/mapper.ts'
import type { Route } from '../../routing/route.ts'
import type { ControllerConstructor } from '../loaded-controller.ts'
import type { Classes, LeaveOut } from '../openapi/classes.ts'
import { isCallable, methodsOf, type Operation, templateOf } from '../openapi/operations.ts'
import { type ActionTool, actionTool } from './action-tools.ts'

/** A prompt of a class. */
export interface ExposedPrompt {
  readonly name: string
  readonly controller: string
  readonly controllerClass: ControllerConstructor
  /** Name of the method that fills the template, if there is one. */
  readonly method: string
  readonly template: string
  readonly action: ActionDescription | undefined
  /** The request that runs the method, if a route leads to it. */
  readonly operation: Operation | undefined
}

/** Everything that an application declares, by name. */
export interface Catalogue {
  readonly tools: ReadonlyMap<string, ActionTool>
  /** The requests of the actions, by controller and action: `books show`. */
  readonly resources: ReadonlyMap<string, Operation>
  readonly prompts: ReadonlyMap<string, ExposedPrompt>
}

/** Returns true if a hook of a class, or its `static security`, may guard its actions. */
export function isGuarded(controllerClass: ControllerClass): boolean {
  const { actionNames, before } = describeController(controllerClass)
  const isSecured = (action: string) => (securityOf(controllerClass, action)?.length ?? 0) > 0
  return before !== undefined || isSecured('*') || actionNames.some(isSecured)
}

/**
 * Reads the declarations of all classes.
 *
 * @param leaveOut - receives the errors of classes that cannot be described. The catalogue has nothing of them.
 * @throws TypeError - a declaration is invalid, an action has no route, clients refuse a name, or two are the same.
 */
export function catalogueOf(mapper: Mapper<unknown>, classes: Classes, leaveOut: LeaveOut): Catalogue {
  const tools = new Map<string, ActionTool>()
  const resources = new Map<string, Operation>()
  const prompts = new Map<string, ExposedPrompt>()
  for (const [controller, controllerClass] of classes) {
    const exposure = exposureOf(controllerClass)
    if (exposure === undefined) continue
    let actions: Context['actions']
    try {
      actions = describeController(controllerClass).actions
    } catch (error) {
      leaveOut(error)
      continue
    }
    requireToolNames(controllerClass, controller)
    const context = { mapper, controller, controllerClass, actions }
    for (const [action, name] of exposure.tools) {
      const tool = actionTool(exposedAction(context, 'tools', action), name)
      claim(tools, tool.name, tool, controllerClass)
    }
    for (const [action, name] of exposure.resources) {
      const operation = exposedAction(context, 'resources', action)
      resources.set(`${controller} ${action}`, name === undefined ? operation : { ...operation, id: name })
    }
    for (const [method, template] of exposure.prompts) {
      const prompt = exposedPrompt(context, method, template)
      claim(prompts, prompt.name, prompt, controllerClass)
    }
  }
  return { tools, resources, prompts }
}

function claim<T>(all: Map<string, T>, name: string, value: T, { name: className }: ControllerClass): void {
  if (all.has(name)) {
    throw new TypeError(`${className} declares "${name}", which another controller declares too. Rename one of them.`)
  }
  all.set(name, value)
}

interface Context {
  readonly mapper: Mapper<unknown>
  readonly controller: string
  readonly controllerClass: ControllerConstructor
  readonly actions: ControllerDescription['actions']
}

/** @throws TypeError - the method takes a body, or its routes are for other methods than GET only. */
function exposedPrompt(context: Context, method: string, template: string): ExposedPrompt {
  const { controller, controllerClass, actions } = context
  const prompt = { name: operationName(controller, method), controller, controllerClass, method, template }
  const action = actions.get(method)
  if (action === undefined) return { ...prompt, action, operation: undefined }
  const requests = requestsOf(context, action)
  const reading = requests.filter(({ method }) => method === 'get')
  if (action.body !== undefined || (requests.length > 0 && reading.length === 0)) {
    throw new TypeError(
      `${controllerClass.name}.prompts names "${method}", which is not an action for GET. A prompt only reads: give it another name, or a method of its own.`,
    )
  }
  return { ...prompt, action, operation: operationFor(context, action, reading) }
}

function exposedAction(context: Context, kind: 'tools' | 'resources', name: string): Operation {
  const { controller, controllerClass, actions } = context
  const action = actions.get(name)
  const place = `${controllerClass.name}.${kind} names "${name}"`
  if (action === undefined) throw new TypeError(`${place}, which is not an action.`)
  if (action.body?.declaration.options.files !== undefined) {
    throw new TypeError(`${place}, whose body has files. A client of MCP cannot send files: remove it from the list.`)
  }
  const isRead = kind === 'resources'
  const requests = requestsOf(context, action).filter(({ method }) => !isRead || method === 'get')
  const operation = operationFor(context, action, requests)
  if (operation !== undefined) return operation
  const [taken] = requests
  if (taken !== undefined) {
    throw new TypeError(
      `${place}, but its route ${taken.route.path} is never reached: ${taken.takenBy?.path} is defined before it and takes its requests. Define a route to ${controller}.${name} before it.`,
    )
  }
  const method = isRead ? ' for GET' : ''
  throw new TypeError(`${place}, but no route${method} leads to ${controller}.${name}. Define one.`)
}

/**
 * Returns the request that runs an action: by the route that supplies most of its arguments, and rather by one that
 * names the action than by one that any action has. Undefined if no request reaches it.
 */
function operationFor(
  { controller, controllerClass }: Context,
  action: ActionDescription,
  requests: readonly ActionRoute[],
): Operation | undefined {
  const [best] = requests
    .filter(({ takenBy }) => takenBy === undefined)
    .map(({ route, method }) => ({ route, method, cost: costOf(route, action) }))
    .sort((one, other) => one.cost - other.cost)
  if (best === undefined) return undefined
  const { route, method } = best
  const template = templateOf(route)
  return {
    id: operationName(controller, action.name),
    method,
    template: { ...template, parameters: template.parameters.filter(isArgument) },
    route,
    controller,
    action,
    description: describeController(controllerClass),
    controllerClass,
    creates: false,
  }
}

/** A route and a method that lead to an action. */
interface ActionRoute {
  readonly route: Route
  readonly method: string
  /** The route that receives the requests instead, if there is one. */
  readonly takenBy: Route | undefined
}

function requestsOf(context: Context, action: ActionDescription): ActionRoute[] {
  const { mapper, controller } = context
  const routes = mapper.routes.filter((route) => isCallable(route) && leadsTo(route, controller, action.name))
  return routes.flatMap((route) =>
    methodsOf(mapper, route, { ...context, action }).map((method) => {
      const request = { method: method.toUpperCase(), controller, action: action.name }
      return { route, method, takenBy: mapper.takenBy(route, request) }
    }),
  )
}

function isArgument({ name }: { readonly name: string }): boolean {
  return name !== 'controller' && name !== 'action'
}

function leadsTo(route: Route, controller: string, action: string): boolean {
  const isController = route.controller === controller || route.parameter('controller') !== undefined
  const own = (route.action ?? 'index').replaceAll('-', '_')
  return isController && (own === action || route.parameter('action') !== undefined)
}

/**
 * Returns a number that is lower the better a route fits: required arguments are in its path, and it names the
 * action.
 */
function costOf(route: Route, { parameters }: ActionDescription): number {
  const required = parameters.filter(
    (argument) => argument.required && route.parameter(argument.name) === undefined && isArgument(argument),
  )
  const outside = required.filter(({ name }) => !(name in route.defaults))
  // An argument without a converter cannot come from the query.
  const missing = outside.filter(({ schema }) => schema === undefined)
  const isOpen = route.parameter('action') !== undefined || route.parameter('controller') !== undefined
  // A value that the route states is not an argument of the caller.
  const stated = required.length - outside.length
  return missing.length * 1000 + stated * 200 + (isOpen ? 100 : 0) + outside.length
}
