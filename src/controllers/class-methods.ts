/**
 * The methods of controller classes.
 *
 * An action is a method written in the application's own classes, below the framework's. Members of the framework's
 * base classes and of `Object.prototype` are never actions, not even where an application overrides them.
 */

/** Methods of a controller class. */
export interface ControllerMethods {
  /** Public methods, by name. Lookup in this map never reaches a prototype. */
  readonly actions: ReadonlyMap<string, unknown>
  /** All methods of the application's own classes, private ones included. */
  readonly methods: ReadonlyMap<string, unknown>
  /** Prototype of the framework's class that the application's classes extend. */
  readonly base: object | null
}

const frameworkClasses = new WeakSet<object>()

/** Marks a class as the framework's own: neither it nor what it inherits from has actions. */
export function defineFrameworkClass(frameworkClass: ControllerClass): void {
  frameworkClasses.add(frameworkClass)
}

/** Reads the methods of a class from its property descriptors, so that no getter runs. Its own hide inherited ones. */
export function inspectMethods(controllerClass: ControllerClass): ControllerMethods {
  const methods = new Map<string, unknown>()
  const hidden = new Set<string>(['constructor'])
  let prototype: object | null = controllerClass.prototype
  while (prototype !== null && !isFrameworks(prototype)) {
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (methods.has(name) || hidden.has(name)) continue
      if (typeof descriptor.value === 'function' && !isClass(descriptor.value)) methods.set(name, descriptor.value)
      else hidden.add(name)
    }
    prototype = Object.getPrototypeOf(prototype)
  }
  const base = prototype
  const isAction = (name: string): boolean => !isPrivate(name) && !isReserved(base, name)
  return { actions: new Map([...methods].filter(([name]) => isAction(name))), methods, base }
}

/** Returns true for a member of a base class, whose name no action can have. */
export function isReserved(base: object | null, name: string): boolean {
  return !isPrivate(name) && base !== null && name in base
}

/**
 * Returns the accessors of a base class, such as `session`. Methods of an application must not replace the
 * framework's.
 */
export function accessorsOf(base: object | null): string[] {
  if (base === null || base === Object.prototype) return []
  const own = Object.entries(Object.getOwnPropertyDescriptors(base)).filter(([, { get }]) => get !== undefined)
  return [...own.map(([name]) => name), ...accessorsOf(Object.getPrototypeOf(base))]
}

/** A method, called with any values. */
export type Method = (this: unknown, ...args: unknown[]) => unknown

export function isMethod(value: unknown): value is Method {
  return typeof value === 'function'
}

/** Returns the prototype that has a method itself: the given one, or one that it inherits from. Null if none has it. */
export function definerOf(prototype: object, method: string): object | null {
  let definer: object | null = prototype
  while (definer !== null && !Object.hasOwn(definer, method)) definer = Object.getPrototypeOf(definer)
  return definer
}

/** Matches names that a leading underscore or dash keeps from URLs. */
export const PRIVATE = /^[_-]/

/** Returns true for a name that is kept from URLs. */
export function isPrivate(name: string): boolean {
  return PRIVATE.test(name)
}

function isFrameworks(prototype: object): boolean {
  return prototype === Object.prototype || frameworkClasses.has(prototype.constructor)
}

/** Returns true for a class, whose property `prototype` cannot be assigned, and false for any other function. */
export function isClass(value: object): boolean {
  return Object.getOwnPropertyDescriptor(value, 'prototype')?.writable === false
}

/** A class of controllers. */
export type ControllerClass = abstract new () => object
