/**
 * The errors of routing. Each has a code, its subject and a fix.
 *
 * @module
 */

import { withCode } from '../base/error-code.ts'

/** The fault in the definition of a route. */
export type RouteDefinitionCode =
  // The path is malformed. A parameter is `{name}` or `{name:requirement}`, and each brace is closed.
  | 'E_ROUTE_SYNTAX'
  // A parameter is repeated, or is missing in the path of a redirect. Rename one of them, or use the name in the
  // source.
  | 'E_ROUTE_PARAMETER'
  // A regular expression does not compile. The message names the place.
  | 'E_ROUTE_REQUIREMENT'
  // A condition names a method that is not a token (`GET` is one), or the mapper has more than 30 different methods.
  | 'E_ROUTE_METHOD'
  // An option is unknown, missing or has a wrong value. The message names the nearest one.
  // [Routing](routing.md#routes) has all.
  | 'E_ROUTE_OPTION'

/** The reason why a URL cannot be generated. */
export type GenerationCode =
  // There is no route of this name. `npx propylon routes` lists the names.
  | 'E_ROUTE_UNKNOWN'
  // No route fits the given controller, action and values. Name the route instead, or define one.
  | 'E_ROUTE_NOT_FOUND'
  // A value of the path is missing. Pass it: `url('user', { id: 7 })`.
  | 'E_PARAMETER_MISSING'
  // A value does not match the path or its requirement, so that the URL would not lead back to the route. Pass one
  // that does.
  | 'E_PARAMETER_INVALID'
  // The route does not accept the method. Generate the URL of a route that does.
  | 'E_METHOD_NOT_ALLOWED'
  // The host is malformed, or unknown outside of a request. Pass `host`: a name, with a port if necessary.
  | 'E_HOST'

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
    super(
      withCode(`${message}\n  fix: ${fix}`, code),
      details.cause === undefined ? undefined : { cause: details.cause },
    )
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
