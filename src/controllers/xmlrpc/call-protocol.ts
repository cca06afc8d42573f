/** Runs an XML-RPC call and writes its result: as the response to a request, or as an entry of a batch. */
import { HTTPException } from '../../http/exceptions.ts'
import { Response } from '../../http/response.ts'
import { isInstance } from '../../wsgi/thrown.ts'
import { type EncodeOptions, encodeResponse, faultStruct } from '../../xmlrpc/encode.ts'
import type { Fault } from '../../xmlrpc/fault.ts'
import { asType } from '../../xmlrpc/signature.ts'
import type { Encodable } from '../../xmlrpc/types.ts'
import { type Controller, type Protocol, stateOf } from '../lifecycle.ts'
import type { NamedArguments } from '../metadata.ts'
import { type Responder, respond, respondToError } from '../responder.ts'
import type { CheckedCall } from './call.ts'
import { faultIn, httpFault, XMLRPC_TYPE } from './fault.ts'

/** Returns the arguments that a call offers to hooks. */
export function argumentsOf({ method, methodName, params }: CheckedCall): NamedArguments {
  return { action: method.name, methodName, params }
}

/** A call that is answered with a response of its own. */
export class CallProtocol implements Protocol<Responder> {
  readonly #call: CheckedCall
  readonly #encoding: EncodeOptions

  constructor(call: CheckedCall, encoding: EncodeOptions) {
    this.#call = call
    this.#encoding = encoding
  }

  run(controller: Controller): unknown {
    return runMethod(this.#call, controller)
  }

  answer(controller: Controller, result: unknown): Responder {
    const fault = faultIn(result)
    if (fault !== undefined) return faultResponse(controller, fault)
    if (isHTTP(result)) return respond(controller, result)
    const text = encodeResponse(result as Encodable, { ...this.#encoding, type: this.#call.returns })
    return xmlResponse(controller, text)
  }

  answerError(controller: Controller, error: unknown): Responder {
    const fault = faultIn(error)
    return fault === undefined ? respondToError(controller, error) : faultResponse(controller, fault)
  }
}

/** A call of a batch. Its answer is an array of the result, or the struct of a fault. */
export class BatchedCallProtocol implements Protocol<Encodable> {
  readonly #call: CheckedCall
  readonly #encoding: EncodeOptions

  constructor(call: CheckedCall, encoding: EncodeOptions) {
    this.#call = call
    this.#encoding = encoding
  }

  run(controller: Controller): unknown {
    return runMethod(this.#call, controller)
  }

  answer(_controller: Controller, result: unknown): Encodable {
    const fault = faultIn(result)
    if (fault !== undefined) return faultStruct(fault)
    if (isHTTP(result)) {
      return faultStruct(
        httpFault(result instanceof HTTPException ? result.message : 'The method answered by HTTP.'),
      )
    }
    const { returns } = this.#call
    const value = returns === undefined ? (result as Encodable) : asType(result as Encodable, returns)
    // Encoded here so that a value that cannot be sent is the fault of this call, not of the whole batch.
    encodeResponse([[value]], this.#encoding)
    return [value]
  }

  answerError(_controller: Controller, error: unknown): Encodable {
    const fault = faultIn(error) ?? (isInstance(error, HTTPException) ? httpFault(error.message) : undefined)
    if (fault === undefined) throw error
    return faultStruct(fault)
  }
}

function runMethod({ method, params }: CheckedCall, controller: Controller): unknown {
  return method.method.apply(controller, [...params])
}

/** The status of a fault is 200: clients do not read the body of any other. */
function faultResponse(controller: Controller, fault: Fault): Response {
  const response = xmlResponse(controller, encodeResponse(fault))
  response.status = 200
  return response
}

/** Writes text to the controller's own response. */
function xmlResponse(controller: Controller, text: string): Response {
  const state = stateOf(controller)
  state.response ??= new Response()
  state.response.body = text
  state.response.contentType = XMLRPC_TYPE
  return state.response
}

function isHTTP(result: unknown): result is Response | HTTPException | globalThis.Response {
  return (
    result instanceof Response || result instanceof HTTPException || result instanceof globalThis.Response
  )
}
