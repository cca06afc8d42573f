/** Checks calls against the signatures of their methods before hooks and methods run. */
import { Double } from '../../xmlrpc/double.ts'
import { Fault, FaultCode } from '../../xmlrpc/fault.ts'
import { matchSignature } from '../../xmlrpc/signature.ts'
import type { Signature, SignatureType, TypeName, Value } from '../../xmlrpc/types.ts'
import { formatArity } from '../rpc/arity.ts'
import type { ServiceMethod } from './methods.ts'

/** A call whose parameters match its method. */
export interface CheckedCall {
  /** Name that the client sent. */
  readonly methodName: string
  readonly method: ServiceMethod
  readonly params: readonly Value[]
  /** Declared type of the result, from the signature that matches. */
  readonly returns: SignatureType | undefined
}

/**
 * Checks the number and the types of a call's parameters against the signatures of its method, or only the number if it
 * has no signature.
 *
 * @throws Fault - -32602: the parameters do not match. The text lists them and the signatures.
 */
export function checkCall(
  methodName: string,
  method: ServiceMethod,
  params: readonly Value[],
  types: readonly TypeName[],
): CheckedCall {
  const { signatures, arity } = method
  if (signatures.length === 0) {
    if (params.length < arity.least || params.length > arity.most) {
      throw misfit(`${methodName} takes ${formatArity(arity)}, not ${params.length}`)
    }
    return { methodName, method, params, returns: undefined }
  }
  const signature = signatures[matchSignature(signatures, types)]
  if (signature === undefined) {
    throw misfit(`${methodName} takes ${signatures.map(formatTypes).join(' or ')}, not ${formatSent(types)}`)
  }
  return { methodName, method, params: declaredDoubles(params, signature), returns: signature[0] }
}

function misfit(text: string): Fault {
  return new Fault(FaultCode.invalidParams, text)
}

function formatTypes([, ...types]: Signature): string {
  return `(${types.join(', ')})`
}

/** Number of parameter types that an error message lists. A call can have more than 100,000. */
const MAX_LISTED = 20

function formatSent(types: readonly TypeName[]): string {
  const more = types.length > MAX_LISTED ? `, … ${types.length} in all` : ''
  return `(${types.slice(0, MAX_LISTED).join(', ')}${more})`
}

/** Unwraps parameters that are declared `double`: the signature states their type. */
function declaredDoubles(params: readonly Value[], signature: Signature): readonly Value[] {
  if (!params.some((param) => param instanceof Double)) return params
  return params.map((param, i) =>
    param instanceof Double && signature[i + 1] === 'double' ? param.value : param,
  )
}
