/** The type of `WSGIController` as applications extend it: the compiler checks the return types of their actions. */
import type { ActionResult, UnanswerableActions } from './action-result.ts'
import { WSGIController as Controller } from './wsgi-controller.ts'

/** Key of a property that exists in types only. */
declare const ACTION_RESULTS: unique symbol

/** A controller of an application. */
export interface WSGIController extends Controller {
  readonly [ACTION_RESULTS]?: UnanswerableActions<this> | undefined
}

/** Controllers whose actions return what can be sent. */
export interface AnswerableActions {
  readonly [ACTION_RESULTS]?: { readonly [action: string]: ActionResult } | undefined
}

/**
 * The constructor of WSGIController.
 *
 * The compiler compares the static side of a class with the static side of its base class. `prototype` is the one
 * static property whose type is the class itself, so its type here is compared with the actions of each subclass.
 */
export interface WSGIControllerClass {
  new (): WSGIController
  readonly prototype: WSGIController & AnswerableActions
}

/**
 * Base class of application controllers. Each request is served by a new instance.
 *
 * A request runs `__before__`, the action that the match names, and `__after__`. Each receives the arguments that its
 * parameters name. Actions are the public methods of the application's own classes without a leading underscore. The
 * compiler refuses one that returns what cannot be sent, such as a number.
 *
 * @see docs/guides/controllers.md
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 *
 * export class HelloController extends WSGIController {
 *   index() {
 *     return 'Hello World'
 *   }
 * }
 * ```
 */
export const WSGIController: WSGIControllerClass = Controller

/**
 * The type of an application's base class, so that the compiler checks the actions of its subclasses as well. Without
 * it only direct subclasses of WSGIController are checked.
 *
 * @example
 * ```ts
 * import { type BaseClass, WSGIController } from 'propylon'
 *
 * class BaseController extends WSGIController {
 *   __before__() {
 *     this.c.site = 'My site'
 *   }
 * }
 *
 * const Checked: BaseClass<typeof BaseController> = BaseController
 * type Checked = BaseController
 * export { Checked as BaseController }
 *
 * export class UsersController extends Checked {
 *   index() {
 *     return this.render('users/index')
 *   }
 * }
 * ```
 */
export type BaseClass<Class extends abstract new (...args: never[]) => Controller> = Omit<
  Class,
  'prototype'
> &
  Constructor<Class> & { readonly prototype: InstanceType<Class> & AnswerableActions }

type Constructor<Class> = Class extends new (
  ...args: infer Params
) => infer Instance
  ? new (
      ...args: Params
    ) => Instance
  : Class extends abstract new (
        ...args: infer Params
      ) => infer Instance
    ? abstract new (
        ...args: Params
      ) => Instance
    : never
