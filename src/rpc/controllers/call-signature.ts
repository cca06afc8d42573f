/** Declares the types of procedures. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { JSONRPCError } from '../../app/mcp/jsonrpc.ts'
import type { MethodContext } from '../../controllers/decorators/decorate.ts'
import type { HTTPException } from '../../http/exceptions.ts'
import type { Response } from '../../http/response.ts'
import type { Fault } from '../xmlrpc/fault.ts'
import type { ParametersOf, ReturnOf, Signature, SignatureType, ValueOf } from '../xmlrpc/types.ts'
import type { DeclaredSignature, DeclaredType } from './declared-types.ts'
import { checkSignature, DECLARED, prependSignature, type SignatureDeclaration } from './signatures.ts'

/** Type of the argument that a declared parameter becomes: the output of a schema. */
export type ArgumentOf<Type extends DeclaredType> = Type extends SignatureType
  ? ValueOf<Type>
  : Type extends StandardSchemaV1
    ? StandardSchemaV1.InferOutput<Type>
    : never

/** Type of the results that a declared type allows: the input of a schema. */
export type ResultOf<Type extends DeclaredType> = Type extends SignatureType
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
