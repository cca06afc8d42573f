/** Errors in the fields of a form. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describeValue } from '../../base/describe.ts'
import { issueSteps } from '../../http/converters/schema.ts'
import type { ProblemError } from '../../http/error-document.ts'
import { makeException } from '../../http/exceptions.ts'
import type { HeadersLike } from '../../http/headers.ts'
import type { HTTPException } from '../../http/http-exception.ts'
import { refusesBody } from '../../http/problems.ts'
import type { FormErrors } from '../application.ts'

/** An error whose form may be named later. */
type FieldError = { -readonly [Member in keyof ProblemError]: ProblemError[Member] }

type FieldOf<S extends StandardSchemaV1> =
  unknown extends StandardSchemaV1.InferInput<S> ? string : (keyof StandardSchemaV1.InferInput<S> & string) | ''

/** Messages by field, the argument of {@link invalid}. The empty name is the form as a whole. */
export type InvalidFields<S extends StandardSchemaV1 = StandardSchemaV1> = {
  readonly [Field in FieldOf<S>]?: string | readonly string[]
}

/** Options of {@link invalid}. */
export interface InvalidOptions {
  /**
   * Status of the response, 400 to 499. Defaults to the status of bodies that a schema refuses: 400, or
   * `problems.invalid`.
   */
  readonly status?: number
  /** Header fields of the response. */
  readonly headers?: HeadersLike
}

/** The errors of exceptions by field, and as a list, which is the member `errors` of the problem document. */
const errorsOf = new WeakMap<HTTPException, { readonly byField: FormErrors; readonly list: FieldError[] }>()

/**
 * Ends the action with errors in fields that its schema could not find, such as a name that is taken.
 *
 * In an action with `validate(schema, { form })`, the form is shown again with the messages and the submitted values,
 * as if the schema had refused them. A client that prefers JSON, and any client if there is no `form`, receives an
 * exception with the detail `field: message`, and a problem document with `errors: [{ name, detail }]`.
 *
 * @see docs/guides/forms.md
 * @param errors - messages by field. The empty name is the form as a whole.
 * @typeParam S - the type of the schema. If it is given, the compiler refuses other fields.
 * @throws HTTPException - always, unless an argument is invalid.
 * @throws TypeError - there is no message.
 * @throws RangeError - the status is not within 400 to 499.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { decorate, formResult, invalid, validate } from 'propylon/decorators'
 * import * as v from 'valibot'
 *
 * const newUser = v.object({ name: v.pipe(v.string(), v.minLength(1, 'Please enter a name')) })
 * const names = new Set(['joe'])
 *
 * export class UsersController extends WSGIController {
 *   new() {
 *     return this.render('users/new')
 *   }
 *
 *   create() {
 *     const { name } = formResult(this, newUser)
 *     if (names.has(name)) invalid<typeof newUser>({ name: 'is taken' }, { status: 409 })
 *     names.add(name)
 *     return `Welcome, ${name}!`
 *   }
 *
 *   static {
 *     decorate(this, { create: [validate(newUser, { form: 'new' })] })
 *   }
 * }
 * ```
 */
export function invalid<S extends StandardSchemaV1 = StandardSchemaV1>(
  errors: InvalidFields<S>,
  { status, headers }: InvalidOptions = {},
): never {
  if (status !== undefined && !(status >= 400 && status <= 499)) {
    throw new RangeError(`invalid() received the status ${status}. Give one from 400 to 499.`)
  }
  const list = Object.entries<string | readonly string[] | undefined>(errors).flatMap(([name, messages]) =>
    [messages ?? []].flat().map((detail) => ({ name, detail: checkMessage(name, detail) })),
  )
  if (list.length === 0) {
    throw new TypeError("invalid() received no message. Give one by field, such as { name: 'is taken' }.")
  }
  const exception = makeInvalid(list, list, status ?? 400, headers)
  throw status === undefined ? refusesBody(exception) : exception
}

function checkMessage(field: string, message: unknown): string {
  if (typeof message === 'string') return message
  throw new TypeError(
    `invalid() received ${describeValue(message)} for the field "${field}". Give a message, or an array of messages.`,
  )
}

/**
 * Returns the exception for the issues of a schema.
 *
 * @param text - returns the text to show for an issue about a field.
 */
export function invalidBySchema(
  issues: readonly StandardSchemaV1.Issue[],
  text: (field: string, issue: StandardSchemaV1.Issue) => string,
): HTTPException {
  const errors: FieldError[] = []
  const byField: FieldError[] = []
  for (const issue of issues) {
    const steps = issueSteps(issue)
    const field = steps[0] ?? ''
    const detail = text(field, issue)
    errors.push({ name: steps.join('.'), detail })
    byField.push({ name: field, detail })
  }
  return refusesBody(makeInvalid(errors, byField, 400))
}

/** Returns the messages of an exception by field, if {@link invalid} or a schema made it. */
export function formErrorsOf(exception: HTTPException): FormErrors | undefined {
  return errorsOf.get(exception)?.byField
}

/** Adds the name of the form to the errors of an exception. */
export function nameForm(exception: HTTPException, form: string): void {
  for (const error of errorsOf.get(exception)?.list ?? []) error.form = form
}

function makeInvalid(
  errors: FieldError[],
  byField: readonly FieldError[],
  status: number,
  headers?: HeadersLike,
): HTTPException {
  const grouped: Record<string, string[]> = Object.create(null)
  for (const { name, detail } of byField) {
    grouped[name] ??= []
    grouped[name].push(detail)
  }
  const exception = makeException(status, detailOf(grouped), headers, { json: { errors } })
  errorsOf.set(exception, { byField: grouped, list: errors })
  return exception
}

function detailOf(errors: FormErrors): string {
  const lines = Object.entries(errors).map(([field, messages]) => {
    const text = messages.join(', ')
    return field === '' ? text : `${field}: ${text}`
  })
  return lines.join('; ')
}
