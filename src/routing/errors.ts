/**
 * The errors of routing. Each has a code, its subject and a fix.
 *
 * @module
 */

/** The fault in the definition of a route. */
export type RouteDefinitionCode =
  | 'E_ROUTE_SYNTAX' // The path is malformed.
  | 'E_ROUTE_PARAMETER' // A parameter is repeated, or is missing in the path of a redirect.
  | 'E_ROUTE_REQUIREMENT' // A regular expression does not compile, or can make matching slow.
  | 'E_ROUTE_METHOD' // A condition names a method that does not exist.
  | 'E_ROUTE_OPTION' // An option is unknown, missing or has a wrong value.

/** The reason why a URL cannot be generated. */
export type GenerationCode =
  | 'E_ROUTE_UNKNOWN' // There is no route of this name.
  | 'E_ROUTE_NOT_FOUND' // No route fits the given controller, action and values.
  | 'E_PARAMETER_MISSING' // A value of the path is missing.
  | 'E_PARAMETER_INVALID' // A value does not match the path or its requirement.
  | 'E_METHOD_NOT_ALLOWED' // The route does not accept the method.
  | 'E_HOST' // The host is malformed, or unknown outside of a request.

/** The subject of a routing error. Parts that do not apply are absent. */
export interface RoutingErrorDetails {
  /** The name of the route, or its path if it has no name. */
  readonly route?: string | undefined
  /** The parameter or option at fault. */
  readonly parameter?: string | undefined
  /** The path of the route, or the regular expression that a value does not match. */
  readonly pattern?: string | undefined
  /** The value at fault. */
  readonly value?: unknown
  readonly cause?: unknown
}

/**
 * Base class of the errors of routing.
 *
 * @example
 * ```ts
 * import { Mapper, RoutingError } from 'propylon/routing'
 *
 * try {
 *   new Mapper().connect('user', '/users/{id')
 * } catch (error) {
 *   if (!(error instanceof RoutingError)) throw error
 *   error.code // 'E_ROUTE_SYNTAX'
 *   console.error(error.message)
 * }
 * ```
 */
export class RoutingError<Code extends string = string> extends Error {
  override readonly name: string = 'RoutingError'
  readonly code: Code
  /** The correction, in one line. */
  readonly fix: string
  readonly route: string | undefined
  readonly parameter: string | undefined
  readonly pattern: string | undefined
  readonly value: unknown

  constructor(code: Code, message: string, fix: string, details: RoutingErrorDetails = {}) {
    super(`${message}\n  fix: ${fix}`, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.fix = fix
    this.route = details.route
    this.parameter = details.parameter
    this.pattern = details.pattern
    this.value = details.value
  }
}

/**
 * A route cannot be defined. Thrown by `connect`, `resource` and the like, never by a match.
 *
 * @example
 * ```ts
 * import { Mapper, RouteDefinitionError } from 'propylon/routing'
 *
 * try {
 *   new Mapper().connect('user', '/users/{id}', { requirements: { id: '(' } })
 * } catch (error) {
 *   if (!(error instanceof RouteDefinitionError)) throw error
 *   error.code // 'E_ROUTE_REQUIREMENT'
 *   error.parameter // 'id'
 * }
 * ```
 */
export class RouteDefinitionError extends RoutingError<RouteDefinitionCode> {
  override readonly name = 'RouteDefinitionError'
}

/**
 * A URL cannot be generated: the route is unknown, or a value is missing or does not match.
 *
 * @example
 * ```ts
 * import { GenerationError, Mapper } from 'propylon/routing'
 *
 * const map = new Mapper().connect('user', '/users/{id:\\d+}')
 * try {
 *   map.url('user', { id: 'ann' })
 * } catch (error) {
 *   if (!(error instanceof GenerationError)) throw error
 *   error.code // 'E_PARAMETER_INVALID'
 *   error.parameter // 'id'
 * }
 * ```
 */
export class GenerationError extends RoutingError<GenerationCode> {
  override readonly name = 'GenerationError'
}
