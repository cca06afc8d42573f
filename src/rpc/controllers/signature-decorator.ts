/** Declares the types of XML-RPC methods. */

import type { MethodContext } from '../../controllers/decorators/decorate.ts'
import type { HTTPException } from '../../http/exceptions.ts'
import type { Response } from '../../http/response.ts'
import type { Fault } from '../xmlrpc/fault.ts'
import type { ParametersOf, ReturnOf, Signature } from '../xmlrpc/types.ts'
import { checkSignature, prependSignature } from './signatures.ts'

/** Results of a method other than a value of its declared type: a fault or an HTTP response. */
export type MethodOutcome = Fault | Response | HTTPException

/** A method whose types conform to a signature, synchronous or asynchronous. */
export type MethodFor<S extends Signature> = (
  ...params: ParametersOf<S>
) => ReturnOf<S[0]> | MethodOutcome | Promise<ReturnOf<S[0]> | MethodOutcome>

/**
 * Declares a signature of an XML-RPC method: the type of the result, then the types of the parameters. Declare one for
 * each valid set of types. A call may leave out a parameter that has a default in the method. Calls that match none are refused before hooks and method run, and the compiler
 * compares the types of the method with each.
 *
 * The signatures become the attribute `signature` of the method: a list of lists, in the order of the decorators.
 *
 * @throws TypeError - a name is not a type of XML-RPC.
 *
 * @example
 * ```ts
 * import { XMLRPCController } from 'propylon'
 * import { decorate, signature } from 'propylon/decorators'
 *
 * export class DemoController extends XMLRPCController {
 *   test_greet(name: string, greeting = 'Hello') {
 *     return `${greeting}, ${name}!`
 *   }
 *
 *   static {
 *     decorate(this, { test_greet: [signature('string', 'string', 'string')] })
 *   }
 * }
 * ```
 */
export function signature<const S extends Signature>(
  ...types: S
): (method: MethodFor<S>, context?: Pick<MethodContext, 'kind' | 'name'>) => void {
  const declared = checkSignature('signature()', types)
  return (method) => prependSignature(method, declared)
}
