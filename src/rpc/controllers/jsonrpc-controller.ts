import { defineFrameworkClass } from '../../controllers/metadata.ts'
import type { FaceName } from '../faces/select.ts'
import { ProcedureController } from './procedure-controller.ts'
import { DEFAULT_FACES, SEPARATOR } from './service-controller.ts'

/**
 * Base class of JSON-RPC 2.0 services, which have the face `jsonrpc`. Each public method of a subclass is
 * a procedure of the same name.
 *
 * Parameters are passed by position, or by the names of the method's parameters. A method throws or returns a
 * `JSONRPCError` to fail. `abort` and `redirect` are answered by HTTP, or by the error -32000 within a batch. Other errors
 * are logged and become the error -32603, which has details in debug mode, for trusted hosts. Notifications are not
 * answered. The calls of a batch run one after the other.
 *
 * Calls are sent by POST. Answers by HTTP: 411 without a body, 413 for a body over `max_body_length`, 415 for an unknown
 * content encoding, 204 if no call expects an answer.
 *
 * @example
 * ```ts
 * import { JSONRPCController } from 'propylon'
 *
 * export class MathController extends JSONRPCController {
 *   subtract(minuend: number, subtrahend: number) {
 *     return minuend - subtrahend
 *   }
 * }
 * ```
 */
export class JSONRPCController extends ProcedureController {
  static override browsable = false
  static override i8 = false
  static override readonly [DEFAULT_FACES]: readonly FaceName[] = ['jsonrpc']
  static override readonly [SEPARATOR]: string = '_'
}

defineFrameworkClass(JSONRPCController)
