import type { ControllerClass } from './metadata.ts'

/** Returns the entry for a method in a static record of a class, or of the nearest class it extends that has one. */
export function inheritedStatic(controllerClass: ControllerClass, record: string, method: string): unknown {
  let owner: object | null = controllerClass
  while (typeof owner === 'function') {
    const entries: unknown = Object.hasOwn(owner, record) ? Reflect.get(owner, record) : undefined
    if (typeof entries === 'object' && entries !== null && Object.hasOwn(entries, method)) {
      return Reflect.get(entries, method)
    }
    owner = Object.getPrototypeOf(owner)
  }
  return undefined
}
