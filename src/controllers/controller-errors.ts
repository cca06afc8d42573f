import type { StandardSchemaV1 } from '@standard-schema/spec'
import { withCode } from '../base/error-code.ts'
import { nearest } from '../base/suggest.ts'
import { issueSteps } from '../http/converters/schema.ts'

/** Base class of errors in an application's code. The message ends with how to fix them. */
export abstract class ControllerError<Code extends string> extends Error {
  readonly code: Code
  /** Correction of the mistake. */
  readonly fix: string

  constructor(code: Code, message: string, fix: string, options?: ErrorOptions) {
    super(withCode(`${message}. ${fix}.`, code), options)
    this.code = code
    this.fix = fix
  }
}

/**
 * No action of the controller handles the request. Thrown in debug mode; in production the response is a plain 404.
 *
 * Write a public method with the name of the action, or correct the route. A dash of the URL is an underscore of the
 * name. Methods that begin with an underscore or `#`, fields and getters are not actions.
 *
 * @example
 * ```ts
 * import { ActionNotFound, WSGIController } from 'propylon'
 *
 * export class UsersController extends WSGIController {
 *   index() {
 *     return 'Ann'
 *   }
 * }
 *
 * // GET /users/list with the route /{controller}/{action}:
 * const error = new ActionNotFound('UsersController', 'list', ['index'])
 * error.message // 'Action Not Found: UsersController has no action "list". Its actions: index. Write …'
 * ```
 */
export class ActionNotFound extends ControllerError<'ACTION_NOT_FOUND'> {
  override readonly name = 'ActionNotFound'
  /** The status of the page that shows this error. */
  readonly status = 404
  readonly controller: string
  readonly action: string

  /** @param isReserved - whether the base class has a member of this name. */
  constructor(controller: string, action: string, known: readonly string[], isReserved = false) {
    const meant = nearest(action, known)
    const hint = meant === undefined ? '' : `Did you mean "${meant}"? `
    const has = known.length === 0 ? 'It has none' : `Its actions: ${known.join(', ')}`
    const remedy = isReserved
      ? 'The base class has a member of this name, which no action can have: write a public method of another name'
      : `Write a public method ${action} in ${controller}`
    super(
      'ACTION_NOT_FOUND',
      `Action Not Found: ${controller} has no action "${action}"`,
      `${hint}${has}. ${remedy}, or correct the route`,
    )
    this.controller = controller
    this.action = action
  }
}

/**
 * The parameter names of a method cannot be read, or were renamed by a build.
 *
 * An action receives its arguments by the names of its parameters, which a minifier changes. Take one destructured
 * parameter, state the names (`static args = { show: ['id'] }`), or have the build keep the names.
 *
 * @example
 * ```ts
 * import { ParameterNamesError, WSGIController } from 'propylon'
 *
 * export class UsersController extends WSGIController {
 *   // Prevents the error if a minifier renames `id`.
 *   static args = { show: ['id'] }
 *
 *   show(id: string) {
 *     return id
 *   }
 * }
 *
 * export const isRenamed = (error: unknown) => error instanceof ParameterNamesError
 * ```
 */
export class ParameterNamesError extends ControllerError<'PARAMETER_NAMES'> {
  override readonly name = 'ParameterNamesError'

  /**
   * @param label - class and method. A build may have renamed the class.
   * @param options - `controller` is the name of the controller in routes.
   */
  constructor(
    label: string,
    reason: string,
    { controller, ...options }: ErrorOptions & { readonly controller?: string | undefined } = {},
  ) {
    const action = label.slice(label.indexOf('.') + 1)
    const named = controller === undefined ? label : `${label} of the controller "${controller}"`
    super(
      'PARAMETER_NAMES',
      `${named}: ${reason}`,
      `Take one destructured parameter, ${action}({ id, … }), state the names, static args = { ${action}: ['id', …] }, or have the build keep the names of parameters. If nothing renamed them, let a route or a converter in static args supply them`,
      options,
    )
  }
}

