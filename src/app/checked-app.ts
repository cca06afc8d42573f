/** `FrameworkApp` as applications create it: the compiler checks the declarations of the controllers in a record. */
import type { CheckedControllers } from '../controllers/checked-controller.ts'
import { FrameworkApp as App } from './framework-app.ts'
import type { FrameworkAppOptions } from './framework-app-options.ts'
import type { ControllerRecord } from './loaded-controller.ts'

/** A web application. */
export interface FrameworkApp extends App {}

/** Options of an application, with the controllers of a record one by one. */
export type CheckedAppOptions<Controllers> = Omit<FrameworkAppOptions, 'controllers'> & {
  /** A directory of controllers (`file:` URL or path), or a record of them by name. */
  readonly controllers: URL | string | (Controllers & CheckedControllers<Controllers>)
}

/** The constructor of FrameworkApp. */
export interface FrameworkAppClass {
  new <const Controllers extends ControllerRecord = ControllerRecord>(
    options: CheckedAppOptions<Controllers>,
  ): FrameworkApp
  readonly prototype: FrameworkApp
}

/**
 * A web application: routes, controllers, templates and middleware.
 *
 * It can be called in three ways: {@link wsgi} by servers, middleware and tests; {@link fetch} in runtimes with
 * `Request` and `Response`; and `serve(app)` of `propylon/node`.
 *
 * @see docs/guides/concepts.md
 * @throws Error - the directory of controllers cannot be read, or the directory of public files does not exist.
 * @throws RangeError - `requestTimeout` is not a positive number of milliseconds.
 * @throws TypeError - an option does not exist, `map` is not a mapper, an entry of `hosts` is malformed, or an entry
 *   of `crossSite` is not an origin.
 *
 * @example
 * ```ts
 * import { FrameworkApp, Mapper, WSGIController } from 'propylon'
 *
 * class HelloController extends WSGIController {
 *   index() {
 *     return 'Hello World'
 *   }
 * }
 *
 * const map = new Mapper().connect('/{controller}', { action: 'index' })
 * export default new FrameworkApp({ map, controllers: { hello: HelloController } })
 * ```
 */
export const FrameworkApp: FrameworkAppClass = App
