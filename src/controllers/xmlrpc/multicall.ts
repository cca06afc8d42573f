/** Entries of a `system.multicall`. */
import { Double } from '../../xmlrpc/double.ts'
import { Fault, FaultCode } from '../../xmlrpc/fault.ts'
import { isPlain, typeOf } from '../../xmlrpc/signature.ts'
import type { Struct, TypeName, Value } from '../../xmlrpc/types.ts'

/** A call of a batch before its check. */
export interface BatchedCall {
  readonly methodName: string
  readonly params: readonly Value[]
  readonly types: readonly TypeName[]
}

/**
 * Reads one entry of a batch. Requires wrapped doubles, because the types are derived from the values.
 *
 * @param keepDoubles - whether the parameters keep their wrapped doubles.
 * @throws Fault - -32602: the entry is not a struct of methodName and params.
 */
export function readBatched(entry: Value, keepDoubles: boolean): BatchedCall {
  const { methodName, params } = isStruct(entry) ? entry : {}
  if (typeof methodName !== 'string' || !Array.isArray(params)) {
    throw new Fault(
      FaultCode.invalidParams,
      'Each call of system.multicall is a struct of methodName, a string, and params, an array',
    )
  }
  const types = params.map((param) => typeOf(param) ?? 'nil')
  return { methodName, params: keepDoubles ? params : params.map(withPlainDoubles), types }
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
