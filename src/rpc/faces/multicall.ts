/** `system.multicall` of XML-RPC. */

import type { Batch } from '../../app/mcp/jsonrpc.ts'
import { utf8Length } from '../../base/bytes.ts'
import { requireLimit } from '../../base/limit.ts'
import type { Dialect } from '../controllers/call-protocol.ts'
import { xmlrpcSettings } from '../controllers/service-controller.ts'
import type { ServiceRequest } from '../controllers/service-request.ts'
import { Double } from '../xmlrpc/double.ts'
import { encodeResponse, faultStruct } from '../xmlrpc/encode.ts'
import { Fault, FaultCode } from '../xmlrpc/fault.ts'
import { asType, isPlain, typeOf } from '../xmlrpc/signature.ts'
import type { Encodable, Struct, Value } from '../xmlrpc/types.ts'
import { faultFor } from './xmlrpc.ts'

/**
 * Runs the calls of a batch, one after the other.
 *
 * @param calls - decoded with wrapped doubles.
 * @returns for each call an array of its result, or the struct of its fault.
 * @throws Fault - -32602: there are more calls than `multicallLimit`.
 * @throws RangeError - a limit is not a number, or below 0.
 */
export async function runMulticall(request: ServiceRequest, calls: readonly Value[]): Promise<Encodable[]> {
  const { multicallLimit, name } = xmlrpcSettings(request.settings)
  requireLimit(`${name}.multicallLimit`, multicallLimit)
  if (calls.length > multicallLimit) {
    throw invalid(`system.multicall takes ${multicallLimit} calls at most, not ${calls.length}`)
  }
  return request.batch(calls, (entry, batch) => runEntry(request, entry, dialectFor(request, batch)))
}

async function runEntry(
  request: ServiceRequest,
  entry: Value,
  dialect: Dialect<Encodable>,
): Promise<Encodable> {
  const { methodName, params } = isStruct(entry) ? entry : {}
  if (typeof methodName !== 'string' || !Array.isArray(params)) {
    const text = 'Each call of system.multicall is a struct of methodName, a string, and params, an array'
    return faultStruct(invalid(text))
  }
  const types = params.map((param) => typeOf(param) ?? 'nil')
  const values = xmlrpcSettings(request.settings).keepDoubles ? params : params.map(withPlainDoubles)
  return request.call(methodName, { kind: 'typed', values, types }, dialect)
}

function dialectFor(request: ServiceRequest, batch: Batch): Dialect<Encodable> {
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
      const typed = typeof returns === 'string' ? asType(result, returns) : result
      // Encoded here so that a value that cannot be sent is the fault of this call, not of the whole batch.
      const { allowNil, i8 } = xmlrpcSettings(request.settings)
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
