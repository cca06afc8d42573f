/**
 * Which methods of a class a URL may name.
 *
 * An action is a method written in the application's own classes, below the framework's. What a base class of the
 * framework or `Object.prototype` defines is never one, not even where an application overrides it.
 */

/** A class of controllers. */
export type ControllerClass = abstract new () => object

const frameworkClasses = new WeakSet<object>()

/** Marks a class as the framework's own: neither it nor what it inherits from has actions. */
export function defineFrameworkClass(frameworkClass: ControllerClass): void {
  frameworkClasses.add(frameworkClass)
}

/**
 * The actions of a class by name, its own before inherited ones. The map is made from property descriptors, so that
 * no getter runs, and looking a name up in it never reaches a prototype.
 */
export function actionsOf(controllerClass: ControllerClass): ReadonlyMap<string, unknown> {
  const { methods, base } = readMethods(controllerClass)
  for (const name of methods.keys()) {
    if (isPrivate(name) || (base !== null && name in base)) methods.delete(name)
  }
  return methods
}

/**
 * All methods of the application's own classes by name, those that no URL may name among them: what the application's
 * code may call by name.
 */
export function methodsOf(controllerClass: ControllerClass): ReadonlyMap<string, unknown> {
  return readMethods(controllerClass).methods
}

/** The methods of the application's own classes, and the framework's prototype below which they stand. */
function readMethods(controllerClass: ControllerClass): {
  methods: Map<string, unknown>
  base: object | null
} {
  const methods = new Map<string, unknown>()
  const hidden = new Set<string>()
  let prototype: object | null = controllerClass.prototype
  while (prototype !== null && !isFrameworks(prototype)) {
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (methods.has(name) || hidden.has(name)) continue
      if (typeof descriptor.value === 'function' && !isClass(descriptor.value))
        methods.set(name, descriptor.value)
      else hidden.add(name)
    }
    prototype = Object.getPrototypeOf(prototype)
  }
  methods.delete('constructor')
  return { methods, base: prototype }
}

/** A leading underscore or dash makes a name unreachable. */
export function isPrivate(name: string): boolean {
  return name.startsWith('_') || name.startsWith('-')
}

function isFrameworks(prototype: object): boolean {
  return prototype === Object.prototype || frameworkClasses.has(prototype.constructor)
}

function isClass(value: object): boolean {
  return /^class\b/.test(Function.prototype.toString.call(value))
}
