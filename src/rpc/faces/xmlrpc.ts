/** XML-RPC, with `system.multicall`. */

import type { Batch } from '../../app/mcp/jsonrpc.ts'
import { utf8Length } from '../../base/bytes.ts'
import { isInstance } from '../../base/thrown.ts'
import { readFunction, returnsNothing } from '../../controllers/function-source.ts'
import { originalMethod } from '../../controllers/parameters.ts'
import type { Responder } from '../../controllers/represent.ts'
import type { Response } from '../../http/response.ts'
import type { Procedure } from '../controllers/procedures.ts'
import { errorFor, type Failure, XMLRPC_TYPE } from '../controllers/rpc-failure.ts'
import type { Dialect, ServiceRequest } from '../controllers/service-request.ts'
import { encodedType } from '../controllers/type-table.ts'
import { type Call, decodeCall } from '../xmlrpc/decode.ts'
import { encodeResponse, faultStruct } from '../xmlrpc/encode.ts'
import { Fault, FaultCode, XMLRPCDecodeError } from '../xmlrpc/errors.ts'
import { asType, typeOf } from '../xmlrpc/signature.ts'
import { Double, type Encodable, isPlain, type Struct, type Value } from '../xmlrpc/values.ts'
import { type Face, isMarkup } from './face.ts'

/** Fault text for unexpected errors whose details are not sent. */
const INTERNAL_ERROR = 'The server met an error and could not answer the call.'

export const XMLRPC: Face = {
  title: 'XML-RPC',
  path: '',
  calls: {
    type: 'text/xml',
    // RFC 7303 §4.2.
    includes: ({ essence }) => /^(?:application|text)\/xml$|\+xml$/.test(essence),
    beginsWith: isMarkup,
  },
  answer,
  systemProcedures: ({ system }) => system.values(),
}

async function answer(request: ServiceRequest): Promise<Responder> {
  const dialect = dialectFor(request)
  const body = await request.body()
  let call: Call
  try {
    call = decode(request, body)
  } catch (error) {
    if (isInstance(error, XMLRPCDecodeError)) return sendFault(request, error.toFault())
    return dialect.failure(request.failureOf(error))
  }
  return request.call(call.methodName, { kind: 'typed', values: call.params, types: call.types }, dialect)
}

function decode(request: ServiceRequest, body: Uint8Array): Call {
  const { allowNil, booleanWords, keepDoubles, multicall } = request.settings
  const charset = request.controller.request.mediaType?.parameters.charset
  const options = { allowNil, booleanWords, charset, maxLength: body.length }
  const call = decodeCall(body, { ...options, doubles: keepDoubles ? 'wrapped' : 'plain' })
  const isBatch = multicall && request.findWithSystem(call.methodName)?.name === 'system_multicall'
  if (!isBatch || keepDoubles) return call
  // The types of the nested parameters are derived from their values, which requires wrapped doubles.
  return decodeCall(body, { ...options, doubles: 'wrapped' })
}

function dialectFor(request: ServiceRequest): Dialect<Responder> {
  const { allowNil, i8 } = request.settings
  return {
    find: (name) => findSendable(request, name),
    result(value, { returns }) {
      return request.write(
        encodeResponse((value ?? null) as Encodable, { allowNil, i8, type: encodedType(returns) }),
        XMLRPC_TYPE,
      )
    },
    failure(failure) {
      return failure.kind === 'http' ? request.respond(failure.answer) : sendFault(request, faultFor(failure))
    },
  }
}

/** Procedures whose missing values have been logged. */
const reported = new WeakSet<Procedure>()

/** Returns a procedure. If it gives no value, which XML-RPC cannot send, the log says so before it first runs. */
function findSendable(request: ServiceRequest, name: string): Procedure | undefined {
  const procedure = request.findWithSystem(name)
  const { allowNil, name: className } = request.settings
  if (procedure === undefined || allowNil || reported.has(procedure)) return procedure
  reported.add(procedure)
  if (isVoid(procedure)) {
    request.controller.app.logger.warn(
      `${className}.${procedure.name}() returns nothing, and XML-RPC has no value for that: clients will receive a fault although it ran. Return a value, such as true, or set static allowNil = true.`,
    )
  }
  return procedure
}

