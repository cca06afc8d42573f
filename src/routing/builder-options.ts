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
}

/**
 * The options of a sub-mapper. Prefixes add up when nested; requirements and conditions merge, and the inner ones
 * win.
 */
export interface SubmapperOptions extends ScopeOptions, ConnectOptions {}

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
