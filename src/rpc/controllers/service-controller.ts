/** The members of a controller and of its class that faces use. RPCController implements them. */
import type { Controller } from '../../controllers/lifecycle.ts'
import type { DEFAULT_ALLOW } from '../../controllers/statics.ts'
import type { WSGIController } from '../../controllers/wsgi-controller.ts'
import type { FacedClass } from './face-names.ts'
import type { SEPARATOR } from './procedures.ts'

/** The settings of a service: static properties of its class. */
export type ServiceClass = FacedClass & {
  readonly max_body_length: number
  readonly batchLimit: number
  readonly batchBytes: number
  readonly multicall: boolean
  readonly multicallLimit: number
  readonly browsable: boolean
  readonly description: string
  readonly allowNil: boolean
  readonly i8: boolean
  readonly booleanWords: boolean
  readonly keepDoubles: boolean
  readonly [DEFAULT_ALLOW]: readonly string[]
  readonly [SEPARATOR]: string
}

/** A controller whose methods are procedures. */
export interface ServiceController extends Controller, Pick<WSGIController, 'app' | 'request' | 'response'> {
  _find_method_name(name: string): string | undefined
  _publish_method_name(name: string): string
}
