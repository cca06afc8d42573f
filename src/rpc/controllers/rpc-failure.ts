/** The ends of a call without a result. Each face writes them in its own way. */

import { JSONRPCError, JSONRPCErrorCode } from '../../app/mcp/jsonrpc.ts'
import { describeValue } from '../../base/describe.ts'
import { isInstance } from '../../base/thrown.ts'
import { HTTPException } from '../../http/exceptions.ts'
import { isWebResponse, Response } from '../../http/response.ts'
import { encodeResponse } from '../xmlrpc/encode.ts'
import { Fault } from '../xmlrpc/errors.ts'

/** An argument that was refused. */
export interface ArgumentError {
  /** Name of the parameter, with the path of a member: `address.city`. */
  readonly name: string
  readonly detail: string
}

/** An HTTP response in place of a result. */
export type HTTPAnswer = HTTPException | Response | globalThis.Response

/** The end of a call without a result. */
export type Failure =
  /** The method failed as it intended. */
  | { readonly kind: 'application'; readonly code: number; readonly message: string; readonly data: unknown }
  /** The method or a hook answered by HTTP. */
  | { readonly kind: 'http'; readonly answer: HTTPAnswer }
  /** There is no such procedure. */
  | { readonly kind: 'unknown'; readonly message: string }
  /** The parameters do not fit. `errors` is empty if their number is wrong. */
  | { readonly kind: 'parameters'; readonly message: string; readonly errors: readonly ArgumentError[] }
  /** An unexpected error, which has been logged. `detail` is undefined if it must not be sent. */
  | { readonly kind: 'unexpected'; readonly detail: string | undefined }

/** Thrown for a call that is refused before hooks and method run. */
export class CallRefusal extends Error {
  override readonly name = 'CallRefusal'
  readonly failure: Extract<Failure, { kind: 'unknown' | 'parameters' }>

  constructor(failure: CallRefusal['failure']) {
    super(failure.message)
    this.failure = failure
  }
}

/** Number of errors that a refusal lists. A call can have more than 100,000. */
export const MAX_LISTED = 20

/** Returns the refusal of a call whose parameters do not fit. */
export function wrongParameters(message: string, errors: readonly ArgumentError[] = []): CallRefusal {
  return new CallRefusal({ kind: 'parameters', message, errors })
}

export function wrongArguments(methodName: string, all: readonly ArgumentError[]): CallRefusal {
  const errors = all.slice(0, MAX_LISTED)
  const listed = errors.map(({ name, detail }) => `${name}: ${detail}`).join('; ')
  return wrongParameters(`${methodName}: ${listed}`, errors)
}

/** Returns the failure that a method or a hook threw, or undefined for an unexpected error. */
export function failureThrown(error: unknown): Failure | undefined {
  const fault = faultIn(error)
  if (fault !== undefined) {
    return { kind: 'application', code: fault.faultCode, message: fault.faultString, data: undefined }
  }
  if (isInstance(error, JSONRPCError)) {
    const { code, message, data } = error
    return { kind: 'application', code, message, data }
  }
  return isInstance(error, HTTPException) ? { kind: 'http', answer: error } : undefined
}

/** Returns the failure that a method returned, or undefined for a result. A method may return any HTTP response. */
export function failureReturned(result: unknown): Failure | undefined {
  const isObject = typeof result === 'object' && result !== null
  if (!isObject) return undefined
  const failure = failureThrown(result)
  if (failure !== undefined) return failure
  const isResponse = isInstance(result, Response) || isWebResponse(result)
  return isResponse ? { kind: 'http', answer: result } : undefined
}

/**
 * Returns the HTTP status of a failure with a code, for faces that have no other place for it: the code if that fits.
 */
export function statusFor(code: number): number {
  return code >= 400 && code <= 599 ? code : 422
}

/** Returns the error object for a failure (JSON-RPC 2.0 §5.1). A batch cannot contain an HTTP response. */
export function errorFor(failure: Failure): { code: number; message: string; data?: unknown } {
  switch (failure.kind) {
    case 'application':
      return failure
    case 'http': {
      const { answer } = failure
      const message = answer instanceof Error ? answer.message : 'The method answered by HTTP.'
      return { code: JSONRPCErrorCode.httpError, message }
    }
    case 'unknown':
      return { code: JSONRPCErrorCode.methodNotFound, message: 'Method not found' }
    case 'parameters':
      return { code: JSONRPCErrorCode.invalidParams, message: `Invalid params: ${failure.message}` }
    case 'unexpected':
      return { code: JSONRPCErrorCode.internalError, message: 'Internal error', data: failure.detail }
  }
}

export function unknownProcedure(name: string): CallRefusal {
  return new CallRefusal({ kind: 'unknown', message: `There is no method ${describeValue(name, 100)}` })
}

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
 * Creates a response that is an XML-RPC fault. A method of an XMLRPCController returns or throws it; other
 * controllers can return it as any response.
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
function faultIn(value: unknown): Fault | undefined {
  if (isInstance(value, Fault)) return value
  return isInstance(value, FaultResponse) ? value.fault : undefined
}
