/** Signatures of procedures: names of XML-RPC types and Standard Schemas, mixed freely. */

import type { StandardJSONSchemaV1, StandardSchemaV1, StandardTypedV1 } from '@standard-schema/spec'
import type { JSONRPCError } from '../../app/mcp/jsonrpc.ts'
import { describeValue } from '../../base/describe.ts'
import type { ControllerClass } from '../../controllers/controller-class.ts'
import type { MethodContext } from '../../controllers/decorators/decorate.ts'
import { originalMethod } from '../../controllers/parameters.ts'
import { inheritedEntry } from '../../controllers/statics.ts'
import type { JSONSchema } from '../../http/converters/json-schema.ts'
import { isSchema } from '../../http/converters/schema.ts'
import type { HTTPException } from '../../http/exceptions.ts'
import type { Response } from '../../http/response.ts'
import type { Fault } from '../xmlrpc/errors.ts'
import {
  isSignatureType,
  type ParametersOf,
  type ReturnOf,
  type Signature,
  type SignatureType,
  TYPE_NAMES,
  type ValueOf,
} from '../xmlrpc/signature.ts'

/** A declared type: the name of an XML-RPC type, or a Standard Schema. */
export type DeclaredType = SignatureType | StandardSchemaV1

/** A declared signature: the type of the result, then the types of the parameters. */
export type DeclaredSignature = readonly [returns: DeclaredType, ...parameters: DeclaredType[]]

const INT: JSONSchema = { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }

