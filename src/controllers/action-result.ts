/** Return types of actions. */
import type { HTTPException } from '../http/exceptions.ts'
import type { Response } from '../http/response.ts'
import type { Chunk, WSGIApplication } from '../wsgi/types.ts'
import type { WSGIController } from './wsgi-controller.ts'

/**
 * Values that an action may return.
 *
 * Text, bytes and a Blob are the body. Null and undefined send `this.response`. A plain object or array is sent as
 * JSON. Iterables and streams are sent chunk by chunk. A Response (the framework's or the platform's), an
 * HTTPException and a WSGI application are sent as they are.
 */
export type ActionResult =
  | string
  | Uint8Array
  | ArrayBuffer
  | Blob
  | Nothing
  | Response
  | globalThis.Response
  | HTTPException
  | WSGIApplication
  | Iterable<Chunk>
  | AsyncIterable<Chunk>
  | ReadableStream<Uint8Array>
  | readonly unknown[]
  | JSONObject

/** The result of an action that sends `this.response`. */
// biome-ignore lint/suspicious/noConfusingVoidType: methods without a return statement return void
export type Nothing = null | undefined | void

/** Key of a property that exists in types only. */
declare const DESCRIBED: unique symbol

/** Marks the result of an action that its schema in `static results` describes. No value has this type. */
export interface DescribedMark {
  readonly [DESCRIBED]: never
}

/**
 * The result of an action in `static results` that is a number, a boolean or a Date. The compiler refuses these results
 * without it, because only a schema makes them values that can be sent. It is not needed for objects, arrays and
 * outcomes.
 *
 * @example
 * ```ts
 * import { type DescribedResult, WSGIController } from 'propylon'
 * import * as v from 'valibot'
 *
 * export class BooksController extends WSGIController {
 *   static results = { count: v.number() }
 *
 *   count(): DescribedResult<number> {
 *     return 42
 *   }
 * }
 * ```
 */
export type DescribedResult<Value> = Value | DescribedMark

/** An object that is sent as JSON. Functions have `Symbol.hasInstance`, a Date has `Symbol.toPrimitive`. */
export type JSONObject = object & {
  readonly [Symbol.hasInstance]?: never
  readonly [Symbol.toPrimitive]?: never
  readonly [Symbol.iterator]?: never
  readonly [Symbol.asyncIterator]?: never
}

/** Results by action of those actions of a controller that return what cannot be sent. Empty if all can be. */
export type UnanswerableActions<Controller> = {
  readonly [Name in keyof Controller as UnanswerableName<Controller, Name>]: ResultOf<Controller[Name]>
}

/** The name of a member if it is an action that returns what cannot be sent. */
type UnanswerableName<Controller, Name extends keyof Controller> = Name extends
  | keyof WSGIController
  | `_${string}`
  | symbol
  ? never
  : Controller[Name] extends (...args: never[]) => infer Result
    ? IsAnswerable<Settled<Result>> extends true
      ? never
      : IsReadonly<Controller, Name> extends true
        ? never
        : Name
    : never

/**
 * Whether a result can be sent. The most frequent results are compared first, which costs the compiler less.
 *
 * A type that includes every JSON value, such as `unknown`, is accepted: a decorator such as `jsonify` may send it.
 */
type IsAnswerable<Result> = [Result] extends [string | Nothing | JSONObject]
  ? true
  : [Result] extends [ActionResult]
    ? true
    : [string | number | boolean | null] extends [Result]
      ? true
      : [DescribedMark] extends [Result]
        ? true
        : false

type ResultOf<Member> = Member extends (...args: never[]) => infer Result ? Settled<Result> : never

/** The value of a promise. Costs the compiler less than `Awaited`. */
type Settled<Result> =
  Result extends Promise<infer Value> ? Value : Result extends PromiseLike<infer Value> ? Value : Result

/** Whether a member is a readonly field or a getter, which no URL reaches. */
type IsReadonly<Owner, Name extends keyof Owner> =
  (<T>() => T extends { [Key in Name]: Owner[Name] } ? 1 : 2) extends <T>() => T extends {
    -readonly [Key in Name]: Owner[Name]
  }
    ? 1
    : 2
    ? false
    : true
