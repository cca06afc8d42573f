import { isRecord } from '../base/record.ts'
import { isClass } from '../controllers/class-methods.ts'
import type { ArgumentDeclarations } from '../controllers/declarations.ts'
import { type AnsweringClass, declaredMethods, inheritedEntry } from '../controllers/statics.ts'
import { isBody } from '../http/converters/body-argument.ts'
import { isCallable, toApplication } from '../wsgi/application.ts'
import type { WSGIApplication, WSGICallable } from '../wsgi/types.ts'
import { ControllerLoadError } from './loading-errors.ts'

/** A class whose instances have the WSGI interface, usually a subclass of WSGIController. */
export interface ControllerConstructor extends AnsweringClass {
  new (): { __call__: WSGIApplication }
  /** Parameter names or converters by action. */
  readonly args?: ArgumentDeclarations
  /** Actions by name with `'allow'` for those that accept unsafe requests from pages of other sites. */
  readonly crossSite?: string | Readonly<Record<string, string>>
}

/** A loaded controller: a class, instantiated for each request, or a WSGI application. */
export type LoadedController =
  | {
      readonly kind: 'class'
      readonly controllerClass: ControllerConstructor
      /** Whether an action takes the body of the request by `body()`. */
      readonly takesBodies: boolean
    }
  | { readonly kind: 'application'; readonly application: WSGIApplication }

/**
 * Returns the class name for a controller's name: `my_thing` → `MyThingController`, `admin/users` →
 * `UsersController`.
 */
export function controllerClassName(name: string): string {
  const words = name.slice(name.lastIndexOf('/') + 1).split(/[_-]/)
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Controller`
}

/**
 * Returns the controller of a module: the export that `__controller__` names, otherwise the class with the controller's
 * class name, otherwise the default export.
 *
 * @throws ControllerLoadError - the module exports none of them, or the export is not a controller.
 */
export function controllerOf(name: string, module: object): LoadedController {
  const exports = new Map<string, unknown>(Object.entries(module))
  const stated = exports.get('__controller__')
  if (stated !== undefined && (typeof stated !== 'string' || !exports.has(stated)))
    throw new ControllerLoadError(name, `__controller__ is ${JSON.stringify(stated)}. Set it to the name of an export`)
  const expected = controllerClassName(name)
  const label = stated ?? [expected, 'default'].find((candidate) => exports.has(candidate))
  if (label !== undefined) return asController(name, exports.get(label), label)
  const known = exports.size === 0 ? 'nothing' : [...exports.keys()].join(', ')
  throw new ControllerLoadError(name, `it exports ${known}. Export ${expected}, or the controller as default`)
}

/**
 * Converts a value to a controller: a class with `__call__`, a WSGI callable, or an object with a `wsgi` method.
 *
 * @throws ControllerLoadError - it is none of them.
 */
export function asController(name: string, value: unknown, label: string): LoadedController {
  if (isControllerClass(value)) {
    return { kind: 'class', controllerClass: value, takesBodies: takesBodies(value) }
  }
  if (typeof value === 'function' && isClass(value)) {
    throw new ControllerLoadError(name, `the class ${label} has no __call__ method. Extend WSGIController`)
  }
  if (isCallable(value)) return { kind: 'application', application: toApplication(value) }
  throw new ControllerLoadError(
    name,
    `${label} is neither a controller class nor a WSGI callable, but of type ${value === null ? 'null' : typeof value}`,
  )
}

/** Returns true if a value is a class whose instances have the WSGI interface. */
export function isControllerClass(value: unknown): value is ControllerConstructor {
  return typeof value === 'function' && typeof value.prototype?.__call__ === 'function'
}

function takesBodies(controllerClass: ControllerConstructor): boolean {
  return declaredMethods(controllerClass, 'args').some((method) => {
    const declared = inheritedEntry(controllerClass, 'args', method)?.value
    return isRecord(declared) && Object.values(declared).some((each) => isRecord(each) && isBody(each))
  })
}

/** A controller in a record: a class, a WSGI callable, or a function that imports the module. */
export type ControllerSource = ControllerConstructor | WSGICallable | (() => Promise<unknown>)

/**
 * Controllers by name. A name may contain slashes. The path of a file, as `import.meta.glob` returns it, is one as
 * well.
 */
export type ControllerRecord = Readonly<Record<string, ControllerSource>>
