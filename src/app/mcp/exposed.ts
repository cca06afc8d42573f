/** The actions and templates that classes declare as tools, resources and prompts. */
import { type ActionDescription, describeController } from '../../controllers/action-description.ts'
import type { ControllerClass } from '../../controllers/controller-class.ts'
import { type Exposure, exposureOf } from '../../controllers/exposure.ts'
import type { Mapper } from '../../routing/mapper.ts'
import type { Route } from '../../routing/route.ts'
import type { ControllerConstructor } from '../loaded-controller.ts'
import type { Classes } from '../openapi/classes.ts'
import { isCallable, methodsOf, type Operation, operationName } from '../openapi/operations.ts'
import { templateOf } from '../openapi/paths.ts'
import { isGuarded } from './cache.ts'

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

/** An action that is a tool or a resource, with the request that runs it. */
export interface ExposedAction {
  readonly operation: Operation
  /** Whether a hook or `static security` may refuse the request. */
  readonly isGuarded: boolean
}

/** Everything that an application declares, by name. */
export interface Catalogue {
  readonly tools: ReadonlyMap<string, ExposedAction>
  readonly resources: ReadonlyMap<string, ExposedAction>
  readonly prompts: ReadonlyMap<string, ExposedPrompt>
}

/**
 * Reads the declarations of all classes.
 *
 * @throws TypeError - a declaration is invalid, an action has no route, or two have the same name.
 */
export function catalogueOf(mapper: Mapper<unknown>, classes: Classes): Catalogue {
  const tools = new Map<string, ExposedAction>()
  const resources = new Map<string, ExposedAction>()
  const prompts = new Map<string, ExposedPrompt>()
  for (const [controller, controllerClass] of classes) {
    const exposure = exposureOf(controllerClass)
    if (exposure === undefined) continue
    const context = { mapper, controller, controllerClass }
    for (const action of exposure.tools) {
      const exposed = exposedAction(context, 'tools', action)
      claim(tools, exposed.operation.id, exposed, controllerClass)
    }
    for (const action of exposure.resources) {
      const exposed = exposedAction(context, 'resources', action)
      resources.set(`${controller} ${action}`, exposed)
    }
    for (const prompt of promptsOf(context, exposure)) {
      claim(prompts, prompt.name, prompt, controllerClass)
    }
  }
  return { tools, resources, prompts }
}

function claim<T>(all: Map<string, T>, name: string, value: T, { name: className }: ControllerClass): void {
  if (all.has(name)) {
    throw new TypeError(
      `${className} declares "${name}", which another controller declares too. Rename one of them.`,
    )
  }
  all.set(name, value)
}

function promptsOf(context: Context, { prompts }: Exposure): ExposedPrompt[] {
  const { controller, controllerClass } = context
  const { actions } = describeController(controllerClass)
  return [...prompts].map(([method, template]) => {
    const action = actions.get(method)
    if (action !== undefined) requireRead(context, action)
    const operation = action && operationFor(context, action, 'get')
    return {
      name: operationName(controller, method),
      controller,
      controllerClass,
      method,
      template,
      action,
      operation,
    }
  })
}

/** @throws TypeError - the action takes a body, or its routes are for other methods than GET only. */
function requireRead(context: Context, action: ActionDescription): void {
  const requests = requestsOf(context, action, undefined)
  const isRead = requests.length === 0 || requests.some(({ method }) => method === 'get')
  if (action.body === undefined && isRead) return
  throw new TypeError(
    `${context.controllerClass.name}.prompts names "${action.name}", which is not an action for GET. A prompt only reads: give it another name, or a method of its own.`,
  )
}

interface Context {
  readonly mapper: Mapper<unknown>
  readonly controller: string
  readonly controllerClass: ControllerConstructor
}

function exposedAction(context: Context, kind: 'tools' | 'resources', name: string): ExposedAction {
  const { controller, controllerClass } = context
  const action = describeController(controllerClass).actions.get(name)
  const place = `${controllerClass.name}.${kind} names "${name}"`
  if (action === undefined) throw new TypeError(`${place}, which is not an action.`)
  if (action.body?.declaration.options.files !== undefined) {
    throw new TypeError(
      `${place}, whose body has files. A client of MCP cannot send files: remove it from the list.`,
    )
  }
  const wanted = kind === 'resources' ? 'get' : undefined
  const operation = operationFor(context, action, wanted)
  if (operation === undefined) {
    const [taken] = requestsOf(context, action, wanted)
    if (taken !== undefined) {
      throw new TypeError(
        `${place}, but its route ${taken.route.path} is never reached: ${taken.takenBy?.path} is defined before it and takes its requests. Define a route to ${controller}.${name} before it.`,
      )
    }
    const method = kind === 'resources' ? ' for GET' : ''
    throw new TypeError(`${place}, but no route${method} leads to ${controller}.${name}. Define one.`)
  }
  return { operation, isGuarded: isGuarded(controllerClass) }
}

/**
 * Returns the request that runs an action: by the route that supplies most of its arguments, and rather by one that names the
 * action than by one that any action has.
 */
function operationFor(
  context: Context,
  action: ActionDescription,
  wanted: string | undefined,
): Operation | undefined {
  const [best] = requestsOf(context, action, wanted)
    .filter(({ takenBy }) => takenBy === undefined)
    .map((request) => ({ ...request, cost: costOf(request.route, action) }))
    .sort((one, other) => one.cost - other.cost)
  if (best === undefined) return undefined
  const { route, method } = best
  const { controller, controllerClass } = context
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

function requestsOf(context: Context, action: ActionDescription, wanted: string | undefined): ActionRoute[] {
  const { mapper, controller } = context
  const routes = mapper.routes.filter((route) => isCallable(route) && leadsTo(route, controller, action.name))
  return routes.flatMap((route) =>
    methodsOf(mapper, route, { ...context, action })
      .filter((method) => wanted === undefined || method === wanted)
      .map((method) => {
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

/** Returns a number that is lower the better a route fits: required arguments are in its path, and it names the action. */
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