/** A 64-bit integer is text if JavaScript's numbers cannot represent it. */
const I8: JSONSchema = {
  anyOf: [
    { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    { type: 'string', pattern: `^-?(?:0|[1-9][0-9]{0,17}|${upTo(String(2n ** 63n - 1n))})$` },
  ],
}

/** Returns the pattern of the numbers with as many digits as a text that are not greater. */
function upTo(largest: string): string {
  const less = [...largest].flatMap((digit, index) => {
    const least = index === 0 ? 1 : 0
    const rest = largest.length - index - 1
    return Number(digit) > least
      ? `${largest.slice(0, index)}[${least}-${Number(digit) - 1}][0-9]{${rest}}`
      : []
  })
  return [...less, largest].join('|')
}

const BASE64 = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'

const SCHEMAS: Readonly<Record<SignatureType, StandardJSONSchemaV1>> = {
  string: describing({ type: 'string' }),
  int: describing(INT),
  i4: describing(INT),
  i8: describing(I8),
  double: describing({ type: 'number' }),
  boolean: describing({ type: 'boolean' }),
  // A date-time may be in lower case and have a leap second. DateTime has neither.
  'dateTime.iso8601': describing({
    type: 'string',
    format: 'date-time',
    pattern: 'T[0-9]{2}:[0-5][0-9]:[0-5][0-9][.0-9]*(?:Z|[+-])',
  }),
  base64: describing({ type: 'string', contentEncoding: 'base64', pattern: BASE64 }),
  struct: describing({ type: 'object' }),
  // Several MCP clients refuse an array without `items`.
  array: describing({ type: 'array', items: {} }),
  nil: describing({ type: 'null' }),
}

/** Returns the schema of a declared type. It describes the values of a named type and validates none. */
export function schemaOf(type: DeclaredType): StandardTypedV1 {
  return typeof type === 'string' ? SCHEMAS[type] : type
}

/** Returns a schema with a JSON Schema, which validates nothing. */
export function describing(schema: JSONSchema): StandardJSONSchemaV1 {
  const convert = () => ({ ...schema })
  return {
    '~standard': {
      version: 1,
      vendor: 'propylon/signature',
      jsonSchema: { input: convert, output: convert },
    },
  }
}

/** Key of the types that a value of `callSignature()` declares. */
const DECLARED: unique symbol = Symbol('propylon.signature')

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
function prependSignature(method: object, declared: DeclaredSignature): void {
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
function checkSignature(label: string, declared: unknown): DeclaredSignature {
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
    `${label}: ${describeValue(type)} is not a type of XML-RPC. Use ${TYPE_NAMES.slice(0, -1).join(', ')} or ${TYPE_NAMES.at(-1)}, or a Standard Schema`,
  )
}

function isDeclaration(value: unknown): value is SignatureDeclaration {
  return typeof value === 'function' && DECLARED in value
}

/** Returns true for a signature that consists of names of XML-RPC types. */
export function isTyped(signature: DeclaredSignature): signature is Signature {
  return signature.every((type) => typeof type === 'string')
}

/** Type of the argument that a declared parameter becomes: the output of a schema. */
type ArgumentOf<Type extends DeclaredType> = Type extends SignatureType
  ? ValueOf<Type>
  : Type extends StandardSchemaV1
    ? StandardSchemaV1.InferOutput<Type>
    : never

/** Type of the results that a declared type allows: the input of a schema. */
type ResultOf<Type extends DeclaredType> = Type extends SignatureType
  ? ReturnOf<Type>
  : Type extends StandardSchemaV1
    ? StandardSchemaV1.InferInput<Type>
    : never

type ArgumentsOf<Types extends DeclaredSignature> = Types extends readonly [
  DeclaredType,
  ...infer Parameters extends readonly DeclaredType[],
]
  ? { [Index in keyof Parameters]: ArgumentOf<Parameters[Index]> }
  : never

/** Results of a method other than a value of its declared type: a fault or an HTTP response. */
export type MethodOutcome = Fault | Response | HTTPException

/** Results of a procedure other than a value of its declared type: a failure or an HTTP response. */
export type ProcedureOutcome = Fault | JSONRPCError | Response | HTTPException

/** A method whose types conform to a signature, synchronous or asynchronous. */
export type ProcedureFor<Types extends DeclaredSignature> = (
  ...args: ArgumentsOf<Types>
) => ResultOf<Types[0]> | ProcedureOutcome | Promise<ResultOf<Types[0]> | ProcedureOutcome>

/** A signature: a method decorator, and an entry of `static signatures`. */
export interface CallSignature<Types extends DeclaredSignature = DeclaredSignature>
  extends SignatureDeclaration {
  (method: ProcedureFor<Types>, context?: { readonly kind: 'method'; readonly name: string | symbol }): void
  readonly [DECLARED]: Types
}

/**
 * Declares a signature of a procedure: the type of the result, then the types of the parameters. Each is the name of an
 * XML-RPC type or a Standard Schema (zod, valibot, ArkType, …). Calls that do not fit are refused on every face before
 * hooks and method run. A call may leave out a parameter that has a default in the method, or whose schema accepts undefined.
 * Declare one signature for each further set of types.
 *
 * A schema converts: its output is the argument, or the result that is sent. It may be asynchronous.
 *
 * Use it as a decorator, with `decorate()`, or in `static signatures`.
 *
 * @throws TypeError - a type is neither the name of an XML-RPC type nor a Standard Schema.
 *
 * @example
 * ```ts
 * import { decorate } from 'propylon/decorators'
 * import { int } from 'propylon/converters'
 * import { callSignature, RPCController } from 'propylon/rpc'
 *
 * export class StockController extends RPCController {
 *   static faces = ['xmlrpc', 'json']
 *
 *   stock_count(article: string, shelf: number) {
 *     return article.length * shelf
 *   }
 *
 *   static {
 *     decorate(this, { stock_count: [callSignature('int', 'string', int)] })
 *   }
 * }
 * ```
 */
export function callSignature<const Types extends DeclaredSignature>(...types: Types): CallSignature<Types> {
  const declared = checkSignature('callSignature()', types)
  const decorator = (method: ProcedureFor<Types>): void => prependSignature(method, declared)
  return Object.assign(decorator, { [DECLARED]: types })
}

/** A method whose types conform to a signature of XML-RPC, synchronous or asynchronous. */
export type MethodFor<S extends Signature> = (
  ...params: ParametersOf<S>
) => ReturnOf<S[0]> | MethodOutcome | Promise<ReturnOf<S[0]> | MethodOutcome>

/**
 * Declares a signature of an XML-RPC method: the type of the result, then the types of the parameters. Declare one for
 * each valid set of types. A call may leave out a parameter that has a default in the method. Calls that match none are refused before hooks and method run, and the compiler
 * compares the types of the method with each.
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
