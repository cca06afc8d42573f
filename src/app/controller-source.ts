import type { WSGICallable } from '../wsgi/types.ts'
import type { ControllerConstructor } from './loaded-controller.ts'

/** A controller in a record: a class, a WSGI callable, or a function that imports the module. */
export type ControllerSource = ControllerConstructor | WSGICallable | (() => Promise<unknown>)

/**
 * Controllers by name. A name may contain slashes. The path of a file, as `import.meta.glob` returns it, is one as
 * well.
 */
export type ControllerRecord = Readonly<Record<string, ControllerSource>>
