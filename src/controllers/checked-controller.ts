/**
 * Checks of the declarations of controllers by the compiler.
 *
 * TypeScript compares the static side of a class with nothing of its instances, so `new FrameworkApp` checks the
 * classes of a record, and `propylon check` writes a module with a line for each question about the classes of a
 * directory.
 */
import type { Converter } from '../http/converters/converter.ts'
import type { Response } from '../http/response.ts'
import type { WSGIObject } from '../wsgi/types.ts'
import type { Outcome } from './outcome.ts'
import type { WSGIController } from './wsgi-controller.ts'

/** A record of controllers whose classes are consistent. */
export type CheckedControllers<Controllers> = {
  readonly [Name in keyof Controllers]: Checked<Controllers[Name], Problems<Controllers[Name]>>
}

type Checked<Controller, Problem> = [Problem] extends [never] ? Controller : Problem

type Problems<Class> = Class extends { readonly prototype: infer Instance extends WSGIController }
  ?
      | (Class extends { readonly args: infer Args }
          ? ArgumentProblems<Omit<Args, PromptNames<Class>>, Instance>
          : never)
      | (Class extends { readonly results: infer Results } ? ResultProblems<Results, Instance> : never)
      | (Class extends { readonly pages: infer Pages } ? NameProblems<Pages, Instance, 'pages'> : never)
      | (Class extends { readonly statuses: infer Statuses } ? NameProblems<Statuses, Instance, 'statuses'> : never)
  : never

/** The names of prompts, which need no method. */
type PromptNames<Class> = Class extends { readonly prompts: infer Prompts } ? keyof Prompts & string : never

/** The names of a record that are not actions. A record of any names is not checked. */
type NameProblems<Entries, Instance, Label extends string> = string extends keyof Entries
  ? never
  : `static ${Label} names '${Exclude<keyof Entries, keyof Instance> & string}', which is not an action`

type ArgumentProblems<Args, Instance> = string extends keyof Args
  ? never
  :
      | NameProblems<Omit<Args, `_${string}`>, Instance, 'args'>
      | {
          [Action in keyof Args & keyof Instance & string]: Instance[Action] extends (
            ...args: infer Parameters
          ) => unknown
            ? Args[Action] extends readonly string[]
              ? never
              : ParameterProblems<Action, Args[Action], Parameters>
            : never
        }[keyof Args & keyof Instance & string]

type ParameterProblems<Action extends string, Converters, Parameters extends readonly unknown[]> = {
  [Name in keyof Converters & string]: Takes<
    Parameters[number] | Member<Parameters[0], Name>,
    OutputOf<Converters[Name]>
  > extends true
    ? never
    : ParameterProblem<Action, Name>
}[keyof Converters & string]

type ParameterProblem<
  Action extends string,
  Name,
> = `${Action}() cannot take the value that static args has for '${Name & string}'`

/** The member of a destructured parameter. */
type Member<Parameter, Name> = Name extends keyof NonNullable<Parameter> ? NonNullable<Parameter>[Name] : never

/** Whether a parameter takes the values of a converter. */
type Takes<Parameter, Output> = unknown extends Output
  ? true
  : [Output] extends [Parameter]
    ? true
    : [Output] extends [ReadonlyDeep<Parameter>]
      ? true
      : false

type ResultProblems<Results, Instance> = string extends keyof Results
  ? never
  :
      | NameProblems<Results, Instance, 'results'>
      | {
          [Action in keyof Results & keyof Instance & string]: Instance[Action] extends (
            ...args: never[]
          ) => infer Result
            ? TakesResult<ValueOf<Result>, Results[Action]> extends true
              ? never
              : ResultProblem<Action, ValueOf<Result>, Results[Action]>
            : never
        }[keyof Results & keyof Instance & string]

type ResultProblem<Action extends string, Value, Schema> = [Schema] extends [null]
  ? `${Action}() returns a value, but static results says that it gives none (null)`
  : undefined extends Value
    ? `${Action}() returns created() or done() without a value, but static results has a schema for it`
    : `${Action}() returns a value that its schema in static results does not take`

/** Whether a schema takes a value; null takes none. */
type TakesResult<Value, Schema> = unknown extends Value
  ? true
  : [Schema] extends [null]
    ? [Value] extends [null | undefined]
      ? true
      : false
    : [Value] extends [InputOf<Schema>]
      ? true
      : [Value] extends [ReadonlyDeep<InputOf<Schema>>]
        ? true
        : false

/** The value of a result that its schema describes: not what is sent without it. */
type ValueOf<Result> =
  Result extends PromiseLike<infer Value>
    ? ValueOf<Value>
    : Result extends Outcome<infer Value>
      ? Value
      : Result extends readonly unknown[]
        ? Result
        : Result extends Unchecked
          ? never
          : Result

/** Results that are sent without a schema. */
type Unchecked =
  | string
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: methods without a return statement return void
  | void
  | Uint8Array
  | ArrayBuffer
  | Blob
  | Iterable<unknown>
  | AsyncIterable<unknown>
  | Response
  | globalThis.Response
  | Error
  | WSGIObject
  | ((...args: never[]) => unknown)

