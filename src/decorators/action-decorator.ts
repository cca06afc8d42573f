/** What all decorators of actions share: their type, the wrapper, and calling another method of the controller. */

import { callMethod as callByName } from '../controllers/lifecycle.ts'
import { type ControllerClass, metadataOf } from '../controllers/metadata.ts'
import { takesParametersOf } from '../controllers/parameters.ts'
import { WSGIController } from '../controllers/wsgi-controller.ts'
import { isPromise } from '../wsgi/promise.ts'
import type { MethodContext } from './decorate.ts'

/** A method of a controller, whatever it takes. */
export type Action<Result = unknown> = (...args: never[]) => Result

/** What a decorator of actions is told of the method, by the syntax or by `decorate()`. */
export type ActionContext = Pick<MethodContext, 'kind' | 'name' | 'static' | 'private'>

/** A decorator for any action that fits `A`: a standard method decorator that `decorate()` can apply too. */
export type ActionDecorator<A extends Action = Action> = <M extends A>(method: M, context: ActionContext) => M

/** What stands around an action: it runs the action through `proceed(controller, args)`, or does not. */
export type Around = (
  controller: WSGIController,
  args: readonly unknown[],
  proceed: (controller: WSGIController, args: readonly unknown[]) => unknown,
) => unknown

/**
 * Makes a decorator that puts something around an action. The wrapper takes the action's arguments by name, and keeps
 * its name and attributes.
 *
 * @param decorator the decorator's name, for messages.
 * @param around makes what stands around one action, once.
 */
export function makeDecorator<A extends Action>(
  decorator: string,
  around: (action: string) => Around,
): ActionDecorator<A> {
  return <M extends A>(method: M, context: ActionContext): M => {
    const action = String(context.name)
    if (context.kind !== 'method' || context.static) {
      throw new TypeError(`${decorator} decorates methods of controllers, and ${action} is none`)
    }
    const guard = around(action)
    const proceed = (controller: WSGIController, args: readonly unknown[]): unknown =>
      Reflect.apply(method, controller, args)
    const wrapper = function (this: unknown, ...args: unknown[]): unknown {
      if (!(this instanceof WSGIController)) {
        throw new TypeError(`${decorator} is for controllers: call ${action} as a method of one`)
      }
      return guard(this, args, proceed)
    }
    takesParametersOf(wrapper, method)
    Object.defineProperty(wrapper, 'name', { value: method.name, configurable: true })
    // The wrapper hands on what it is given, so it fits where the method fits.
    return Object.assign(wrapper, method) as Action as M
  }
}

/** Goes on with a value at once, or when it is there: nothing that is at hand waits. */
export function andThen<T>(value: T | Promise<T>, next: (value: T) => unknown): unknown {
  return isPromise(value) ? value.then(next) : next(value)
}

/**
 * Calls a method of the application's own classes, which may be private, with its own arguments by name.
 *
 * @throws TypeError when there is no such method.
 */
export function callMethod(controller: WSGIController, name: string, decorator: string): unknown {
  const metadata = metadataOf(controller.constructor as ControllerClass)
  const method = metadata.method(name)
  if (method === undefined) {
    throw new TypeError(
      `${decorator}: ${metadata.name} has no method "${name}". Write it, or correct the name in the decorator`,
    )
  }
  return callByName(controller, method)
}

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** Whether a method is one that changes nothing (RFC 9110 §9.2.1). */
export function isSafe(method: string): boolean {
  return SAFE.has(method)
}
