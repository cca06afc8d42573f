/** What a controller's name stands for once its module is loaded. */
import type { WSGIApplication, WSGICallable } from '../wsgi/types.ts'

/** Anything with the WSGI interface on its instances: in practice a subclass of WSGIController. */
export interface ControllerConstructor {
  new (): { __call__: WSGIApplication }
  /** The methods that the controller answers, with OPTIONS; the others get 405. All when absent. */
  readonly allow?: readonly string[]
  /** Actions by name with `'allow'` for those that accept unsafe requests from pages of other sites. */
  readonly crossSite?: Readonly<Record<string, string>>
}

/** A controller ready to serve: a class to be instantiated for each request, or a WSGI application. */
export type LoadedController =
  | { readonly kind: 'class'; readonly controllerClass: ControllerConstructor }
  | { readonly kind: 'application'; readonly application: WSGIApplication }

/** A controller's module, or the file it lies in, is not what it must be. */
export class ControllerLoadError extends Error {
  override readonly name = 'ControllerLoadError'
  readonly code = 'CONTROLLER_LOAD'
  readonly controller: string
  /** The file that it was to be loaded from, if it was a file. */
  readonly file: URL | undefined

  constructor(controller: string, reason: string, options: ErrorOptions & { readonly file?: URL } = {}) {
    super(`Controller "${controller}" cannot be loaded: ${reason}`, options)
    this.controller = controller
    this.file = options.file
  }
}

/** The class name that a controller's name asks for: `my_thing` → `MyThingController`, `admin/users` → `UsersController`. */
export function controllerClassName(name: string): string {
  const words = name.slice(name.lastIndexOf('/') + 1).split(/[_-]/)
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Controller`
}

/**
 * Picks the controller out of its module: the export that `__controller__` names, else the one named after the
 * controller, else the default export.
 */
export function controllerOf(name: string, module: object): LoadedController {
  const exports = new Map<string, unknown>(Object.entries(module))
  const stated = exports.get('__controller__')
  if (stated !== undefined) {
    if (typeof stated !== 'string') throw new ControllerLoadError(name, '__controller__ must name an export')
    if (!exports.has(stated))
      throw new ControllerLoadError(name, `__controller__ names "${stated}", which is not exported`)
    return asController(name, exports.get(stated), stated)
  }
  const expected = controllerClassName(name)
  for (const candidate of [expected, 'default']) {
    if (exports.has(candidate)) return asController(name, exports.get(candidate), candidate)
  }
  const known = exports.size === 0 ? 'it exports nothing' : `it exports ${[...exports.keys()].join(', ')}`
  throw new ControllerLoadError(name, `it must export ${expected} or a default (${known})`)
}

/** Takes a value for a controller: a class with `__call__`, a WSGI callable, or an object with a `wsgi` member. */
export function asController(name: string, value: unknown, label: string): LoadedController {
  if (isControllerClass(value)) return { kind: 'class', controllerClass: value }
  if (isClass(value)) {
    throw new ControllerLoadError(name, `${label} is a class without __call__; let it extend WSGIController`)
  }
  if (typeof value === 'function') return { kind: 'application', application: value as WSGIApplication }
  if (hasWSGI(value)) return { kind: 'application', application: value.wsgi }
  throw new ControllerLoadError(name, `${label} is neither a controller class nor a WSGI callable`)
}

/** Whether a value is a class whose instances have the WSGI interface. */
export function isControllerClass(value: unknown): value is ControllerConstructor {
  return typeof value === 'function' && typeof value.prototype?.__call__ === 'function'
}

function isClass(value: unknown): boolean {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value))
}

function hasWSGI(value: unknown): value is Extract<WSGICallable, object> & { wsgi: WSGIApplication } {
  return typeof value === 'object' && value !== null && 'wsgi' in value && typeof value.wsgi === 'function'
}
