import { getOrCreate } from '../base/get-or-create.ts'
import { UNSAFE_METHODS } from '../base/methods.ts'
import { accepts } from './pattern.ts'
import type { Route } from './route.ts'

/** Methods of actions, by the name of the controller and the name of the action. */
export type ActionMethods = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>

/** Returns the methods of the actions that resources define. */
export function resourceActionsOf(routes: readonly Route[]): ActionMethods {
  return methodsBy(
    routes.flatMap(({ resource, methods }) => (resource && methods ? [{ ...resource, methods }] : [])),
  )
}

/**
 * Returns the methods of the actions of a controller that may run with these only: routes that name them have a
 * condition on the method, and all methods change something. A route with `{controller}` in its path names the action
 * of each controller.
 */
export function unsafeActionsOf(
  routes: readonly Route[],
  controller: string,
): ReadonlyMap<string, readonly string[]> | undefined {
  const named = routes.flatMap((route) => {
    const { action, methods } = route
    return action !== undefined && methods !== null && leadsTo(route, controller)
      ? [{ controller, action, methods }]
      : []
  })
  const only = [...(methodsBy(named).get(controller) ?? [])].filter(([, methods]) =>
    methods.every((method) => UNSAFE_METHODS.includes(method)),
  )
  return only.length > 0 ? new Map(only) : undefined
}

function leadsTo(route: Route, controller: string): boolean {
  const parameter = route.parameter('controller')
  return parameter === undefined ? route.controller === controller : accepts(parameter, controller)
}

/** Methods that a route gives an action. */
interface Given {
  readonly controller: string
  readonly action: string
  readonly methods: readonly string[]
}

/** Joins the methods of each action. Dashes in the names of actions are underscores. */
function methodsBy(all: readonly Given[]): Map<string, Map<string, readonly string[]>> {
  const byController = new Map<string, Map<string, readonly string[]>>()
  for (const { controller, action: name, methods } of all) {
    const action = name.replaceAll('-', '_')
    const actions = getOrCreate(byController, controller, () => new Map<string, readonly string[]>())
    actions.set(action, [...new Set([...(actions.get(action) ?? []), ...methods])].sort())
  }
  return byController
}
