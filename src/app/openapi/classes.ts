import type { Mapper } from '../../routing/mapper.ts'
import type { ControllerConstructor } from '../loaded-controller.ts'

/** The classes of controllers by name. */
export type Classes = ReadonlyMap<string, ControllerConstructor>

/** A value made of classes and routes. It is made again if a class was loaded again or a route was added. */
export class MadeOfClasses<Value> {
  #made: { readonly classes: Classes; readonly routes: number; readonly value: Value } | undefined

  of(classes: Classes, mapper: Mapper<unknown>, make: () => Value): Value {
    const routes = mapper.routes.length
    const known = this.#made
    if (known?.routes === routes && sameClasses(known.classes, classes)) return known.value
    const value = make()
    this.#made = { classes, routes, value }
    return value
  }
}

function sameClasses(known: Classes, classes: Classes): boolean {
  if (known.size !== classes.size) return false
  return [...classes].every(([name, controllerClass]) => known.get(name) === controllerClass)
}
