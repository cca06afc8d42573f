/** A developer's mistake, told with what is wrong and how to mend it. */
abstract class ControllerError extends Error {
  abstract readonly code: string
  /** How to mend it. */
  readonly fix: string

  constructor(message: string, fix: string, options?: ErrorOptions) {
    super(`${message}. ${fix}`, options)
    this.fix = fix
  }
}

/**
 * No action of the controller handles the request. Thrown in debug mode; in production the answer is 404.
 */
export class ActionNotFound extends ControllerError {
  override readonly name = 'ActionNotFound'
  readonly code = 'ACTION_NOT_FOUND'
  /** The status of the page that shows this error. */
  readonly status = 404
  readonly controller: string
  readonly action: string

  constructor(controller: string, action: string, known: readonly string[]) {
    const has = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`
    super(
      `Action Not Found: ${controller} has no action "${action}" (${has})`,
      `Write a public method ${action} in ${controller}, or correct the route`,
    )
    this.controller = controller
    this.action = action
  }
}

/** The names of a method's parameters are not to be had, or not the ones that were written. */
export class ParameterNamesError extends ControllerError {
  override readonly name = 'ParameterNamesError'
  readonly code = 'PARAMETER_NAMES'

  constructor(label: string, reason: string, options?: ErrorOptions) {
    const action = label.slice(label.indexOf('.') + 1)
    super(
      `${label}: ${reason}`,
      `Take one destructured parameter, ${action}({ id, … }), or state the names: static args = { ${action}: ['id', …] }`,
      options,
    )
  }
}

/** An action returned something that is no answer. */
export class UnusableResultError extends ControllerError {
  override readonly name = 'UnusableResultError'
  readonly code = 'UNUSABLE_RESULT'

  constructor(label: string, result: unknown) {
    super(
      `${label} returned a ${typeof result} (${String(result)}), which is no answer`,
      'Return text, bytes, null, an object or array (sent as JSON), a Response, an iterable of chunks or a WSGI application; throw errors',
      result instanceof Error ? { cause: result } : undefined,
    )
  }
}

/** A controller was used outside a request. */
export class NoRequestError extends ControllerError {
  override readonly name = 'NoRequestError'
  readonly code = 'NO_REQUEST'

  constructor(controller: string) {
    super(
      `${controller} is not serving a request`,
      'Use request, response, url and the like in actions and hooks, not in a constructor or a class field',
    )
  }
}
