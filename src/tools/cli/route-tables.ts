/**
 * The tables of `propylon routes --guards` and `--moved`: what can refuse a request for an action, who reaches it, and
 * whether it has moved from an old application.
 *
 * @module
 */

import { UNSAFE_METHODS } from '../../base/methods.ts'
import { declaredMethods } from '../../controllers/statics.ts'
import type { TableRow } from '../../routing/diagnose.ts'
import { FACES, type FaceName, isFaceName } from '../../rpc/faces/select.ts'
import { type CheckedClass, type Method, methodsOf, type Project } from '../check/project.ts'
import { RouteView } from '../check/route-view.ts'
import { canRefuse } from './refusals.ts'

/** Decorators of the framework that can refuse a request. Decorators of the application may, too. */
const REFUSING: ReadonlySet<string | undefined> = new Set([
  'authenticateForm',
  'https',
  'restrict',
  'validate',
  undefined,
])

/** A route with what runs before its action. */
export interface GuardedRoute extends TableRow {
  readonly hooks: readonly string[]
  readonly decorators: readonly string[]
  /** The hooks and decorators that can refuse a request. */
  readonly guards: readonly string[]
  /** Whether POST, PUT, PATCH or DELETE reach the action without a guard. False if the path says the action. */
  readonly unguarded: boolean
}

/** An action, or a service as a whole. */
export interface GuardedAction {
  /** Controller and action (`users.delete`), or the name of a service. */
  readonly label: string
  /** The hooks and decorators that can refuse a request. */
  readonly guards: readonly string[]
  /** The ways by which requests reach it. */
  readonly access: readonly Access[]
}

/** Returns all routes in order, without static ones, with what they lead to. */
function wiredRows({ mapper, entries }: Project) {
  const routes = mapper.routes.filter((route) => !route.static)
  return mapper.table().map((row, index) => {
    const route = routes[index]
    const view = route && route.redirect === undefined ? new RouteView(route) : undefined
    return { row, view, entry: entries.get(view?.controller ?? '') }
  })
}

/** A route, and whether its action has moved; null if its path says the controller. */
export interface MovedRoute extends TableRow {
  readonly moved: 'yes' | 'no controller' | 'no action' | null
}

/** Returns all routes in order, without static ones. */
export function movedRoutes(project: Project): MovedRoute[] {
  return wiredRows(project).map(({ row, view, entry }): MovedRoute => {
    if (view === undefined) return { ...row, moved: 'yes' }
    if (view.controller === undefined) return { ...row, moved: null }
    if (entry === undefined) return { ...row, moved: 'no controller' }
    const isWhole = entry.kind !== 'class' || entry.isService || view.method === undefined
    return { ...row, moved: isWhole || entry.methods.get(view.method)?.isAction === true ? 'yes' : 'no action' }
  })
}

/** Returns all routes in order, without static ones. */
export function guardedRoutes(project: Project): GuardedRoute[] {
  return wiredRows(project).map(({ row, view, entry }) => {
    const one = entry?.kind === 'class' ? entry : undefined
    const method = one?.methods.get(view?.method ?? '')
    const guards = one === undefined ? [] : guardsOf(project, one, method)
    const isUnsafe = row.methods === null || UNSAFE_METHODS.some((unsafe) => row.methods?.includes(unsafe))
    const isKnown = one?.isService === true || method !== undefined
    return {
      ...row,
      hooks: ['__before__', '__after__'].filter((name) => one?.methods.has(name)),
      decorators: method?.decorations.map(({ text }) => text) ?? [],
      guards,
      unguarded: isKnown && isUnsafe && guards.length === 0,
    }
  })
}

/** Returns the actions that requests reach, by controller. */
export function guardedActions(project: Project): GuardedAction[] {
  return project.classes
    .flatMap((one): GuardedAction[] => {
      const { name } = one
      if (one.isService) {
        return [{ label: name, guards: guardsOf(project, one, undefined), access: accessToService(project, one) }]
      }
      return [...one.methods.values()]
        .filter(({ isAction }) => isAction)
        .map((method) => {
          const guards = guardsOf(project, one, method)
          return { label: `${name}.${method.name}`, guards, access: accessTo(project, one, method.name) }
        })
    })
    .filter(({ access }) => access.length > 0)
}

function guardsOf(project: Project, one: CheckedClass, method: Method | undefined): string[] {
  const guards = method?.decorations.filter(({ decorator }) => REFUSING.has(decorator)) ?? []
  return [...(canRefuse(project, one, '__before__') ? ['__before__'] : []), ...guards.map(({ text }) => text)]
}

/**
 * Returns the unsafe methods with which requests reach an action; null if they reach it with any method, and no route
 * names an unsafe one.
 */
export function unsafeMethodsOf({ access }: GuardedAction): readonly string[] | null {
  const methods = UNSAFE_METHODS.filter((unsafe) => access.some((way) => way.methods?.includes(unsafe)))
  return methods.length === 0 && access.some((way) => way.methods === null) ? null : methods
}

/** A way by which requests reach an action. */
interface Access {
  /**
   * A route of a controller, a face of a service, or a declaration for MCP. A tool of a service belongs to the face
   * `mcp`.
   */
  readonly by: 'route' | 'resource' | 'client' | NonNullable<(typeof FACES)[FaceName]['call']>
  /**
   * Null for any method. Empty for a tool or a resource of a controller and for clients, which run the action by one
   * of the routes.
   */
  readonly methods: readonly string[] | null
  readonly path: string
  /** Whether the path says the action, as in the default routes. */
  readonly isDefault: boolean
}

/** Returns the ways to an action of a controller, in the order of the routes. */
function accessTo(project: Project, one: CheckedClass, action: string): Access[] {
  const routes = project
    .routesTo(one.name)
    .filter((route) => route.runs(action))
    .map((route): Access => {
      return { by: 'route', methods: methodsOf(project, one.name, action, route), ...pathOf(route) }
    })
  return [...routes, ...exposedBy(project, one, action)]
}

/** Returns the declarations of the class that name the action, if the application serves them. */
function exposedBy(project: Project, one: CheckedClass, action: string): Access[] {
  const { mcpPath, openapiPath } = project.app
  const isNamed = project.routesTo(one.name).some((route) => route.controller !== undefined && route.action === action)
  const exposing: readonly [record: string, by: Access['by'], path: string | undefined][] = [
    ['tools', 'tool', mcpPath],
    ['resources', 'resource', mcpPath],
    // Clients have the actions of the document, which leaves out the default routes.
    ['results', 'client', isNamed ? openapiPath : undefined],
  ]
  return exposing.flatMap(([record, by, path]): Access[] => {
    return declaredMethods(one.controllerClass, record).includes(action) && path !== undefined
      ? [{ by, methods: [], path, isDefault: false }]
      : []
  })
}

/** Returns the ways to the methods of a service. */
function accessToService(project: Project, one: CheckedClass): Access[] {
  const faces = one.faces.flatMap((face) => (isFaceName(face) ? (FACES[face].call ?? []) : []))
  return project
    .routesTo(one.name)
    .filter(({ route }) => route.methods?.includes('POST') ?? true)
    .flatMap((route) => faces.map((by): Access => ({ by, methods: ['POST'], ...pathOf(route) })))
}

function pathOf({ route: { path }, action }: RouteView): { path: string; isDefault: boolean } {
  return { path, isDefault: action === undefined }
}
