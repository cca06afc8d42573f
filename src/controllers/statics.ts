/**
 * Static properties of controller classes.
 *
 * The base class does not declare those that applications set, so that they need no `override`.
 */
import { isRecord } from '../base/record.ts'
import type { ControllerClass } from './class-methods.ts'

/** An entry of a static record. */
export interface StaticEntry {
  /** The class that has the record. */
  readonly owner: ControllerClass
  readonly value: unknown
}

/** Yields a class and those that it extends, before `end`. */
export function* classesOf(controllerClass: ControllerClass, end?: unknown): Generator<ControllerClass> {
  let owner: unknown = controllerClass
  while (isClass(owner) && owner !== end) {
    yield owner
    owner = Object.getPrototypeOf(owner)
  }
}

function isClass(value: unknown): value is ControllerClass {
  return typeof value === 'function' && value !== Function.prototype
}

/** Returns a static property that a class has itself. */
export function ownStatic(owner: ControllerClass, property: string): unknown {
  return Object.hasOwn(owner, property) ? Reflect.get(owner, property) : undefined
}

/** Returns the entry for a method in a static record of a class, or of the nearest class it extends that has one. */
export function inheritedEntry(
  controllerClass: ControllerClass,
  record: string,
  method: string,
): StaticEntry | undefined {
  for (const owner of classesOf(controllerClass)) {
    const entries = ownStatic(owner, record)
    if (isRecord(entries) && Object.hasOwn(entries, method)) return { owner, value: entries[method] }
  }
  return undefined
}

/** Returns the names of the methods in a static list, or in a static record of a class and of those that it extends. */
export function declaredMethods(controllerClass: ControllerClass, property: string): string[] {
  const value: unknown = Reflect.get(controllerClass, property)
  if (Array.isArray(value)) return value.filter((name) => typeof name === 'string')
  const records = [...classesOf(controllerClass)].map((owner) => ownStatic(owner, property)).filter(isRecord)
  return [...new Set(records.flatMap(Object.keys))]
}

/** Returns the value of {@link inheritedEntry}. */
export function inheritedStatic(controllerClass: ControllerClass, record: string, method: string): unknown {
  return inheritedEntry(controllerClass, record, method)?.value
}

/**
 * Returns the rule for an action in a static property of a class, or of the nearest class it extends that has one. A
 * record has a rule for each action, or for `'*'`, which means all others; any other value counts for all actions.
 */
export function staticRule(controllerClass: ControllerClass, property: string, action: string): unknown {
  for (const owner of classesOf(controllerClass)) {
    const value = ownStatic(owner, property)
    const rule = isRecord(value) ? ruleIn(value, action) : value
    if (rule !== undefined) return rule
  }
  return undefined
}

function ruleIn(record: Readonly<Record<string, unknown>>, action: string): unknown {
  return Object.hasOwn(record, action) ? record[action] : Object.hasOwn(record, '*') ? record['*'] : undefined
}

/** Returns true for a rule of `static security`: names of security schemes with their scopes. */
export function isSecurity(value: unknown): value is SecurityRequirements {
  const areScopes = (scopes: unknown) => Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string')
  const isRequirement = (one: unknown) => isRecord(one) && Object.values(one).every(areScopes)
  return Array.isArray(value) && value.every(isRequirement)
}

/** Names of security schemes with their scopes: one of the records must be satisfied (OpenAPI 3.1 §4.8.30). */
export type SecurityRequirements = readonly Readonly<Record<string, readonly string[]>>[]

/**
 * Key of a static property of the framework's classes: the methods that they answer unless `static allow` lists
 * others.
 */
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
