/** Validates forms and JSON objects with a schema before the action runs. */

import type { StandardSchemaV1 } from '@standard-schema/spec'
import { getOrCreate } from '../../base/get-or-create.ts'
import { checkNames } from '../../base/suggest.ts'
import type { ListField } from '../../http/converters/body-argument.ts'
import { isSchema } from '../../http/converters/schema.ts'
import { isSafe } from '../../http/cross-site.ts'
import { fieldsOf, readFields, type SubmittedBody } from '../forms/fields.ts'
import { isShowing } from '../forms/show-form.ts'
import { refuseUnread, validateSubmission } from '../forms/submission.ts'
import type { WSGIController } from '../wsgi-controller.ts'
import { type Action, type ActionDecorator, type Guard, makeDecorator } from './action-decorator.ts'

/** Options of {@link validate}. */
export interface ValidateOptions<Field extends string = string, Form extends string = string> {
  /**
   * Name of the method that shows an invalid form again. It receives its own arguments by name. The compiler refuses a
   * name that the class does not have. `'pages.show'` is the action `show` of the controller `pages`: its hooks run
   * too.
   */
  readonly form?: Form
  /**
   * Name of the form on a page with several, so that each shows its own errors: templates read it as `it.c.formName`,
   * and programs receive it as `form` of each error.
   */
  readonly name?: string
  /** Whether to validate the query of GET and HEAD requests. Defaults to false: they reach the action unchecked. */
  readonly onGet?: boolean
  /** Source of the fields: `'form'` (default), or `'params'` for form and query, where the form wins. */
  readonly from?: 'form' | 'params'
  /** Fields whose values are arrays. Any other field has its first value. */
  readonly lists?: readonly Field[]
}

/** The arguments of {@link validate} after the schema: `lists` is required if the schema has arrays. */
export type ValidateArguments<S extends StandardSchemaV1, Form extends string = string> =
  string extends ListField<S>
    ? [options?: ValidateOptions<string, Form>]
    : [ListField<S>] extends [never]
      ? [options?: ValidateOptions<never, Form>]
      : [options: ValidateOptions<ListField<S>, Form> & { readonly lists: readonly ListField<S>[] }]

/** The name of a method that the class must have, and never for a page of another controller. */
type OwnForm<Form extends string> = string extends Form ? Form : Exclude<Form, `${string}.${string}`>

/** Validated values by controller and schema. */
const results = new WeakMap<WSGIController, Map<StandardSchemaV1, unknown>>()

/**
 * Validates the submitted form before the action runs, with any Standard Schema (Valibot, Zod, ArkType, …).
 *
 * The fields come from a form, or from an object in JSON. If they are valid, `this.formResult` has the values and the
 * action runs; {@link formResult} returns them with the schema's type. If they are not, `this.c.formErrors` has the
 * messages by field ({@link FormErrors}), and `this.c.formValues` the submitted text without fields named like a
 * password. Then the method that `form` names runs instead of the action, as if for a GET, and the response has
 * status 400 unless the method sets another one. The same happens if the action calls {@link invalid}. Without `form`
 * the response is 400 with the text `field: message`.
 *
 * A client that prefers JSON (Accept) receives a problem document with `errors: [{ name, detail }]` instead of the
 * form. So does one that sends JSON, unless it prefers HTML.
 *
 * A field of a form has its first value, a text or a FormFile. A field in `lists` has an array of all values, which
 * may be empty. So a client cannot turn a text into an array by sending it twice, and a single checked box of several
 * is still an array. Values of JSON have their own types. A text with the character NUL is invalid. `_method` and
 * `_authentication_token` are omitted.
 *
 * GET and HEAD requests reach the action unchecked, unless `onGet` is true.
 *
 * @throws TypeError - the argument is not a Standard Schema.
 * @throws TypeError - there is no method or no controller that `form` names. Thrown when a form is invalid.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { decorate, formResult, validate } from 'propylon/decorators'
 * import * as v from 'valibot'
 *
 * const userForm = v.object({ name: v.pipe(v.string(), v.minLength(1, 'Please enter a name')) })
 *
 * export class UsersController extends WSGIController {
 *   new() {
 *     return this.render('users/new')
 *   }
 *
 *   create() {
 *     const { name } = formResult(this, userForm)
 *     return `Welcome, ${name}!`
 *   }
 *
 *   static {
 *     decorate(this, { create: [validate(userForm, { form: 'new' })] })
 *   }
 * }
 * ```
 */
export function validate<S extends StandardSchemaV1, const Form extends string = never>(
  schema: S,
  ...[options = {}]: ValidateArguments<S, Form>
): ActionDecorator<Action, OwnForm<Form>> {
  if (!isSchema(schema)) {
    throw new TypeError(
      'validate() received an object that is not a Standard Schema (https://standardschema.dev). Give one of Valibot, Zod or ArkType.',
    )
  }
  checkNames('validate()', options, 'form name onGet from lists')
  const { form, lists = [], name, onGet = false, from = 'form' } = options

  const guard: Guard = (controller, args, proceed) => {
    const { request } = controller
    const safe = isSafe(request.method)
    if (isShowing(controller) || (safe && !onGet)) return proceed(controller, args)

    const submission = { schema, form, name, user: 'validate' }
    const check = (submitted: SubmittedBody): unknown =>
      validateSubmission(controller, submission, submitted, (value) => {
        controller.formResult = value
        getOrCreate(results, controller, () => new Map<StandardSchemaV1, unknown>()).set(schema, value)
        return proceed(controller, args)
      })

    if (safe) return check(fieldsOf(request.query, [], lists))
    const refuse = (error: unknown): unknown => refuseUnread(controller, submission, error)
    return readFields(request, from, lists).then(check, refuse)
  }
  return makeDecorator<Action, OwnForm<Form>>('validate', () => guard, {
    text: form === undefined ? 'validate()' : `validate({ form: '${form}' })`,
    ...(form !== undefined && { targets: [form] }),
  })
}

/**
 * Returns the values that `validate(schema)` made of the form, with the type of the schema.
 *
 * @throws TypeError - the request was not validated with this schema: it is a GET, or the decorator is missing.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { decorate, formResult, validate } from 'propylon/decorators'
 * import * as v from 'valibot'
 *
 * const search = v.object({ q: v.string() })
 *
 * export class SearchController extends WSGIController {
 *   index() {
 *     return `Looking for ${formResult(this, search).q}`
 *   }
 *
 *   static {
 *     decorate(this, { index: [validate(search, { onGet: true })] })
 *   }
 * }
 * ```
 */
export function formResult<S extends StandardSchemaV1>(
  controller: WSGIController,
  schema: S,
): StandardSchemaV1.InferOutput<S> {
  const known = results.get(controller)
  if (known === undefined || !known.has(schema)) {
    if (isShowing(controller)) {
      throw new TypeError(
        `${controller.constructor.name}: formResult() was called by the method that shows the form again, whose fields are invalid. If an action is its own form, return the page before it calls formResult(): this.request.method is GET then.`,
      )
    }
    throw new TypeError(
      `${controller.constructor.name}: the request was not validated with this schema. Decorate the action with validate(schema), and with { onGet: true } for a GET.`,
    )
  }
  // The schema is the key under which its own output was stored.
  return known.get(schema) as StandardSchemaV1.InferOutput<S>
}
