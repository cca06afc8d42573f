/** Declares what an XML-RPC method takes and returns. */
import { checkSignature, signatureAttribute } from '../controllers/xmlrpc/signatures.ts'
import type { HTTPException } from '../http/exceptions.ts'
import type { Response } from '../http/response.ts'
import type { Fault } from '../xmlrpc/fault.ts'
import type { ParametersOf, ReturnOf, Signature } from '../xmlrpc/types.ts'
import type { MethodContext } from './decorate.ts'

/** What a method may return beside a value of its declared type: a fault, or an answer by HTTP. */
type Instead = Fault | Response | HTTPException

/** A method that fits a signature, synchronous or not. */
export type MethodFor<S extends Signature> = (
  ...params: ParametersOf<S>
) => ReturnOf<S[0]> | Instead | Promise<ReturnOf<S[0]> | Instead>

/**
 * Declares a signature of an XML-RPC method: the type of the result, then the types of the parameters. A method with
 * optional parameters gets one for each valid set. Calls that fit none are refused before anything runs, and the
 * compiler holds the method's own types against each.
 *
 * The signatures become the attribute `signature` of the method, a list of lists, in the order in which they are
 * written.
 *
 * @throws TypeError for names that are no types of XML-RPC.
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
 *     decorate(this, {
 *       test_greet: [signature('string', 'string'), signature('string', 'string', 'string')],
 *     })
 *   }
 * }
 * ```
 */
export function signature<const S extends Signature>(
  ...types: S
): (method: MethodFor<S>, context?: Pick<MethodContext, 'kind' | 'name'>) => void {
  const declared = checkSignature('signature()', types)
  return (method) => {
    const known = signatureAttribute(method)
    // The decorator that is written last is applied first, so the earlier ones go before it.
    Object.assign(method, { signature: [declared, ...(Array.isArray(known) ? known : [])] })
  }
}
