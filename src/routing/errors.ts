/**
 * The errors of routing: each has a code, names what it is about, and says how to mend it.
 *
 * @module
 */

/** What is wrong with the definition of a route. */
export type RouteDefinitionCode =
  | 'E_ROUTE_SYNTAX'
  | 'E_ROUTE_PARAMETER'
  | 'E_ROUTE_REQUIREMENT'
  | 'E_ROUTE_METHOD'
  | 'E_ROUTE_OPTION'

/** Why a URL cannot be generated. */
export type GenerationCode =
  | 'E_ROUTE_UNKNOWN'
  | 'E_ROUTE_NOT_FOUND'
  | 'E_PARAMETER_MISSING'
  | 'E_PARAMETER_INVALID'
  | 'E_METHOD_NOT_ALLOWED'
  | 'E_HOST'

/** What a routing error is about; absent parts play no role in it. */
export interface RoutingErrorDetails {
  /** The name of the route, or its path where it has no name. */
  readonly route?: string | undefined
  /** The parameter or option at fault. */
  readonly parameter?: string | undefined
  /** The route's path, or the regular expression that was not satisfied. */
  readonly pattern?: string | undefined
  /** The value that does not fit. */
  readonly value?: unknown
  readonly cause?: unknown
}

/** The common part of all errors that routing throws: `code`, what it is about, and the `fix`. */
export class RoutingError<Code extends string = string> extends Error {
  override readonly name: string = 'RoutingError'
  readonly code: Code
  /** One line: how to mend it. */
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

/** A route that cannot be defined: thrown by `connect`, `resource` and their kin, never while a request is answered. */
export class RouteDefinitionError extends RoutingError<RouteDefinitionCode> {
  override readonly name = 'RouteDefinitionError'
}

/** A URL that cannot be generated: unknown route, missing or ill-fitting value. */
export class GenerationError extends RoutingError<GenerationCode> {
  override readonly name = 'GenerationError'
}
