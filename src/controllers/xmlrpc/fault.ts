/** Faults as responses. */
import { Response } from '../../http/response.ts'
import { isInstance } from '../../wsgi/thrown.ts'
import { encodeResponse } from '../../xmlrpc/encode.ts'
import { Fault, FaultCode } from '../../xmlrpc/fault.ts'

/** The content type of XML-RPC's answers. */
export const XMLRPC_TYPE = 'text/xml; charset=utf-8'

/** The response that carries a fault. Its status is 200: clients read no body of anything else. */
export class FaultResponse extends Response {
  readonly fault: Fault

  constructor(fault: Fault) {
    super(encodeResponse(fault), { contentType: XMLRPC_TYPE })
    this.fault = fault
  }
}

/**
 * An XML-RPC fault as a response. A method of an XMLRPCController returns it or throws it; elsewhere it is a response
 * like any other.
 *
 * @param code a 32-bit integer that is not 0 and not within -32768 to -32000, which are reserved (see `FaultCode`).
 * @throws TypeError when the code is no 32-bit integer.
 *
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

/** The fault for an HTTP answer where none can be sent: within a batch. */
export function httpFault(message: string): Fault {
  return new Fault(FaultCode.applicationError, message)
}
