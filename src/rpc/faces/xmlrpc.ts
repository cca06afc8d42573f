/** XML-RPC. */

import { isInstance } from '../../base/thrown.ts'
import type { Responder } from '../../controllers/responder.ts'
import type { Response } from '../../http/response.ts'
import type { Dialect } from '../controllers/call-protocol.ts'
import { XMLRPC_TYPE } from '../controllers/fault.ts'
import type { Failure } from '../controllers/rpc-failure.ts'
import { type XMLRPCClass, xmlrpcSettings } from '../controllers/service-controller.ts'
import type { ServiceRequest } from '../controllers/service-request.ts'
import { type Call, decodeCall } from '../xmlrpc/decode.ts'
import { encodeResponse } from '../xmlrpc/encode.ts'
import { Fault, FaultCode, XMLRPCDecodeError } from '../xmlrpc/errors.ts'
import type { Encodable } from '../xmlrpc/values.ts'
import { isJsonCall, isXmlCall, refusePlainJSON } from './call-content.ts'
import type { Face } from './face.ts'

/** Fault text for unexpected errors whose details are not sent. */
const INTERNAL_ERROR = 'The server met an error and could not answer the call.'

export const XMLRPC: Face = {
  title: 'XML-RPC',
  path: '',
  recognizes: isXmlCall,
  answer,
  systemProcedures: ({ system }) => system.values(),
}

async function answer(request: ServiceRequest, faces: readonly Face[]): Promise<Responder> {
  if (await isJsonCall(request)) return refusePlainJSON(request, faces)
  const settings = xmlrpcSettings(request.settings)
  const dialect = dialectFor(request, settings)
  const body = await request.body()
  let call: Call
  try {
    call = decode(request, settings, body)
  } catch (error) {
    if (isInstance(error, XMLRPCDecodeError)) return sendFault(request, error.toFault())
    return dialect.failure(request.failureOf(error))
  }
  return request.call(call.methodName, { kind: 'typed', values: call.params, types: call.types }, dialect)
}

function decode(request: ServiceRequest, settings: XMLRPCClass, body: Uint8Array): Call {
  const { allowNil, booleanWords, keepDoubles, multicall } = settings
  const charset = request.controller.request.mediaType?.parameters.charset
  const options = { allowNil, booleanWords, charset, maxLength: body.length }
  const call = decodeCall(body, { ...options, doubles: keepDoubles ? 'wrapped' : 'plain' })
  const isBatch = multicall && request.findWithSystem(call.methodName)?.name === 'system_multicall'
  if (!isBatch || keepDoubles) return call
  // The types of the nested parameters are derived from their values, which requires wrapped doubles.
  return decodeCall(body, { ...options, doubles: 'wrapped' })
}

function dialectFor(request: ServiceRequest, { allowNil, i8 }: XMLRPCClass): Dialect<Responder> {
  return {
    find: (name) => request.findWithSystem(name),
    result(value, { returns }) {
      const type = typeof returns === 'string' ? returns : undefined
      return request.write(encodeResponse((value ?? null) as Encodable, { allowNil, i8, type }), XMLRPC_TYPE)
    },
    failure(failure) {
      return failure.kind === 'http' ? request.respond(failure.answer) : sendFault(request, faultFor(failure))
    },
  }
}

/** The status of a fault is 200: clients do not read the body of any other. */
function sendFault(request: ServiceRequest, fault: Fault): Response {
  const response = request.write(encodeResponse(fault), XMLRPC_TYPE)
  response.status = 200
  return response
}

/** Returns the fault for a failure. A batch cannot contain an HTTP response. */
export function faultFor(failure: Failure): Fault {
  switch (failure.kind) {
    case 'application': {
      const { code, message } = failure
      return new Fault(code === (code | 0) ? code : FaultCode.applicationError, message)
    }
    case 'http': {
      const { answer } = failure
      const text = answer instanceof Error ? answer.message : 'The method answered by HTTP.'
      return new Fault(FaultCode.applicationError, text)
    }
    case 'unknown':
      return new Fault(FaultCode.methodNotFound, failure.message)
    case 'parameters':
      return new Fault(FaultCode.invalidParams, failure.message)
    case 'unexpected':
      return new Fault(FaultCode.internalError, failure.detail ?? INTERNAL_ERROR)
  }
}
