/**
 * Static properties of controller classes.
 *
 * The base class does not declare those that applications set, so that they need no `override`.
 */
import type { ControllerClass } from './controller-class.ts'

/** An entry of a static record. */
export interface StaticEntry {
  /** The class that has the record. */
  readonly owner: object
  readonly value: unknown
}

/** Returns the entry for a method in a static record of a class, or of the nearest class it extends that has one. */
export function inheritedEntry(
  controllerClass: ControllerClass,
  record: string,
  method: string,
): StaticEntry | undefined {
  let owner: object | null = controllerClass
  while (typeof owner === 'function') {
    const entries: unknown = Object.hasOwn(owner, record) ? Reflect.get(owner, record) : undefined
    if (typeof entries === 'object' && entries !== null && Object.hasOwn(entries, method)) {
      return { owner, value: Reflect.get(entries, method) }
    }
    owner = Object.getPrototypeOf(owner)
  }
  return undefined
}

/** Returns the names of the methods in a static record of a class and of the classes it extends. */
export function declaredMethods(controllerClass: ControllerClass, record: string): string[] {
  const methods = new Set<string>()
  let owner: object | null = controllerClass
  while (typeof owner === 'function') {
    const entries: unknown = Object.hasOwn(owner, record) ? Reflect.get(owner, record) : undefined
    if (typeof entries === 'object' && entries !== null) {
      for (const method of Object.keys(entries)) methods.add(method)
    }
    owner = Object.getPrototypeOf(owner)
  }
  return [...methods]
}

/** Returns the value of {@link inheritedEntry}. */
export function inheritedStatic(controllerClass: ControllerClass, record: string, method: string): unknown {
  return inheritedEntry(controllerClass, record, method)?.value
}

/** Key of a static property of the framework's classes: the methods that they answer unless `static allow` lists others. */
export const DEFAULT_ALLOW: unique symbol = Symbol('propylon.allow')

/** Key of an attribute of actions that answer OPTIONS themselves, because they do not accept all methods. */
export const ANSWERS_OPTIONS: unique symbol = Symbol('propylon.answersOptions')

/** The methods that a controller class answers. */
export interface AnsweringClass {
  /** HTTP methods that the controller answers, including OPTIONS; others are 405. Default: all. */
  readonly allow?: readonly string[]
  readonly [DEFAULT_ALLOW]?: readonly string[]
}

/** Returns the methods that a service answers. */
export function allowedMethods(
  service: AnsweringClass & { readonly [DEFAULT_ALLOW]: readonly string[] },
): readonly string[] {
  return service.allow ?? service[DEFAULT_ALLOW]
}
