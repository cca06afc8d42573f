/** Signatures that a class declares for its methods. */
import { describeValue } from '../../wsgi/describe.ts'
import { isSignatureType } from '../../xmlrpc/signature.ts'
import type { Signature } from '../../xmlrpc/types.ts'
import type { ControllerClass } from '../metadata.ts'
import { originalMethod } from '../parameters.ts'
import { inheritedStatic } from '../statics.ts'

/** Returns the attribute `signature` of a method, or undefined. */
export function signatureAttribute(method: object): unknown {
  return Reflect.get(method, 'signature') ?? Reflect.get(originalMethod(method), 'signature')
}

/**
 * Returns the signatures of a method: from `static signatures` of its class or a base class, or else from its attribute
 * `signature`. Returns an empty list if it has neither.
 *
 * @throws TypeError - the signatures are not a list of lists of type names.
 */
export function signaturesOf(
  controllerClass: ControllerClass,
  name: string,
  method: object,
): readonly Signature[] {
  const label = `${controllerClass.name}.${name}`
  const stated = inheritedStatic(controllerClass, 'signatures', name)
  const declared = stated === undefined ? signatureAttribute(method) : stated
  return declared === undefined ? [] : checkSignatures(label, declared)
}

/** Checks declared signatures. @throws TypeError - see {@link signaturesOf}. */
export function checkSignatures(label: string, declared: unknown): readonly Signature[] {
  if (!Array.isArray(declared) || declared.length === 0) {
    throw new TypeError(`${label}: its signature must be a list of lists, such as [['string', 'int']]`)
  }
  return declared.map((signature: unknown) => checkSignature(label, signature))
}

/** Checks one signature. @throws TypeError - see {@link signaturesOf}. */
export function checkSignature(label: string, declared: unknown): Signature {
  const [returns, ...parameters] = Array.isArray(declared) ? declared.map((type) => asType(label, type)) : []
  if (returns !== undefined) return [returns, ...parameters]
  throw new TypeError(
    `${label}: a signature is a list that begins with the type of the result, such as ['string', 'int']`,
  )
}

function asType(label: string, type: unknown): Signature[0] {
  if (typeof type === 'string' && isSignatureType(type)) return type
  throw new TypeError(
    `${label}: ${describeValue(type)} is not a type of XML-RPC. Use int, boolean, string, double, dateTime.iso8601, base64, struct, array, i8 or nil`,
  )
}

/** Formats signatures for `system.methodHelp`: `[['string', 'int']]`. */
export function formatSignatures(signatures: readonly Signature[]): string {
  const lists = signatures.map((signature) => `[${signature.map((type) => `'${type}'`).join(', ')}]`)
  return `[${lists.join(', ')}]`
}
