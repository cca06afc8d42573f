/** Applies decorators without decorator syntax. */
import { similar } from '../../base/suggest.ts'
import { definerOf, isMethod, type Method } from '../class-methods.ts'
import { inheritParameters, takesParametersOf } from '../parameters.ts'
import { decorationsOf, recordDecoration } from './decorations.ts'

/**
 * The context of a method decorator: the subset of the standard context that `decorate()` provides.
 *
 * @typeParam T - the type of the instances of the class.
 */
export interface MethodContext<T = unknown> {
  readonly kind: 'method'
  readonly name: string | symbol
  readonly static: boolean
  readonly private: boolean
  readonly access: { has(object: object): boolean; get(object: object): unknown }
  addInitializer(initializer: (this: T) => void): void
  readonly metadata: Record<PropertyKey, unknown>
}

/** A standard method decorator (TC39, "Decorators") for a method of type `M` of a class with instances of type `T`. */
// biome-ignore lint/suspicious/noConfusingVoidType: decorators that return nothing are functions of type void
export type DecoratorFor<M, T = unknown> = (method: M, context: MethodContext<T>) => M | undefined | void

/** Decorators by method name. */
export type Decorations<T> = { readonly [K in keyof T]?: readonly DecoratorFor<T[K], T>[] }

/**
 * Applies method decorators, like the syntax `@first @second` before a method: the last one of a list is applied
 * first. Call it in a static block of the class. An inherited method is decorated for this class only. A decorator
 * may return a function that takes all arguments, `(...args)`: it receives the arguments of the method.
 *
 * @param controllerClass - the class.
 * @param decorations - decorators by method name. Each must accept the type of its method.
 * @throws TypeError - the class has no such method, or a decorator returns a value that is not a function.
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
      throw new TypeError(
        `The decorators of ${controllerClass.name}.${name} are not an array of functions. Write { ${name}: [decorator] }.`,
      )
    decorateMethod(controllerClass, name, decorators)
  }
}

type AnyDecorator = (method: Method, context: MethodContext) => unknown

function decorateMethod(
  { prototype, name: className }: { readonly prototype: object; readonly name: string },
  name: string,
  decorators: readonly AnyDecorator[],
): void {
  let method = methodOf(prototype, name)
  if (method === undefined) throw new TypeError(`${className} has no method ${name}. ${correction(prototype, name)}`)
  // A decorator may set attributes, which must not appear on the inherited method.
  if (!Object.hasOwn(prototype, name)) method = forwarding(method)
  const context = contextOf(name)
  for (const decorator of decorators.toReversed()) {
    const made = decorator(method, context)
    if (made === undefined) continue
    if (!isMethod(made))
      throw new TypeError(
        `A decorator of ${className}.${name} returned ${typeof made}. It must return a function or undefined.`,
      )
    inheritParameters(made, method)
    if (made !== method && decorationsOf(made).length <= decorationsOf(method).length)
      recordDecoration(made, method, { text: decorator.name || 'a decorator' })
    method = made
  }
  Object.defineProperty(prototype, name, {
    value: method,
    writable: true,
    configurable: true,
    enumerable: false,
  })
}

function correction(prototype: object, name: string): string {
  const meant = similar(name, Object.getOwnPropertyNames(prototype))
  const advice = 'efine it, or correct the name in decorate().'
  return meant === undefined ? `D${advice}` : `Did you mean "${meant}"? Otherwise d${advice}`
}

function methodOf(prototype: object, name: string): Method | undefined {
  const value: unknown = Object.getOwnPropertyDescriptor(definerOf(prototype, name) ?? {}, name)?.value
  return isMethod(value) ? value : undefined
}

function forwarding(inherited: Method): Method {
  const method: Method = function (...args) {
    return inherited.apply(this, args)
  }
  takesParametersOf(method, inherited)
  for (const decoration of decorationsOf(inherited).toReversed()) recordDecoration(method, method, decoration)
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
      throw new TypeError(
        `A decorator of ${name} calls addInitializer(), which decorate() does not support. Use decorator syntax.`,
      )
    },
    metadata: Object.create(null),
  }
}

function isList(value: unknown): value is readonly AnyDecorator[] {
  return Array.isArray(value) && value.every((decorator) => typeof decorator === 'function')
}
