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

/**
 * Returns the rule for an action in a static property of a class, or of the nearest class it extends that has one. A
 * record has a rule for each action, or for `'*'`, which means all others; any other value counts for all actions.
 */
export function staticRule(controllerClass: ControllerClass, property: string, action: string): unknown {
  let owner: object | null = controllerClass
  while (typeof owner === 'function') {
    const value: unknown = Object.hasOwn(owner, property) ? Reflect.get(owner, property) : undefined
    const rule = isRecord(value) ? ruleIn(value, action) : value
    if (rule !== undefined) return rule
    owner = Object.getPrototypeOf(owner)
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

/** Rules of static properties, of which a record may have one for each action. */
export const STATIC_RULES: Readonly<Record<string, { isRule(value: unknown): boolean; fix: string }>> = {
  security: {
    isRule: isSecurity,
    fix: "Write a list of security schemes with their scopes, [{ bearer: [] }], or a record of lists by action: { '*': [{ bearer: [] }], login: [] }.",
  },
  crossSite: {
    isRule: (value) => value === 'allow' || value === 'refuse',
    fix: "Write 'allow', 'refuse' or a record of them: { '*': 'allow' }.",
  },
}

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
