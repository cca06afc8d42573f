/** Responses that are faults. */

import { isInstance } from '../../base/thrown.ts'
import { Response } from '../../http/response.ts'
import { encodeResponse } from '../xmlrpc/encode.ts'
import { Fault } from '../xmlrpc/errors.ts'

/** Content type of XML-RPC responses. */
export const XMLRPC_TYPE = 'text/xml; charset=utf-8'

/** A response that is a fault. Its status is 200, because clients do not read the body of another status. */
export class FaultResponse extends Response {
  readonly fault: Fault

  constructor(fault: Fault) {
    super(encodeResponse(fault), { contentType: XMLRPC_TYPE })
    this.fault = fault
  }
}

/**
 * Creates a response that is an XML-RPC fault. A method of an XMLRPCController returns or throws it; other controllers can
 * return it as any response.
 *
 * @param code - a 32-bit integer. Avoid 0, which some clients read as "no fault", and -32768 to -32000, which are
 *   reserved (see `FaultCode`).
 * @throws TypeError - the code is not a 32-bit integer.
 * @example
 * ```ts
 * import { XMLRPCController, xmlrpc_fault } from 'propylon'
 *
 * export class StockController extends XMLRPCController {
 *   stock_take(article: string) {
 *     return xmlrpc_fault(26, `No more ${article}.`)
 *   }
 * }
 * ```
 */
export function xmlrpc_fault(code: number, message: string): FaultResponse {
  return new FaultResponse(new Fault(code, message))
}

/** Returns the fault that a method returned or threw, as a Fault or as a FaultResponse. */
export function faultIn(value: unknown): Fault | undefined {
  if (isInstance(value, Fault)) return value
  return isInstance(value, FaultResponse) ? value.fault : undefined
}