/**
 * A method takes an argument that nothing supplies, and whose name is nearly one that a route, a converter or the
 * framework supplies.
 *
 * Correct the name. In production an action is called without the argument, and the reason is logged once. A hook is
 * not called, since it may refuse requests: these are 500.
 *
 * @example
 * ```ts
 * import { ArgumentNotSupplied, WSGIController } from 'propylon'
 *
 * export class UsersController extends WSGIController {
 *   // With the route /users/{id}, `idd` would raise the error.
 *   show(id: string) {
 *     return { id }
 *   }
 * }
 *
 * export const isMisspelt = (error: unknown) => error instanceof ArgumentNotSupplied
 * ```
 */
export class ArgumentNotSupplied extends ControllerError<'ARGUMENT_NOT_SUPPLIED'> {
  override readonly name = 'ArgumentNotSupplied'
  readonly argument: string

  constructor(argument: string, message: string, fix: string) {
    super('ARGUMENT_NOT_SUPPLIED', message.replace(/\.$/, ''), fix.replace(/\.$/, ''))
    this.argument = argument
  }
}

/**
 * An action rendered a template, returned nothing and set no body, so that its page would be empty. Thrown in debug
 * mode; in production the page is sent, and the reason is logged once.
 *
 * Return the text that `this.render()` returns. An action that has no page, because it renders a mail for instance,
 * declares it by `static results = { send: null }`, or sets the status 204.
 *
 * @example
 * ```ts
 * import { ForgottenResultError, WSGIController } from 'propylon'
 *
 * export class UsersController extends WSGIController {
 *   index() {
 *     // Without `return` the page would be empty.
 *     return this.render('users/index')
 *   }
 * }
 *
 * const error = new ForgottenResultError('UsersController.index')
 * error.message // 'UsersController.index() renders a template, but returns nothing. Write return before this.render(…). …'
 * ```
 */
export class ForgottenResultError extends ControllerError<'RESULT_FORGOTTEN'> {
  override readonly name = 'ForgottenResultError'

  constructor(label: string) {
    super(
      'RESULT_FORGOTTEN',
      `${label}() renders a template, but returns nothing`,
      'Write return before this.render(…)',
    )
  }
}

/**
 * An action returned a value that is not a response, such as a number.
 *
 * A number, a boolean or a Date can mean several things as a response. Return its text, an object for JSON, or
 * decorate the action with `jsonify`, which sends any value as JSON.
 *
 * @example
 * ```ts
 * import { UnusableResultError, WSGIController } from 'propylon'
 *
 * export class UsersController extends WSGIController {
 *   // The compiler refuses `return 42` in an action, unless the declared return type hides it.
 *   count(): unknown {
 *     return 42 // 500: return String(42), or { count: 42 } for JSON
 *   }
 * }
 *
 * const error = new UnusableResultError('UsersController.count', 42)
 * error.message // 'UsersController.count() returned a number (42). Return a string, bytes, null, …'
 * ```
 */
export class UnusableResultError extends ControllerError<'UNUSABLE_RESULT'> {
  override readonly name = 'UnusableResultError'

  constructor(label: string, result: unknown) {
    super(
      'UNUSABLE_RESULT',
      `${label}() returned ${describeResult(result)}`,
      'Return a string, bytes, null, a plain object or array (JSON), a Response, an iterable or a WSGI application',
      result instanceof Error ? { cause: result } : undefined,
    )
  }
}

function describeResult(result: unknown): string {
  if (result instanceof Error) return `an error (${result.message}), which must be thrown`
  return `${result instanceof Date ? 'a Date' : `a ${typeof result}`} (${String(result)})`
}

