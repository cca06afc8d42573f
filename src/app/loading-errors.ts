import { withCode } from '../base/error-code.ts'
import { nearest } from '../base/suggest.ts'

/**
 * A route names a controller that does not exist. Thrown in debug mode; in production the response is 404.
 *
 * The controller `hello` is the file `controllers/hello.ts`, or the member `hello` of the record that `FrameworkApp`
 * was given. Create it (`npx propylon controller hello`), or correct the route.
 *
 * @example
 * ```ts
 * import { ControllerNotFound } from 'propylon'
 *
 * export function isMissing(error: unknown) {
 *   return error instanceof ControllerNotFound
 * }
 * ```
 */
export class ControllerNotFound extends Error {
  override readonly name = 'ControllerNotFound'
  readonly code = 'CONTROLLER_NOT_FOUND'
  /** Status of the page that shows this error. */
  readonly status = 404

  constructor(controller: string | null | undefined, route: string, known: readonly string[]) {
    const meant = nearest(controller ?? '', known)
    const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`
    const message =
      controller === null || controller === undefined
        ? `The route ${route} has no controller. Add one: { controller: '…' }.`
        : `The route ${route} leads to the controller "${controller}", which does not exist.${hint} Existing controllers: ${known.join(', ') || 'none'}. Create it, or correct the route.`
    super(withCode(message, 'CONTROLLER_NOT_FOUND'))
  }
}

/**
 * A controller's module cannot be loaded, or does not export a controller.
 *
 * The file of the controller `hello` exports `HelloController`, a default, or the name in `__controller__`. `cause`
 * is the error of the module if that does not load.
 *
 * @example
 * ```ts
 * import { ControllerLoadError, FrameworkApp, Mapper } from 'propylon'
 *
 * const app = new FrameworkApp({ map: new Mapper(), controllers: new URL('./controllers/', import.meta.url) })
 * try {
 *   await app.controllers.find('users')
 * } catch (error) {
 *   if (error instanceof ControllerLoadError) console.error(error.controller, error.file)
 * }
 * ```
 */
export class ControllerLoadError extends Error {
  override readonly name = 'ControllerLoadError'
  readonly code = 'CONTROLLER_LOAD'
  readonly controller: string
  /** The file of the controller, if it has one. */
  readonly file: URL | undefined

  constructor(controller: string, reason: string, options: ErrorOptions & { readonly file?: URL } = {}) {
    super(withCode(`Controller "${controller}" cannot be loaded: ${reason}`, 'CONTROLLER_LOAD'), options)
    this.controller = controller
    this.file = options.file
  }
}

/**
 * `asset()` names a file that is not among the public files.
 *
 * The name is relative to the directory of the option `public`, without a slash at its beginning.
 *
 * @example
 * ```ts
 * import { AssetNotFound, type FrameworkApp } from 'propylon'
 *
 * export function logoOf(app: FrameworkApp) {
 *   try {
 *     return app.asset('logo.svg')
 *   } catch (error) {
 *     if (error instanceof AssetNotFound) return undefined
 *     throw error
 *   }
 * }
 * ```
 */
export class AssetNotFound extends Error {
  override readonly name = 'AssetNotFound'
  readonly code = 'ASSET_NOT_FOUND'
  /** The name that was given to `asset()`. */
  readonly asset: string

  constructor(asset: string, directory: string, nearest: string | undefined) {
    const hint =
      nearest === undefined
        ? 'Create it, or correct the name: it is relative to this directory, without a slash at its beginning.'
        : `Did you mean ${JSON.stringify(nearest)}?`
    super(withCode(`There is no public file ${JSON.stringify(asset)} in ${directory}. ${hint}`, 'ASSET_NOT_FOUND'))
    this.asset = asset
  }
}
