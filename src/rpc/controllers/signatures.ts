/** Signatures that a class declares for its methods: names of XML-RPC types and Standard Schemas, mixed freely. */

import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describeValue } from '../../base/describe.ts'
import type { ControllerClass } from '../../controllers/controller-class.ts'
import { originalMethod } from '../../controllers/parameters.ts'
import { inheritedEntry } from '../../controllers/statics.ts'
import { isSchema } from '../../http/converters/schema.ts'
import { isSignatureType, type Signature } from '../xmlrpc/signature.ts'
import type { DeclaredSignature, DeclaredType } from './declared-types.ts'

/** Key of the types that a value of `callSignature()` declares. */
export const DECLARED: unique symbol = Symbol('propylon.signature')

/** A value of `callSignature()`, as `static signatures` may have it. */
export interface SignatureDeclaration {
  readonly [DECLARED]: DeclaredSignature
}

/** The signatures of one method in `static signatures`. */
export type StatedSignatures =
  | SignatureDeclaration
  | readonly (SignatureDeclaration | readonly (string | StandardSchemaV1)[])[]

/** Returns the attribute `signature` of a method, or undefined. */
function signatureAttribute(method: object): unknown {
  return Reflect.get(method, 'signature') ?? Reflect.get(originalMethod(method), 'signature')
}

/** Adds a signature to the attribute of a method. The last decorator is applied first, so it is prepended. */
export function prependSignature(method: object, declared: DeclaredSignature): void {
  const known = signatureAttribute(method)
  Object.assign(method, { signature: [declared, ...(Array.isArray(known) ? known : [])] })
}

/**
 * Returns the signatures of a method: from `static signatures` of its class or a base class, or else from its attribute
 * `signature`. The attribute has precedence if a derived class has overridden and decorated the method. Returns an empty
 * list if it has neither.
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
  const list = isDeclaration(declared) ? [declared] : declared
  if (!Array.isArray(list) || list.length === 0) {
    throw new TypeError(`${label}: its signature must be a list of lists, such as [['string', 'int']]`)
  }
  const [first] = list
  if (typeof first === 'string') {
    throw new TypeError(
      `${label}: the list of signatures begins with the text "${first}". Write each signature as a list: [['${first}', …]]`,
    )
  }
  return list.map((signature: unknown) => checkSignature(label, signature))
}

function declaredSignatures(controllerClass: ControllerClass, name: string, method: object): unknown {
  const stated = inheritedEntry(controllerClass, 'signatures', name)
  const attribute = signatureAttribute(method)
  if (stated?.value === undefined || attribute === undefined) return stated?.value ?? attribute
  const isOverridden = Object.prototype.isPrototypeOf.call(stated.owner, ownerOf(controllerClass, name) ?? {})
  return isOverridden ? attribute : stated.value
}

/** Returns the class in which a method is written. */
function ownerOf(controllerClass: ControllerClass, name: string): object | undefined {
  let owner: object | null = controllerClass
  while (typeof owner === 'function') {
    const prototype: unknown = Reflect.get(owner, 'prototype')
    if (typeof prototype === 'object' && prototype !== null && Object.hasOwn(prototype, name)) return owner
    owner = Object.getPrototypeOf(owner)
  }
  return undefined
}

/** Checks one signature. @throws TypeError - see {@link signaturesOf}. */
export function checkSignature(label: string, declared: unknown): DeclaredSignature {
  if (isDeclaration(declared)) return declared[DECLARED]
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
    `${label}: ${describeValue(type)} is not a type of XML-RPC. Use int, boolean, string, double, dateTime.iso8601, base64, struct, array, i8 or nil, or a Standard Schema`,
  )
}

function isDeclaration(value: unknown): value is SignatureDeclaration {
  return typeof value === 'function' && DECLARED in value
}

/** Returns true for a signature that consists of names of XML-RPC types. */
export function isTyped(signature: DeclaredSignature): signature is Signature {
  return signature.every((type) => typeof type === 'string')
}
