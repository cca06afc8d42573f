/**
 * All routes of a mapper, and the indexes by which generation finds one.
 *
 * @module
 */

import type { Route } from './route.ts'

/** The routes in the order of definition. */
export class RouteCatalogue {
  readonly routes: Route[] = []
  readonly #byName = new Map<string, Route>()
  readonly #byController = new Map<string, Route[]>()
  readonly #anyController: Route[] = []

  add(route: Route): void {
    this.routes.push(route)
    if (route.name !== null) this.#byName.set(route.name, route)
    if (route.static || route.redirect) return
    const { controller } = route
    if (controller !== undefined) {
      const siblings = this.#byController.get(controller)
      if (siblings) siblings.push(route)
      else this.#byController.set(controller, [route])
    } else if (route.parameter('controller')) this.#anyController.push(route)
  }

  /** The route of this name; the one defined last where several have it. */
  named(name: string): Route | undefined {
    return this.#byName.get(name)
  }

  get names(): Iterable<string> {
    return this.#byName.keys()
  }

  /** The routes that may lead to a controller: its own first, then those that take any. */
  leadingTo(controller: string): readonly Route[] {
    return [...(this.#byController.get(controller) ?? []), ...this.#anyController]
  }
}
