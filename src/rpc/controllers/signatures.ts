/**
 * Signatures of procedures: from `static args` and `static results`, `static signatures` or the attribute
 * `signature`.
 */

import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describeValue } from '../../base/describe.ts'
import { type ControllerClass, definerOf } from '../../controllers/class-methods.ts'
import type { MethodContext } from '../../controllers/decorators/decorate.ts'
import type { MethodBinding } from '../../controllers/method-binding.ts'
import { originalMethod } from '../../controllers/parameters.ts'
import { inheritedEntry } from '../../controllers/statics.ts'
import { isSchema } from '../../http/converters/schema.ts'
import type { HTTPException } from '../../http/exceptions.ts'
import type { Response } from '../../http/response.ts'
import type { Fault } from '../xmlrpc/errors.ts'
import { isSignatureType, type ParametersOf, type ReturnOf, type Signature, TYPE_NAMES } from '../xmlrpc/signature.ts'
import { ANY, type DeclaredSignature, type DeclaredType, Members } from './type-table.ts'

/** The signatures of one method in `static signatures`: one list for each. */
export type StatedSignatures = readonly (readonly (string | StandardSchemaV1)[])[]

/**
 * Returns the signature that `static args` and `static results` declare for a procedure. A method that destructures
 * one object takes its members.
 */
export function ownSignature(binding: MethodBinding): DeclaredSignature {
  const { converters, parameters } = binding
  const returns = returnsOf(binding)
  if (converters !== undefined && parameters.kind === 'destructured') return [returns, new Members(converters)]
  return [returns, ...parameters.names.map(({ name }) => converters?.get(name) ?? ANY)]
}

/** Returns the type that `static results` declares. */
export function returnsOf({ result }: MethodBinding): DeclaredType {
  return result?.schema === null ? 'nil' : (result?.schema ?? ANY)
}

/** Returns the attribute `signature` of a method, or undefined. */
function signatureAttribute(method: object): unknown {
  return Reflect.get(method, 'signature') ?? Reflect.get(originalMethod(method), 'signature')
}

/** Adds a signature to the attribute of a method. The last decorator is applied first, so it is prepended. */
function prependSignature(method: object, declared: DeclaredSignature): void {
  const known = signatureAttribute(method)
  Object.assign(method, { signature: [declared, ...(Array.isArray(known) ? known : [])] })
}

/**
 * Returns the signatures of a method: from `static signatures` of its class or a base class, or else from its attribute
 * `signature`. The attribute has precedence if a derived class has overridden and decorated the method. Returns an
 * empty list if it has neither.
 *
 * @throws TypeError - the signatures are not a list of lists of types.
 */
export function signaturesOf(
  controllerClass: ControllerClass,
  name: string,
  method: object,
): readonly DeclaredSignature[] {
  const label = `${controllerClass.name}.${name}`
  const declared = declaredSignatures(controllerClass, name, method)
  if (declared === undefined) return []
  if (!Array.isArray(declared) || declared.length === 0) {
    throw new TypeError(`${label}: its signature must be a list of lists, such as [['string', 'int']]`)
  }
  return declared.map((signature: unknown) => checkSignature(label, signature))
}

function declaredSignatures(controllerClass: ControllerClass, name: string, method: object): unknown {
  const stated = inheritedEntry(controllerClass, 'signatures', name)
  const attribute = signatureAttribute(method)
  if (stated?.value === undefined || attribute === undefined) return stated?.value ?? attribute
  const isOverridden = definerOf(controllerClass.prototype, name) !== definerOf(stated.owner.prototype, name)
  return isOverridden ? attribute : stated.value
}

/** Checks one signature. @throws TypeError - see {@link signaturesOf}. */
function checkSignature(label: string, declared: unknown): DeclaredSignature {
  const [returns, ...parameters] = Array.isArray(declared) ? declared.map((type) => asType(label, type)) : []
  if (returns !== undefined) return [returns, ...parameters]
  throw new TypeError(
    `${label}: a signature is a list that begins with the type of the result, such as ['string', 'int']`,
  )
}

function asType(label: string, type: unknown): DeclaredType {
  if (typeof type === 'string' && isSignatureType(type)) return type
  if (isSchema(type)) return type
  throw new TypeError(
    `${label}: ${describeValue(type)} is not a type of XML-RPC. Use ${TYPE_NAMES.slice(0, -1).join(', ')} or ${TYPE_NAMES.at(-1)}, or a Standard Schema`,
  )
}

/** Results of a method other than a value of its declared type: a fault or an HTTP response. */
export type MethodOutcome = Fault | Response | HTTPException

/** A method whose types conform to a signature of XML-RPC, synchronous or asynchronous. */
export type MethodFor<S extends Signature> = (
  ...params: ParametersOf<S>
) => ReturnOf<S[0]> | MethodOutcome | Promise<ReturnOf<S[0]> | MethodOutcome>

/**
 * Declares a signature of an XML-RPC method: the type of the result, then the types of the parameters. Declare one for
 * each valid set of types. A call may leave out a parameter that has a default in the method. Calls that match none
 * are refused before hooks and method run, and the compiler compares the types of the method with each.
 *
 * The signatures become the attribute `signature` of the method: a list of lists, in the order of the decorators.
 *
 * @throws TypeError - a name is not a type of XML-RPC.
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
 *     decorate(this, { test_greet: [signature('string', 'string', 'string')] })
 *   }
 * }
 * ```
 */
export function signature<const S extends Signature>(
  ...types: S
): (method: MethodFor<S>, context?: Pick<MethodContext, 'kind' | 'name'>) => void {
  const declared = checkSignature('signature()', types)
  return (method) => prependSignature(method, declared)
}
