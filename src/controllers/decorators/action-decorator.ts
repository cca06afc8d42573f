/**
 * Types and helpers of all action decorators.
 *
 * @module
 */

import { isPromise } from '../../base/promise.ts'
import { takesParametersOf } from '../parameters.ts'
import { WSGIController } from '../wsgi-controller.ts'
import type { MethodContext } from './decorate.ts'
import { type Decoration, recordDecoration } from './decorations.ts'

/** A method of a controller, with any parameters. */
export type Action<Result = unknown> = (...args: never[]) => Result

/** The context that decorator syntax or `decorate()` passes to an action decorator. */
export type ActionContext = Pick<MethodContext, 'kind' | 'name' | 'static' | 'private'>

/** The context of a method of a class that has the methods `Names`. Any class if they are not known. */
export type ContextWithMethods<Names extends string> = ActionContext &
  (string extends Names
    ? unknown
    : [Names] extends [never]
      ? unknown
      : // The property of the standard context whose type contains the class.
        {
          readonly addInitializer: (initializer: (this: { readonly [Name in Names]: Action }) => void) => void
        })

/**
 * A decorator for any action assignable to `A`: a standard method decorator, for decorator syntax and `decorate()`.
 *
 * @typeParam Names - names of methods that the class must have.
 */
export type ActionDecorator<A extends Action = Action, Names extends string = never> = <M extends A>(
  method: M,
  context: ContextWithMethods<Names>,
) => M

/** Runs before an action, and runs the action by calling `proceed(controller, args)`. */
export type Guard = (
  controller: WSGIController,
  args: readonly unknown[],
  proceed: (controller: WSGIController, args: readonly unknown[]) => unknown,
) => unknown

/**
 * Creates an action decorator. The wrapper has the parameters, the name and the attributes of the action.
 *
 * @param decorator - the name of the decorator, for error messages.
 * @param guardFor - creates the guard of an action. Called once for each decorated action.
 * @param written - how the decorator is written, and the methods that it names.
 */
export function makeDecorator<A extends Action, Names extends string = never>(
  decorator: string,
  guardFor: (action: string) => Guard,
  written: Omit<Decoration, 'decorator'> = { text: decorator },
): ActionDecorator<A, Names> {
  return <M extends A>(method: M, context: ContextWithMethods<Names>): M => {
    const action = String(context.name)
    if (context.kind !== 'method' || context.static) {
      throw new TypeError(
        `${decorator} cannot decorate ${action}. Decorate a method of a controller that is not static.`,
      )
    }
    const guard = guardFor(action)
    const proceed = (controller: WSGIController, args: readonly unknown[]): unknown =>
      Reflect.apply(method, controller, args)
    const wrapper = function (this: unknown, ...args: unknown[]): unknown {
      if (!(this instanceof WSGIController)) {
        throw new TypeError(
          `${action}() was not called on a controller, which ${decorator} requires. Call it as controller.${action}().`,
        )
      }
      return guard(this, args, proceed)
    }
    takesParametersOf(wrapper, method)
    recordDecoration(wrapper, method, { decorator, ...written })
    Object.defineProperty(wrapper, 'name', { value: method.name, configurable: true })
    // The wrapper passes its arguments to the method, so it has the type of the method.
    return Object.assign(wrapper, method) as Action as M
  }
}

/** Passes a value to `next`: synchronously, unless it is a promise. */
export function andThen<T>(value: T | Promise<T>, next: (value: T) => unknown): unknown {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value)
}
