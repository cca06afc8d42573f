/** Decorators without decorator syntax. */
import { takesParametersOf } from '../controllers/parameters.ts'

/** What a method decorator is told beside the method: the part of the standard's context that decorators here use. */
export interface MethodContext {
  readonly kind: 'method'
  readonly name: string | symbol
  readonly static: boolean
  readonly private: boolean
  readonly access: { has(object: object): boolean; get(object: object): unknown }
  addInitializer(initializer: (this: unknown) => void): void
  readonly metadata: Record<PropertyKey, unknown>
}

/** A standard method decorator (TC39, "Decorators") that fits the method `M`. */
// biome-ignore lint/suspicious/noConfusingVoidType: decorators that return nothing are functions of type void
export type DecoratorFor<M> = (method: M, context: MethodContext) => M | undefined | void

/** Decorators by the name of the method that they apply to. */
export type Decorations<T> = { readonly [K in keyof T]?: readonly DecoratorFor<T[K]>[] }

/**
 * Applies method decorators, as the syntax `@first @second` before a method does: the last one of a list first. Call
 * it in a static block of the class. A method that is inherited is decorated for this class alone.
 *
 * @param controllerClass the class.
 * @param decorations the decorators by the methods' names; the compiler holds each against its method's type.
 * @throws TypeError when the class has no such method, or a decorator returns something that is no function.
 *
 * @example
 * ```ts
 * import { XMLRPCController } from 'propylon'
 * import { decorate, signature } from 'propylon/decorators'
 *
 * export class MathController extends XMLRPCController {
 *   math_add(a: number, b: number) {
 *     return a + b
 *   }
 *
 *   static {
 *     decorate(this, { math_add: [signature('int', 'int', 'int')] })
 *   }
 * }
 * ```
 */
export function decorate<T extends object>(
  controllerClass: { readonly prototype: T; readonly name: string },
  decorations: Decorations<T>,
): void {
  for (const [name, decorators] of Object.entries(decorations)) {
    if (!isList(decorators))
      throw new TypeError(`${controllerClass.name}.${name}: decorators come in an array`)
    decorateMethod(controllerClass, name, decorators)
  }
}

type Method = (this: unknown, ...args: unknown[]) => unknown
type AnyDecorator = (method: Method, context: MethodContext) => unknown

function decorateMethod(
  { prototype, name: className }: { readonly prototype: object; readonly name: string },
  name: string,
  decorators: readonly AnyDecorator[],
): void {
  let method = methodOf(prototype, name)
  if (method === undefined) throw new TypeError(`${className} has no method ${name} to decorate`)
  // A decorator may set attributes, which must not show on the class that the method comes from.
  if (!Object.hasOwn(prototype, name)) method = forwarding(method)
  const context = contextOf(name)
  for (const decorator of decorators.toReversed()) {
    const made = decorator(method, context)
    if (made === undefined) continue
    if (!isMethod(made))
      throw new TypeError(`a decorator of ${className}.${name} returned something that is no function`)
    method = made
  }
  Object.defineProperty(prototype, name, {
    value: method,
    writable: true,
    configurable: true,
    enumerable: false,
  })
}

function methodOf(prototype: object, name: string): Method | undefined {
  let owner: object | null = prototype
  while (owner !== null && !Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner)
  const value: unknown = owner === null ? undefined : Object.getOwnPropertyDescriptor(owner, name)?.value
  return isMethod(value) ? value : undefined
}

function forwarding(inherited: Method): Method {
  const method: Method = function (...args) {
    return inherited.apply(this, args)
  }
  takesParametersOf(method, inherited)
  return method
}

function contextOf(name: string): MethodContext {
  return {
    kind: 'method',
    name,
    static: false,
    private: false,
    access: { has: (object) => name in object, get: (object) => Reflect.get(object, name) },
    addInitializer() {
      throw new TypeError(`decorate() runs no initializers: the decorator of ${name} needs decorator syntax`)
    },
    metadata: Object.create(null),
  }
}

function isList(value: unknown): value is readonly AnyDecorator[] {
  return Array.isArray(value) && value.every((decorator) => typeof decorator === 'function')
}

function isMethod(value: unknown): value is Method {
  return typeof value === 'function'
}