function isVoid({ signatures, method }: Procedure): boolean {
  if (signatures.length > 0) return signatures.every(([returns]) => returns === 'nil')
  const read = readFunction(String(originalMethod(method)))
  return read !== undefined && returnsNothing(read)
}

/** The status of a fault is 200: clients do not read the body of any other. */
function sendFault(request: ServiceRequest, fault: Fault): Response {
  const response = request.write(encodeResponse(fault), XMLRPC_TYPE)
  response.status = 200
  return response
}

/** Returns the fault for a failure. A batch cannot contain an HTTP response. */
function faultFor(failure: Failure): Fault {
  if (failure.kind === 'unexpected') return new Fault(FaultCode.internalError, failure.detail ?? INTERNAL_ERROR)
  const { code, message } = errorFor(failure)
  if (failure.kind === 'http') return new Fault(FaultCode.applicationError, message)
  return new Fault(code === (code | 0) ? code : FaultCode.applicationError, failure.message)
}

/**
 * Runs the calls of a batch, one after the other.
 *
 * @param calls - decoded with wrapped doubles.
 * @returns for each call an array of its result, or the struct of its fault.
 * @throws Fault - -32602: there are more calls than `batchLimit`.
 * @throws RangeError - a limit is not a number, or below 0.
 */
export async function runMulticall(request: ServiceRequest, calls: readonly Value[]): Promise<Encodable[]> {
  const { batchLimit } = request
  if (calls.length > batchLimit) {
    throw invalid(`system.multicall takes ${batchLimit} calls at most, not ${calls.length}`)
  }
  return request.batch(calls, (entry, batch) => runEntry(request, entry, batchDialect(request, batch)))
}

async function runEntry(request: ServiceRequest, entry: Value, dialect: Dialect<Encodable>): Promise<Encodable> {
  const { methodName, params } = isStruct(entry) ? entry : {}
  if (typeof methodName !== 'string' || !Array.isArray(params)) {
    const text = 'Each call of system.multicall is a struct of methodName, a string, and params, an array'
    return faultStruct(invalid(text))
  }
  const types = params.map((param) => typeOf(param) ?? 'nil')
  const values = request.settings.keepDoubles ? params : params.map(withPlainDoubles)
  return request.call(methodName, { kind: 'typed', values, types }, dialect)
}

function batchDialect(request: ServiceRequest, batch: Batch): Dialect<Encodable> {
  const refusal = (): Encodable => {
    const { code, message } = batch.refusal()
    return faultStruct(new Fault(code, message))
  }
  return {
    find(name) {
      batch.requireRoom()
      const procedure = request.findWithSystem(name)
      if (procedure?.name === 'system_multicall') throw invalid('system.multicall cannot call itself')
      return procedure
    },
    result(value, { returns }) {
      const result = (value ?? null) as Encodable
      const type = encodedType(returns)
      const typed = type === undefined ? result : asType(result, type)
      // Encoded here so that a value that cannot be sent is the fault of this call, not of the whole batch.
      const { allowNil, i8 } = request.settings
      const text = encodeResponse([[typed]], { allowNil, i8 })
      return batch.take(utf8Length(text)) ? [typed] : refusal()
    },
    failure(failure) {
      const fault = faultFor(failure)
      return batch.take(utf8Length(fault.faultString)) ? faultStruct(fault) : refusal()
    },
  }
}

function invalid(text: string): Fault {
  return new Fault(FaultCode.invalidParams, text)
}

/** Returns the value with numbers for wrapped doubles. The limit of the decoder bounds the recursion. */
function withPlainDoubles(value: Value): Value {
  if (value instanceof Double) return value.value
  if (Array.isArray(value)) return value.map(withPlainDoubles)
  if (!isStruct(value)) return value
  const struct: Struct = Object.create(null)
  for (const [name, member] of Object.entries(value)) struct[name] = withPlainDoubles(member)
  return struct
}

function isStruct(value: Value): value is Struct {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && isPlain(value)
}
