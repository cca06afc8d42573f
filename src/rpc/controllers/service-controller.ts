/** The members of a controller and of its class that faces use. RPCController implements them. */

import type { Controller } from '../../controllers/call-state.ts'
import type { ControllerClass } from '../../controllers/class-methods.ts'
import type { DEFAULT_ALLOW } from '../../controllers/statics.ts'
import type { WSGIController } from '../../controllers/wsgi-controller.ts'

/** Key of a static property: the names of the faces of a class that does not declare `static faces`. */
export const DEFAULT_FACES: unique symbol = Symbol('propylon.faces')

/** Key of a static property: the character of public names that replaces the underscore of a method's name. */
export const SEPARATOR: unique symbol = Symbol('propylon.separator')

/** The settings of a service: static properties of its class. */
export type ServiceClass = ControllerClass & {
  readonly max_body_length: number
  readonly batchLimit: number
  readonly batchBytes: number
  readonly browsable: boolean
  readonly description: string
  readonly i8: boolean
  readonly multicall: boolean
  readonly allowNil: boolean
  readonly booleanWords: boolean
  readonly keepDoubles: boolean
  readonly [DEFAULT_ALLOW]: readonly string[]
  readonly [SEPARATOR]: string
  readonly [DEFAULT_FACES]: readonly string[]
}

/** A controller whose methods are procedures. */
export interface ServiceController extends Controller, Pick<WSGIController, 'app' | 'request' | 'response'> {
  _find_method_name(name: string): string | undefined
  _publish_method_name(name: string): string
}
