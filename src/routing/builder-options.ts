/**
 * The options of the methods that define routes, and the types that refuse misspelt ones.
 *
 * @module
 */

import type { ResourceOptions } from './resource.ts'
import type { Conditions, ConnectOptions, DefaultValue, RouteOptions } from './route.ts'
import type { RequiredIn } from './types.ts'

/** The options of a sub-mapper, without defaults. */
export interface ScopeOptions extends RouteOptions {
  /** The beginning of every path. */
  readonly pathPrefix?: string | undefined
  /** The beginning of every name. */
  readonly namePrefix?: string | undefined
  /** The name of the resource, for `link` and the actions. Defaults to the controller. */
  readonly resourceName?: string | undefined
  /** The name of the list, for `index`. */
  readonly collectionName?: string | undefined
  /** False if the paths of `link` and of actions have no `{.format}`. */
  readonly formatted?: boolean | undefined
  /** Actions to define at once. */
  readonly actions?: readonly SubmapperAction[] | undefined
}

/** The options of a sub-mapper. Prefixes add up when nested; requirements and conditions merge, and the inner ones win. */
export interface SubmapperOptions extends ScopeOptions, ConnectOptions {}

/** The actions that a sub-mapper has a method for. */
export type SubmapperAction = 'index' | 'create' | 'new' | 'show' | 'edit' | 'update' | 'delete'

/** The options of an action. Every other key is a default or an option of `connect`. */
export interface ActionOptions extends ConnectOptions {
  /** Defaults to `<action>_<resource>`; null for none. */
  readonly name?: string | null | undefined
  /** Defaults to GET. */
  readonly method?: string
  readonly formatted?: boolean
}

/** The options of a link. Every other key is a default or an option of `connect`. */
export interface LinkOptions extends ActionOptions {
  /** The path below the prefix, and the beginning of the name. Defaults to the name. */
  readonly rel?: string
}

/** The options of `collection`. */
export interface CollectionOptions {
  /** The path of the list. Defaults to `/<collection>`. */
  readonly pathPrefix?: string | undefined
  /** The path of an entry below that of the list. Defaults to `/{id}`. */
  readonly memberPrefix?: string | undefined
  /** Defaults to the name of the member. */
  readonly controller?: string | undefined
  readonly namePrefix?: string | undefined
  /** The actions of the list. Defaults to `index`, `create` and `new`. */
  readonly collectionActions?: readonly SubmapperAction[] | undefined
  /** The actions of an entry. Defaults to `show`, `update`, `delete` and `edit`. */
  readonly memberActions?: readonly SubmapperAction[] | undefined
  /** Options of the routes of an entry. */
  readonly memberOptions?: ConnectOptions | undefined
  readonly requirements?: ConnectOptions['requirements']
  readonly formatted?: boolean | undefined
}

/** No options. */
export type NoOptions = Record<never, never>

/** The options of `connect` without misspelt ones. */
export type CheckedOptions<Options, Path extends string> = Options &
  ConnectOptions &
  Defaults<Options, RouteOptions, Path>

/** The options of `resource` without unknown ones. */
export type CheckedResource<Options> = Options & ResourceOptions & Only<Options, ResourceOptions>

/** The options of `submapper` without misspelt ones. */
export type CheckedScope<Options, PathPrefix extends string> = Options &
  SubmapperOptions &
  Defaults<Options, ScopeOptions, PathPrefix>

/** Names a misspelt option in the compiler's message. No value has this type. */
interface NotAnOption<Name extends PropertyKey> {
  readonly notAnOption: Name
}

/** Refuses all keys but those of `Known`. */
type Only<Options, Known> = [Exclude<keyof Options, keyof Known>] extends [never]
  ? unknown
  : { readonly [Key in Exclude<keyof Options, keyof Known>]: NotAnOption<Key> }

/** Refuses keys that are surely misspelt options. Every other key is a default: text, a number, a boolean or null. */
type Defaults<Options, Known, Path extends string> = string extends keyof Options
  ? unknown
  : ConditionsOf<Options> &
      ([Exclude<keyof Options, keyof Known>] extends [never] ? unknown : MisspeltOf<Options, Known, Path>)

type ConditionsOf<Options> = Options extends { readonly conditions: infer Given }
  ? { readonly conditions: Only<Given, Conditions> }
  : unknown

type MisspeltOf<Options, Known, Path extends string> = {
  readonly [Key in Exclude<keyof Options, keyof Known> as IsMisspelt<Key, Options, Known, Path> extends true
    ? Key
    : never]: NotAnOption<Key>
}

/** A value that is no default; or one that is probably meant for an option, and that the path has no parameter for. */
type IsMisspelt<Key, Options, Known, Path extends string> = Key extends keyof Options & string
  ? Options[Key] extends DefaultValue
    ? Key extends 'format' | RequiredIn<Path>
      ? false
      : Options[Key] extends string | null | undefined
        ? IsNear<Key, Exclude<TextOptions<Known>, keyof Options | RequiredIn<Path>>>
        : IsNear<Key, keyof Known & string>
    : true
  : false

type TextOptions<Known> = { [Key in keyof Known]-?: string extends Known[Key] ? Key : never }[keyof Known] &
  string

/** True if two words differ in one letter, or in the order of two. */
type IsNear<Word extends string, Known extends string> = [
  (Word | Shortened<Word>) & (Known | Shortened<Known>),
] extends [never]
  ? false
  : true

/** A word without one of its letters. */
type Shortened<Word extends string, Front extends string = ''> = Word extends `${infer Letter}${infer Rest}`
  ? `${Front}${Rest}` | Shortened<Rest, `${Front}${Letter}`>
  : never
