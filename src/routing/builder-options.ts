/**
 * The options of the methods that define routes, and the types that refuse what is not one.
 *
 * @module
 */

import type { ResourceOptions } from './resource.ts'
import type { Conditions, ConnectOptions, DefaultValue, RouteOptions } from './route.ts'

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

/**
 * The options of a sub-mapper. Prefixes add up when nested; requirements and conditions merge, and the inner ones
 * win.
 */
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
  /** The path of an entry below the path of the list. Defaults to `/{id}`. */
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

/** The options of `connect`. */
export type CheckedOptions<Options> = Options & ConnectOptions & Defaults<Options, RouteOptions>

/** The options of `resource` without unknown ones. */
export type CheckedResource<Options> = Options & ResourceOptions & Only<Options, ResourceOptions>

/** The options of `submapper`. */
export type CheckedScope<Options> = Options & SubmapperOptions & Defaults<Options, ScopeOptions>

/** Names an unknown option in the compiler's message. No value has this type. */
interface NotAnOption<Name extends PropertyKey> {
  readonly notAnOption: Name
}

/** Refuses all keys but the keys of `Known`. */
type Only<Options, Known> = [Exclude<keyof Options, keyof Known>] extends [never]
  ? unknown
  : { readonly [Key in Exclude<keyof Options, keyof Known>]: NotAnOption<Key> }

/** Refuses keys whose values cannot be defaults. Every other key is a default: text, a number, a boolean or null. */
type Defaults<Options, Known> = string extends keyof Options
  ? unknown
  : ConditionsOf<Options> & {
      readonly [Key in Exclude<keyof Options, keyof Known> as Options[Key] extends DefaultValue
        ? never
        : Key]: NotAnOption<Key>
    }

type ConditionsOf<Options> = Options extends { readonly conditions: infer Given }
  ? { readonly conditions: Only<Given, Conditions> }
  : unknown
