/**
 * Checks of the declarations of a controller by the compiler.
 *
 * TypeScript compares the static side of a class with nothing of its instances, so the class is checked where it is a value.
 */
import type { Converter } from '../http/converters/converter.ts'
import type { Response } from '../http/response.ts'
import type { WSGIObject } from '../wsgi/types.ts'
import type { DescribedMark } from './action-result.ts'
import type { Outcome } from './outcome.ts'
import type { WSGIController } from './wsgi-controller.ts'

/** The names of the parameters of actions, in order. Types do not have them. */
export interface ParameterNames {
  readonly [action: string]: readonly string[]
}

/**
 * A controller class whose `static args`, `results`, `pages` and `statuses` fit its actions. The compiler refuses any other class,
 * and names the action. `new FrameworkApp` checks the classes of a record in this way, and `propylon check` writes
 * `.propylon/controllers.ts` with the classes of a directory.
 *
 * @typeParam Names - the names of the parameters of actions, in order. With them each parameter is compared with its own
 *   converter or body; without them each converter needs a parameter that takes its values.
 *
 * @example
 * ```ts
 * import { type CheckedController, WSGIController } from 'propylon'
 * import { int } from 'propylon/converters'
 *
 * class NotesController extends WSGIController {
 *   static args = { show: { id: int } }
 *
 *   show(id: number) {
 *     return { id }
 *   }
 * }
 *
 * export type Notes = CheckedController<typeof NotesController, { show: ['id'] }>
 * ```
 */
export type CheckedController<
  Class extends Consistent<Class, Names>,
  Names extends ParameterNames = NoNames,
> = Class

/** A record of controllers whose classes are consistent. */
export type CheckedControllers<Controllers> = {
  readonly [Name in keyof Controllers]: Checked<Controllers[Name], Problems<Controllers[Name], NoNames>>
}

type Checked<Controller, Problem> = [Problem] extends [never] ? Controller : Problem

/** Anything if a class has no problems, or otherwise texts that say what is wrong. */
type Consistent<Class, Names extends ParameterNames> = Checked<unknown, Problems<Class, Names>>

/** No parameter names. */
export type NoNames = Readonly<Record<never, never>>

type Problems<Class, Names> = Class extends { readonly prototype: infer Instance extends WSGIController }
  ?
      | (Class extends { readonly args: infer Args }
          ? ArgumentProblems<Omit<Args, PromptNames<Class>>, Instance, Names>
          : never)
      | (Class extends { readonly results: infer Results } ? ResultProblems<Results, Instance> : never)
      | (Class extends { readonly pages: infer Pages } ? NameProblems<Pages, Instance, 'pages'> : never)
      | (Class extends { readonly statuses: infer Statuses }
          ? NameProblems<Statuses, Instance, 'statuses'>
          : never)
  : never

/** The names of prompts, which need no method. */
type PromptNames<Class> = Class extends { readonly prompts: infer Prompts } ? keyof Prompts & string : never

/** The names of a record that are not actions. A record of any names is not checked. */
type NameProblems<Entries, Instance, Label extends string> = string extends keyof Entries
  ? never
  : `static ${Label} names '${Exclude<keyof Entries, keyof Instance> & string}', which is not an action`

type ArgumentProblems<Args, Instance, Names> = string extends keyof Args
  ? never
  :
      | NameProblems<Omit<Args, `_${string}`>, Instance, 'args'>
      | {
          [Action in keyof Args & keyof Instance & string]: Instance[Action] extends (
            ...args: infer Parameters
          ) => unknown
            ? Args[Action] extends readonly string[]
              ? never
              : ParameterProblems<
                  Action,
                  Args[Action],
                  Parameters,
                  Action extends keyof Names ? Names[Action] : undefined
                >
            : never
        }[keyof Args & keyof Instance & string]

type ParameterProblems<
  Action extends string,
  Converters,
  Parameters extends readonly unknown[],
  Names,
> = Names extends readonly string[]
  ? {
      [Index in keyof Names]: Index extends keyof Parameters
        ? Names[Index] extends keyof Converters
          ? Takes<Parameters[Index], OutputOf<Converters[Names[Index]]>> extends true
            ? never
            : ParameterProblem<Action, Names[Index]>
          : never
        : never
    }[number]
  : {
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
type Member<Parameter, Name> = Name extends keyof NonNullable<Parameter>
  ? NonNullable<Parameter>[Name]
  : never

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
            ? Fits<ValueOf<Result>, Results[Action]> extends true
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
type Fits<Value, Schema> = unknown extends Value
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
  | DescribedMark

/** The values that a Standard Schema gives; unknown if its type does not say it. */
type OutputOf<Schema> = Schema extends {
  readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined }
}
  ? Output
  : unknown

/** The results that a Standard Schema takes: its input, or the value of a converter. Unknown if its type does not say it. */
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
