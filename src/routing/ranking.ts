/**
 * Which route is meant when only controller, action and values are given.
 *
 * @module
 */

import type { Route } from './route.ts'
import { own, type Values } from './url-values.ts'

/** Whether a route's fixed values are among the given ones, and its path's are all there. */
export function agrees(route: Route, values: Values): boolean {
  for (const { name, suffix } of route.pattern.parameters) {
    if (suffix || (route.defaults[name] ?? undefined) !== undefined) continue
    if ((own(values, name) ?? undefined) === undefined) return false
  }
  return route.defaultEntries.every(([name, fixed]) => {
    const given = own(values, name)
    if (route.parameter(name)) return true
    if (given === undefined || given === null) return name !== 'controller' && name !== 'action'
    return String(given) === fixed
  })
}

/** The routes that agree with the values: those whose names are exactly the given ones first, then the nearest, then the shortest. */
export function rank(routes: readonly Route[], values: Values): Route[] {
  const given = new Set(Object.keys(values).filter((name) => (own(values, name) ?? undefined) !== undefined))
  return routes
    .filter((route) => agrees(route, values))
    .map((route) => {
      const names = new Set(
        route.pattern.parameters.map(({ name }) => name).concat(Object.keys(route.defaults)),
      )
      return { route, distance: difference(names, given), size: names.size }
    })
    .sort((a, b) => a.distance - b.distance || a.size - b.size)
    .map(({ route }) => route)
}

/** How many names are in one set only. */
function difference(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = [...one].filter((name) => other.has(name)).length
  return one.size + other.size - 2 * common
}
