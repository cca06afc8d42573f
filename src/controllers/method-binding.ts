import type { BodyParameter, Converters } from './declared-arguments.ts'
import type { DeclaredResult } from './declared-results.ts'
import type { Parameters } from './parameters.ts'

/** Argument values by parameter name. Has no prototype. */
export type NamedArguments = Record<string, unknown>

/** A method and the parameters by which it receives its arguments. */
export interface MethodBinding {
  readonly method: (...args: unknown[]) => unknown
  readonly parameters: Parameters
  /** Converters that `static args` declares, by argument name, without `body()`. Undefined if it declares no converter and no body. */
  readonly converters: Converters | undefined
  /** The argument that `static args` declares with `body()`. */
  readonly body: BodyParameter | undefined
  /** Declarations of the class about the result. Undefined if there are none. */
  readonly result: DeclaredResult | undefined
  /** Class and method for messages: `UsersController.show`. */
  readonly label: string
  /** Whether it is `__before__` or `__after__`. */
  readonly isHook: boolean
  /**
   * The sources of its arguments: the match only, all that `_get_method_args` returns, or in addition what `static args` declares.
   */
  readonly takes: 'match' | 'request' | 'declared'
  /** Whether the match supplies every argument that is not declared. */
  readonly usesMatchOnly: boolean
  /** Whether it has the parameter `format`. */
  readonly takesFormat: boolean
  /** Whether the response may depend on the Accept header: it shows a page, or takes the format. */
  readonly isNegotiable: boolean
  /** Whether it has the parameter `signal`, without a converter. */
  readonly takesSignal: boolean
  /** Whether `static args` states the names of the parameters, so that no build renames them. */
  readonly isStated: boolean
  /** Whether the parameter names have been compared with the arguments of a request, see `invoke`. */
  checked: boolean
}

/** Metadata of a controller class. */
export interface ControllerMetadata {
  readonly name: string
  /** Whether any method of the class has converters. */
  readonly hasConverters: boolean
  readonly before: MethodBinding | undefined
  readonly after: MethodBinding | undefined
  /** Returns the action with this name. A dash in the name matches an underscore. */
  action(name: string): MethodBinding | undefined
  /** Returns any method of the application's own classes. Not for names from URLs: it includes private methods. */
  method(name: string): MethodBinding | undefined
  /** Returns true for a member of the framework's base class or of Object.prototype, whose name no action can have. */
  isReserved(name: string): boolean
  /** Names of all actions, sorted. */
  readonly actionNames: readonly string[]
  /** The framework's `_get_method_args`, which a class may override. */
  readonly defaultMethodArguments: unknown
}
