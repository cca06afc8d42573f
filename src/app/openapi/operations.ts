/** Operations of an application: the methods and paths of the actions in `static results`. */
import { UNSAFE_METHODS } from '../../base/methods.ts'
import { operationName } from '../../controllers/declarations.ts'
import { type ActionDescription, type ControllerDescription, describeController } from '../../controllers/describe.ts'
import { declaredMethods } from '../../controllers/statics.ts'
import type { Mapper } from '../../routing/mapper.ts'
import type { Parameter, PathPart } from '../../routing/pattern.ts'
import { encodeLiteral } from '../../routing/percent.ts'
import type { Route } from '../../routing/route.ts'
import type { ControllerConstructor } from '../loaded-controller.ts'
import type { Classes, LeaveOut } from './classes.ts'

/** A path of a document with its parameters. */
export interface PathTemplate {
  /** `/books/{id}` */
  readonly path: string
  /** The path with positions in place of names, which paths of a document must not share: `/books/{}`. */
  readonly shape: string
  readonly parameters: readonly Parameter[]
}

/** An operation: a method and a path that run an action. */
export interface Operation {
  readonly id: string
  /** In lower case. */
  readonly method: string
  readonly template: PathTemplate
  readonly route: Route
  /** Name of the controller: `admin/books`. */
  readonly controller: string
  readonly action: ActionDescription
  readonly description: ControllerDescription
  /** The class, for its static properties. */
  readonly controllerClass: ControllerConstructor
  /** Whether the action is `create` of a resource. */
  readonly creates: boolean
}

/** Methods that change something, as documents write them. */
export const UNSAFE_OPERATIONS: ReadonlySet<string> = new Set(UNSAFE_METHODS.map((method) => method.toLowerCase()))

/** Methods that a path of a document can have, besides those that the dispatcher answers itself. */
const METHODS: ReadonlySet<string> = new Set(['get', ...UNSAFE_OPERATIONS])

/**
 * Returns the operations of an application in the order of its routes.
 *
 * @param under - folder of the controllers. Their names lack it.
 */
export function operationsOf(
  mapper: Mapper<unknown>,
  classes: Classes,
  leaveOut: LeaveOut,
  under?: string,
): Operation[] {
  const folder = under === undefined ? '' : `${under}/`
  const found: Omit<Operation, 'id'>[] = []
  const taken = new Set<string>()
  for (const route of mapper.routes) {
    if (route.controller?.startsWith(folder) !== true) continue
    for (const operation of describedOperations(mapper, classes, route, leaveOut)) {
      // Of two routes that differ in a requirement or a sub-domain only, a document can have one.
      const place = `${operation.method} ${operation.template.shape}`
      if (taken.has(place)) continue
      taken.add(place)
      found.push({ ...operation, controller: operation.controller.slice(folder.length) })
    }
  }
  return withIds(found)
}

/** Returns the operations of a route: none if a document need not have them, or if the class cannot be described. */
function describedOperations(
  mapper: Mapper<unknown>,
  classes: Classes,
  route: Route,
  leaveOut: LeaveOut,
): Omit<Operation, 'id'>[] {
  const { controller } = route
  const controllerClass = controller === undefined ? undefined : classes.get(controller)
  if (controller === undefined || controllerClass === undefined || !isDescribed(route)) return []
  const name = (route.action ?? 'index').replaceAll('-', '_')
  try {
    if (!declaredMethods(controllerClass, 'results').includes(name)) return []
    const description = describeController(controllerClass)
    const action = description.actions.get(name)
    if (action === undefined || action.result.schema === undefined) return []
    const template = templateOf(route)
    return methodsOf(mapper, route, { controller, controllerClass, action }).map((method) => {
      const creates = name === 'create' && method === 'post' && mapper.resourceActions(controller).has('create')
      return { method, template, route, controller, action, description, controllerClass, creates }
    })
  } catch (error) {
    leaveOut(error)
    return []
  }
}

/** Returns false for routes that a document cannot or need not have. */
function isDescribed(route: Route): boolean {
  const hasOpenAction = route.parameter('controller') !== undefined || route.parameter('action') !== undefined
  return !hasOpenAction && isCallable(route)
}

/** Returns true for a route that runs an action: not for one that only writes URLs, redirects or passes requests on. */
export function isCallable(route: Route): boolean {
  return !route.static && route.redirect === undefined && !route.pathInfo && !isFormatted(route)
}

/** Returns true for the second route that a resource has for each path: `/books.{format}` beside `/books`. */
function isFormatted({ resource, pattern: { parts } }: Route): boolean {
  return resource !== undefined && parts.some((part) => part.kind === 'parameter' && part.choosesFormat)
}

/** Returns the template of a route, without an optional suffix for the format. */
export function templateOf({ pattern }: Route): PathTemplate {
  const parts = pattern.parts.filter((part) => part.kind === 'literal' || !part.suffix)
  const write = (part: PathPart, name: string) => (part.kind === 'literal' ? encodeLiteral(part.text) : `{${name}}`)
  return {
    path: parts.map((part) => write(part, part.kind === 'literal' ? '' : part.name)).join(''),
    shape: parts.map((part) => write(part, '')).join(''),
    parameters: parts.filter((part) => part.kind === 'parameter'),
  }
}

/** Returns the methods of an action on a route, in lower case. */
export function methodsOf(
  mapper: Mapper<unknown>,
  { methods }: Route,
  { controller, controllerClass, action }: Pick<Operation, 'controller' | 'controllerClass' | 'action'>,
): string[] {
  const { allow } = controllerClass
  const isAllowed = (method: string) => allow === undefined || allow.includes(method.toUpperCase())
  if (methods !== null) {
    return methods.map((method) => method.toLowerCase()).filter((method) => METHODS.has(method) && isAllowed(method))
  }
  // The dispatcher runs such an action for its unsafe methods only, whatever route leads to it.
  const unsafe = mapper.unsafeActions(controller).get(action.name)
  const candidates = unsafe ?? (action.body === undefined ? ['GET', 'POST'] : UNSAFE_METHODS)
  const method = [...(candidates.includes('GET') ? [] : ['POST']), ...candidates].find(
    (each) => candidates.includes(each) && isAllowed(each),
  )
  return method === undefined ? [] : [method.toLowerCase()]
}

/**
 * Adds unique identifiers. The first operation of an action has the name of the action, further ones the method
 * behind it, then a number.
 */
function withIds(operations: readonly Omit<Operation, 'id'>[]): Operation[] {
  const claim = uniqueIds()
  const byAction = Map.groupBy(operations, ({ controller, action }) => `${controller} ${action.name}`)
  const firsts = new Set(Array.from(byAction.values(), ([first]) => first))
  const ids = new Map<object, string>()
  for (const operation of [...operations.filter((each) => firsts.has(each)), ...operations]) {
    if (ids.has(operation)) continue
    const name = operationName(operation.controller, operation.action.name)
    ids.set(operation, claim(firsts.has(operation) ? name : `${name}_${operation.method}`))
  }
  return operations.map((operation) => ({ id: ids.get(operation) ?? '', ...operation }))
}

/**
 * Returns a function that makes identifiers unique by numbers. They differ in more than case, `_` and `-`, which
 * generators of clients drop: `items_delete` and `itemsDelete_` would become one name.
 */
export function uniqueIds(): (id: string) => string {
  const taken = new Set<string>()
  const comparable = (id: string) => id.replaceAll(/[-_]/g, '').toLowerCase()
  return (id) => {
    let name = id
    for (let number = 2; taken.has(comparable(name)); number++) name = `${id}_${number}`
    taken.add(comparable(name))
    return name
  }
}