/**
 * An action returned a value that its schema in `static results` refuses. Nothing of it is sent.
 *
 * Change the action, or the schema. The message names the path of each member that does not fit.
 *
 * @example
 * ```ts
 * import { ResultSchemaError, WSGIController } from 'propylon'
 * import * as v from 'valibot'
 *
 * export class BooksController extends WSGIController {
 *   static results = { show: v.object({ title: v.string() }) }
 *
 *   show(): unknown {
 *     return { title: null } // 500
 *   }
 * }
 *
 * const error = new ResultSchemaError('BooksController.show', [{ path: ['title'], message: 'must be text' }])
 * error.message // 'BooksController.show() returned a value that static results refuses: title: must be text. …'
 * ```
 */
export class ResultSchemaError extends ControllerError<'RESULT_SCHEMA'> {
  override readonly name = 'ResultSchemaError'
  readonly issues: readonly StandardSchemaV1.Issue[]

  constructor(label: string, issues: readonly StandardSchemaV1.Issue[]) {
    super(
      'RESULT_SCHEMA',
      `${label}() returned a value that static results refuses: ${issues.map(describeIssue).join('; ')}`,
      'Return what the schema describes, or change the schema',
    )
    this.issues = issues
  }
}

function describeIssue(issue: StandardSchemaV1.Issue): string {
  const steps = issueSteps(issue)
  const text = issue.message.replace(/\.$/, '')
  return steps.length === 0 ? text : `${steps.join('.')}: ${text}`
}

/**
 * A method of a controller has the name of a member of the framework's base class, such as `session` or `render`, or of
 * Object.prototype, such as `toString`.
 *
 * No request is served by a class that replaces an accessor, such as `session`, and by a service with any such
 * method. In a controller with actions any other such method is not an action: the error is shown in debug mode if a
 * URL names it, and in production the response is a plain 404. Rename the method. A route to the new name keeps the
 * URL, and `static publicNames` the name of a procedure.
 *
 * @example
 * ```ts
 * import { Mapper, ReservedMemberError, WSGIController } from 'propylon'
 *
 * export class UsersController extends WSGIController {
 *   // An action named `session` would raise the error.
 *   login() {
 *     return 'Welcome'
 *   }
 * }
 *
 * // Keeps the URL /users/session.
 * export const map = new Mapper().connect('/users/session', { controller: 'users', action: 'login' })
 *
 * const error = new ReservedMemberError('UsersController', 'session')
 * error.code // 'RESERVED_MEMBER'
 * ```
 */
export class ReservedMemberError extends ControllerError<'RESERVED_MEMBER'> {
  override readonly name = 'ReservedMemberError'
  /** The status of the page that shows this error. */
  readonly status: number

  constructor(controller: string, member: string, status = 500) {
    super(
      'RESERVED_MEMBER',
      member in Object.prototype
        ? `${controller}.${member}() replaces \`${member}\` of Object.prototype, so it is not an action`
        : `${controller}.${member}() replaces the framework's \`this.${member}\`, which actions, hooks and templates use`,
      'Rename the method. To keep the URL, write a route to the renamed action. To keep the name of a procedure, use static publicNames',
    )
    this.status = status
  }
}

/**
 * A controller was used outside a request.
 *
 * `request`, `response`, `session`, `c` and `url` exist in actions and hooks, not in a constructor or a class field.
 * In `__call__` they exist after the call of `super.__call__()`. Move what prepares a request to `__before__`.
 *
 * @example
 * ```ts
 * import { NoRequestError, WSGIController } from 'propylon'
 *
 * export class UsersController extends WSGIController {
 *   index() {
 *     return this.request.path
 *   }
 * }
 *
 * try {
 *   new UsersController().index()
 * } catch (error) {
 *   if (!(error instanceof NoRequestError)) throw error
 *   error.code // 'NO_REQUEST'
 * }
 * ```
 */
export class NoRequestError extends ControllerError<'NO_REQUEST'> {
  override readonly name = 'NoRequestError'

  constructor(controller: string) {
    super(
      'NO_REQUEST',
      `${controller} is not serving a request`,
      'Use request, response, url and the like in actions and hooks, not in a constructor, a class field, or __call__ before it calls super.__call__()',
    )
  }
}
