/**
 * The ways by which requests reach the actions of an application.
 *
 * @module
 */
import { FACES, type FaceName, isFaceName } from '../../rpc/faces/select.ts'
import type { ControllerModel } from './model.ts'
import { RouteView } from './route-view.ts'
import { actionsOf, bodiesOf, type Wiring } from './wiring.ts'

/** A way by which requests reach an action. */
export interface Access {
  /** A route of a controller, a face of a service, or a declaration for MCP. A tool of a service belongs to the face `mcp`. */
  readonly by: 'route' | 'resource' | 'client' | NonNullable<(typeof FACES)[FaceName]['call']>
  /** Null for any method. Empty for a tool or a resource of a controller and for clients, which run the action by one of the routes. */
  readonly methods: readonly string[] | null
  readonly path: string
  /** Whether the path says the action, as in the default routes. */
  readonly isDefault: boolean
}

/** Returns the ways to an action of a controller, in the order of the routes. */
export function accessTo(wiring: Wiring, model: ControllerModel, action: string): Access[] {
  return [...routesOf(wiring, model, action), ...exposedBy(wiring, model, action)]
}

/** A request that may run an action. */
export interface ActionRequest {
  readonly method: string
  readonly route: RouteView
  /** The route that receives the request instead, if there is one. */
  readonly takenBy: RouteView | undefined
}

/** Returns the requests that may run an action, in the order of the routes. A route without methods has one. */
export function requestsFor(wiring: Wiring, model: ControllerModel, action: string): ActionRequest[] {
  const usual = bodiesOf(model, action).length > 0 ? 'POST' : 'GET'
  return wiring
    .routesTo(model.name)
    .filter((route) => route.runs(action))
    .flatMap((view) => {
      const { route } = view
      return (methodsOf(wiring, model, action, view) ?? [usual]).map((method) => {
        const taking = wiring.mapper.takenBy(route, { method, controller: model.name, action })
        return { method, route: view, takenBy: taking && new RouteView(taking) }
      })
    })
}

function routesOf(wiring: Wiring, model: ControllerModel, action: string): Access[] {
  return wiring
    .routesTo(model.name)
    .filter((route) => route.runs(action))
    .map((route) => ({ by: 'route', methods: methodsOf(wiring, model, action, route), ...pathOf(route) }))
}

/** Returns the declarations of the class that name the action, if the application serves them. */
function exposedBy(wiring: Wiring, model: ControllerModel, action: string): Access[] {
  const { mcpPath, openapiPath } = wiring
  const isNamed = wiring
    .routesTo(model.name)
    .some((route) => route.controller !== undefined && route.action === action)
  const exposing: readonly [record: string, by: Access['by'], path: string | undefined][] = [
    ['tools', 'tool', mcpPath],
    ['resources', 'resource', mcpPath],
    // Clients have the actions of the document, which leaves out the default routes.
    ['results', 'client', isNamed ? openapiPath : undefined],
  ]
  return exposing.flatMap(([record, by, path]): Access[] => {
    const isDeclared = model.staticEntries.some((entry) => entry.record === record && entry.name === action)
    return isDeclared && path !== undefined ? [{ by, methods: [], path, isDefault: false }] : []
  })
}

/** Returns the ways to the methods of a service. */
export function accessToService(wiring: Wiring, model: ControllerModel): Access[] {
  const faces = model.faces.flatMap((face) => (isFaceName(face) ? (FACES[face].call ?? []) : []))
  return wiring
    .routesTo(model.name)
    .filter(({ route }) => route.methods?.includes('POST') ?? true)
    .flatMap((route) => faces.map((by): Access => ({ by, methods: ['POST'], ...pathOf(route) })))
}

/** An action that a route reaches, and the methods; null for any. A service has one entry for all its methods. */
export interface Reached {
  readonly action: string
  readonly methods: readonly string[] | null
}

/** Returns the actions that a route reaches. */
export function reachedBy(wiring: Wiring, route: RouteView): Reached[] {
  return wiring.models
    .filter(({ name }) => route.leadsTo(name))
    .flatMap((model): Reached[] => {
      if (model.isService) return [{ action: model.name, methods: route.route.methods }]
      return actionsOf(model)
        .filter((action) => route.runs(action))
        .map((action) => ({
          action: `${model.name}.${action}`,
          methods: methodsOf(wiring, model, action, route),
        }))
    })
}

/** Returns the actions that requests reach by no other route than one whose path says the action. */
export function onlyByDefault(wiring: Wiring): string[] {
  return wiring.models
    .filter(({ isService }) => !isService)
    .flatMap((model) =>
      wiring.reached(model).flatMap(({ method }) => {
        const ways = routesOf(wiring, model, method.name)
        return ways.length > 0 && ways.every(({ isDefault }) => isDefault)
          ? [`${model.name}.${method.name}`]
          : []
      }),
    )
}

function pathOf({ route: { path }, action }: RouteView): { path: string; isDefault: boolean } {
  return { path, isDefault: action === undefined }
}

/** Returns the methods with which a route runs an action. Routes that name the action may restrict the others. */
function methodsOf(
  { mapper }: Wiring,
  model: ControllerModel,
  action: string,
  { route }: RouteView,
): readonly string[] | null {
  if (route.methods !== null) return route.methods
  return mapper.unsafeActions(model.name)?.get(action) ?? null
}
