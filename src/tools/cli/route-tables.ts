/**
 * The tables of `propylon routes`: what the actions of routes take and give, and what can refuse a request for them.
 *
 * @module
 */
import { UNSAFE_METHODS } from '../../base/methods.ts'
import { schemaName } from '../../http/converters/converter.ts'
import { isSchema } from '../../http/converters/schema.ts'
import type { TableRow } from '../../routing/diagnose.ts'
import { FACES, type FaceName, isFaceName } from '../../rpc/faces/select.ts'
import {
  bodyOf,
  type CheckedClass,
  converterOf,
  declaredNames,
  type Entry,
  type Method,
  methodsOf,
  type Project,
} from '../check/project.ts'
import { RouteView } from '../check/route-view.ts'
import { canRefuse } from './refusals.ts'

/** A row of `mapper.table()` and what its route leads to. */
interface WiredRow {
  readonly row: TableRow
  /** Undefined for a redirect. */
  readonly view: RouteView | undefined
  /** The controller. Undefined if there is none of that name, or if the path says it. */
  readonly entry: Entry | undefined
}

/** Returns the rows of all routes in order, without static ones. */
export function rowsOf({ mapper, entries }: Project): WiredRow[] {
  const routes = mapper.routes.filter((route) => !route.static)
  return mapper.table().map((row, index) => {
    const route = routes[index]
    const view = route && route.redirect === undefined ? new RouteView(route) : undefined
    return { row, view, entry: view?.controller === undefined ? undefined : entries.get(view.controller) }
  })
}

/** A route with the declarations of its action; null for those that it lacks, or if the path says the action. */
export interface DeclaredRoute extends TableRow {
  /** Argument and schema: `book: NewBook`. */
  readonly body: string | null
  /** The schema, or `none` if the action gives no value. */
  readonly result: string | null
  /** The template. */
  readonly page: string | null
}

/** Returns all routes in order, without static ones. */
export function declaredRoutes(project: Project): DeclaredRoute[] {
  return rowsOf(project).map(({ row, view, entry }) => {
    const method = entry?.kind === 'class' && !entry.isService ? entry.methods.get(view?.method ?? '') : undefined
    if (entry?.kind !== 'class' || method === undefined) return { ...row, body: null, result: null, page: null }
    const { schema, page } = method.result
    const body = bodyOf(method)
    const written = body && textOf(project, entry, 'args', method.name, body.name)
    const bodySchema = /^body\(\s*([\w$.]+)/.exec(written ?? '')?.[1]
    return {
      ...row,
      body: body === undefined ? null : [body.name, ...(bodySchema === undefined ? [] : [bodySchema])].join(': '),
      result: schema === undefined ? null : schema === null ? 'none' : textOf(project, entry, 'results', method.name),
      page: page ?? null,
    }
  })
}

/** Maximum length of a schema in a column. */
const MAX_TEXT = 30

/** Returns the text of a schema as it is written, or the name of its kind. */
function textOf({ sources }: Project, { controllerClass }: CheckedClass, property: string, ...path: string[]): string {
  const entry: unknown = path.reduce<unknown>(
    (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
    Reflect.get(controllerClass, property),
  )
  const text = sources.valueText(controllerClass, property, ...path) ?? (isSchema(entry) ? schemaName(entry) : '')
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text
}

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
  /** The arguments of the action with their converters; empty if the path says the action. */
  readonly arguments: readonly { readonly name: string; readonly converter: string | null }[]
  readonly hooks: readonly string[]
  readonly decorators: readonly string[]
  /** The hooks and decorators that can refuse a request. */
  readonly guards: readonly string[]
  /** Whether POST, PUT, PATCH or DELETE reach the action without a guard. False if the path says the action. */
  readonly unguarded: boolean
  /** The actions that the route reaches: several if the path says the controller or the action. */
  readonly reaches: readonly Reached[]
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

/** Returns all routes in order, without static ones. */
export function guardedRoutes(project: Project): GuardedRoute[] {
  return rowsOf(project).map(({ row, view, entry }) => {
    const one = entry?.kind === 'class' ? entry : undefined
    const method = view?.method === undefined ? undefined : one?.methods.get(view.method)
    const guards = one === undefined ? [] : guardsOf(project, one, method)
    const isUnsafe = row.methods === null || UNSAFE_METHODS.some((unsafe) => row.methods?.includes(unsafe))
    const isKnown = one?.isService === true || method !== undefined
    return {
      ...row,
      arguments: !one || !method || one.isService ? [] : argumentsOf(project, one, method),
      hooks: ['__before__', '__after__'].filter((name) => one?.methods.has(name)),
      decorators: method?.decorations.map(({ text }) => text) ?? [],
      guards,
      unguarded: isKnown && isUnsafe && guards.length === 0,
      reaches: view === undefined ? [] : reachedBy(project, view),
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
        .map((method) => ({
          label: `${name}.${method.name}`,
          guards: guardsOf(project, one, method),
          access: accessTo(project, one, method.name),
        }))
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

function argumentsOf(project: Project, one: CheckedClass, method: Method) {
  return method.parameters.map((parameter) => ({
    name: parameter,
    converter:
      converterOf(method, parameter) === undefined ? null : textOf(project, one, 'args', method.name, parameter),
  }))
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
  return [...routesOf(project, one, action), ...exposedBy(project, one, action)]
}

function routesOf(project: Project, one: CheckedClass, action: string): Access[] {
  return project
    .routesTo(one.name)
    .filter((route) => route.runs(action))
    .map((route) => ({ by: 'route', methods: methodsOf(project, one.name, action, route), ...pathOf(route) }))
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
    return declaredNames(one, record).includes(action) && path !== undefined
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

/** An action that a route reaches, and the methods; null for any. A service has one entry for all its methods. */
interface Reached {
  readonly action: string
  readonly methods: readonly string[] | null
}

/** Returns the actions that a route reaches. */
function reachedBy(project: Project, view: RouteView): Reached[] {
  return project.classes
    .filter(({ name }) => view.leadsTo(name))
    .flatMap((one): Reached[] => {
      if (one.isService) return [{ action: one.name, methods: view.route.methods }]
      return [...one.methods.values()]
        .filter(({ isAction, name }) => isAction && view.runs(name))
        .map(({ name }) => ({
          action: `${one.name}.${name}`,
          methods: methodsOf(project, one.name, name, view),
        }))
    })
}

function pathOf({ route: { path }, action }: RouteView): { path: string; isDefault: boolean } {
  return { path, isDefault: action === undefined }
}