/** The values that a Standard Schema gives; unknown if its type does not say it. */
type OutputOf<Schema> = Schema extends {
  readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined }
}
  ? Output
  : unknown

/**
 * The results that a Standard Schema takes: its input, or the value of a converter. Unknown if its type does not say
 * it.
 */
type InputOf<Schema> = Schema extends Converter
  ? OutputOf<Schema>
  : Schema extends {
        readonly '~standard': { readonly types?: { readonly input: infer Input } | undefined }
      }
    ? Input
    : unknown

/** A type whose arrays and members are readonly, which makes it accept more. */
type ReadonlyDeep<Type> = Type extends readonly (infer Element)[]
  ? readonly ReadonlyDeep<Element>[]
  : Type extends Date | Blob | ((...args: never[]) => unknown)
    ? Type
    : Type extends object
      ? { readonly [Name in keyof Type]: ReadonlyDeep<Type[Name]> }
      : Type

/**
 * A question to the compiler, in a line that `propylon check` writes: whether a type has the values that it should
 * have.
 *
 * @typeParam Wanted - the values that are taken.
 * @typeParam Given - the values that are given.
 */
export type Fits<Wanted, Given extends Wanted> = Given

/** The parameter of an action by its index, or by its name if the action takes one destructured object. */
export type ParameterOf<Class, Action, Parameter extends string> =
  MethodOf<Class, Action> extends (...args: infer Parameters) => unknown
    ? Parameter extends keyof Parameters
      ? ReadonlyDeep<Parameters[Parameter]>
      : Parameters extends readonly [infer Only, ...unknown[]]
        ? ReadonlyDeep<Member<Only, Parameter>>
        : unknown
    : unknown

/** The value that a converter or a body gives to a parameter. */
export type ConvertedBy<Class, Action, Name> = Known<OutputOf<ConverterOf<Class, Action, Name>>>

/** The values that a converter takes. */
export type ConverterInput<Class, Action, Name> = [ConverterOf<Class, Action, Name>] extends [never]
  ? unknown
  : InputOf<ConverterOf<Class, Action, Name>>

/** The text that a match gives: one of the texts that are wanted, or any. */
export type MatchText<Wanted> = [Extract<Wanted, string>] extends [never] ? string : Extract<Wanted, string>

/** The value that an action returns, without what is sent as it is. */
export type ResultOf<Class, Action> = Known<ValueOf<ReturnOf<Class, Action>>>

/** The values that `static results` takes for an action. */
export type DeclaredResultOf<Class, Action> = Class extends { readonly results: infer Results }
  ? Action extends keyof Results
    ? [Results[Action]] extends [null]
      ? null | undefined
      : ReadonlyDeep<InputOf<Results[Action]>>
    : unknown
  : unknown

/** The part of a result that cannot be sent. */
export type UnsendableResult<Class, Action> = Unsendable<ReturnOf<Class, Action>>

/** `void` for a procedure that returns nothing. */
export type EmptyResult<Class, Action> = Emptiness<Known<Awaited<ReturnOf<Class, Action>>>>

/** The names of the members of a result, which a page reads from `it`. */
export type ResultMember<Class, Action> = MemberOf<Shown<ReturnOf<Class, Action>>>

type MethodOf<Class, Action> = Class extends { readonly prototype: infer Instance }
  ? Action extends keyof Instance
    ? Instance[Action]
    : never
  : never

type ReturnOf<Class, Action> = MethodOf<Class, Action> extends (...args: never[]) => infer Result ? Result : never

type ConverterOf<Class, Action, Name> = Class extends { readonly args: infer Args }
  ? Action extends keyof Args
    ? Name extends keyof Args[Action]
      ? Args[Action][Name]
      : never
    : never
  : never

/** A type that fits every other if it is not known. */
type Known<Type> = unknown extends Type ? never : Type

type Unsendable<Result> = unknown extends Result
  ? never
  : Result extends PromiseLike<infer Value>
    ? Unsendable<Value>
    : Extract<Result, number | boolean | bigint | symbol | Date>

// biome-ignore lint/suspicious/noConfusingVoidType: methods without a return statement return void
type Emptiness<Value> = [Value] extends [never] ? never : [Value] extends [void | undefined] ? void : never

/** The result that a page shows: neither one that is sent as it is, nor an outcome, which redirects browsers. */
type Shown<Result> = unknown extends Result
  ? unknown
  : Result extends PromiseLike<infer Value>
    ? Shown<Value>
    : // biome-ignore lint/suspicious/noConfusingVoidType: methods without a return statement return void
      Result extends void | undefined
      ? undefined
      : Result extends readonly unknown[]
        ? Result
        : Result extends Unchecked | Outcome
          ? never
          : Result

type MemberOf<Value> = [Value] extends [never]
  ? string
  : unknown extends Value
    ? string
    : Value extends readonly unknown[]
      ? never
      : keyof Value
