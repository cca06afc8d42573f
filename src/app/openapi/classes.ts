import type { ControllerConstructor } from '../loaded-controller.ts'

/** The classes of controllers by name. */
export type Classes = ReadonlyMap<string, ControllerConstructor>

/** Returns true if no class was loaded again since. */
export function sameClasses(known: Classes, classes: Classes): boolean {
  if (known.size !== classes.size) return false
  return [...classes].every(([name, controllerClass]) => known.get(name) === controllerClass)
}
