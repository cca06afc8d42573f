/** Validates forms with a schema before the action runs. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { WSGIController } from '../controllers/wsgi-controller.ts'
import { isSafe } from '../http/cross-site.ts'
import { makeException } from '../http/exceptions.ts'
import type { Form } from '../http/form.ts'
import type { QueryParams } from '../http/query.ts'
import { ORIGINAL_METHOD_KEY } from '../http/request.ts'
import { Response } from '../http/response.ts'
import { isPromise } from '../wsgi/promise.ts'
import type { Environ } from '../wsgi/types.ts'
import { type ActionDecorator, andThen, callMethod, makeDecorator } from './action-decorator.ts'
import { fieldValues, isSecret, typedValues } from './form-fields.ts'

/** Error messages by field. Those about the form as a whole have the empty name. */
export type FormErrors = Readonly<Record<string, readonly string[]>>

/** Options of {@link validate}. */
export interface ValidateOptions<Field extends string = string> {
  /** Name of the method that shows an invalid form again. It receives its own arguments by name. */
  readonly form?: string
  /** Whether to validate the query of GET and HEAD requests. Defaults to false: they reach the action unchecked. */
  readonly onGet?: boolean
  /** Source of the fields: `'form'` (default), or `'params'` for form and query, where the form wins. */
  readonly from?: 'form' | 'params'
  /** Fields whose values are arrays. Any other field has its first value. */
  readonly lists?: readonly Field[]
}

type ArrayField<Input> = unknown extends Input
  ? string
  : {
      [Field in keyof Input]-?: NonNullable<Input[Field]> extends readonly unknown[] ? Field : never
    }[keyof Input] &
      string

/** The fields that are arrays in a schema, or `string` if its type is unknown. */
export type ListField<S extends StandardSchemaV1> = ArrayField<StandardSchemaV1.InferInput<S>>

/** The arguments of {@link validate} after the schema: `lists` is required if the schema has arrays. */
export type ValidateArguments<S extends StandardSchemaV1> =
  string extends ListField<S>
    ? [options?: ValidateOptions]
    : [ListField<S>] extends [never]
      ? [options?: ValidateOptions<never>]
      : [options: ValidateOptions<ListField<S>> & { readonly lists: readonly ListField<S>[] }]

/** Validated values by controller and schema. */
const results = new WeakMap<WSGIController, Map<StandardSchemaV1, unknown>>()

/** Controllers that are showing a form again, and do not validate meanwhile. */
const showing = new WeakSet<WSGIController>()

/**
 * Validates the submitted form before the action runs, with any Standard Schema (Valibot, Zod, ArkType, …).
 *
 * If the form is valid, `this.formResult` has the values and the action runs; {@link formResult} returns them with the
 * schema's type. If it is not, `this.c.formErrors` has the messages by field ({@link FormErrors}), and `this.c.formValues`
 * the submitted text without fields named like a password. Then the method that `form` names runs instead of the action,
 * as if for a GET, and the response has status 400 unless the method sets another one. Without `form` the response is
 * `400 Bad Request -- field: message`.
 *
 * A field has its first value, a text or a FormFile. A field in `lists` has an array of all values, which may be empty. So
 * a client cannot turn a text into an array by sending it twice, and a single checked box of several is still an array.
 * `_method` and `_authentication_token` are omitted.
 *
 * GET and HEAD requests reach the action unchecked, unless `onGet` is true.
 *
 * @throws TypeError - the argument is not a Standard Schema.
 * @throws TypeError - the class has no method `form`. Thrown when a form is invalid.
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
export function validate<S extends StandardSchemaV1>(
  schema: S,
  ...[options = {}]: ValidateArguments<S>
): ActionDecorator {
  const validator: unknown = schema?.['~standard']?.validate
  if (typeof validator !== 'function') {
    throw new TypeError(
      'validate() received an object that is not a Standard Schema (https://standardschema.dev). Give one of Valibot, Zod or ArkType.',
    )
  }
  const { form, onGet = false, from = 'form' } = options
  const lists: ReadonlySet<string> = new Set(options.lists)

  return makeDecorator('validate', () => (controller, args, proceed) => {
    const { request } = controller
    const safe = isSafe(request.method)
    if (showing.has(controller) || (safe && !onGet)) return proceed(controller, args)

    function check(fields: QueryParams, files: Form['files']): unknown {
      const checked = schema['~standard'].validate(fieldValues(fields, files, lists))
      return andThen(checked, (result) => {
        if (result.issues === undefined) {
          keepResult(controller, schema, result.value)
          return proceed(controller, args)
        }
        const errors = errorsByField(result.issues, fields)
        if (form === undefined) throw badRequest(errors)
        controller.c.formErrors = errors
        controller.c.formValues = typedValues(fields, lists)
        return showForm(controller, form)
      })
    }

    if (safe) return check(request.query, [])
    return request.form().then((submitted) => {
      if (from === 'form') return check(submitted, submitted.files)
      return request.params().then((params) => check(params, submitted.files))
    })
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
    throw new TypeError(
      `${controller.constructor.name}: the request was not validated with this schema. Decorate the action with validate(schema), and with { onGet: true } for a GET.`,
    )
  }
  // The schema is the key under which its own output was stored.
  return known.get(schema) as StandardSchemaV1.InferOutput<S>
}

function keepResult(controller: WSGIController, schema: StandardSchemaV1, value: unknown): void {
  controller.formResult = value
  const known = results.get(controller)
  if (known === undefined) results.set(controller, new Map([[schema, value]]))
  else known.set(schema, value)
}

/** Groups issues by field: the first element of their path. */
function errorsByField(issues: readonly StandardSchemaV1.Issue[], fields: QueryParams): FormErrors {
  const errors: Record<string, string[]> = Object.create(null)
  for (const { path, message } of issues) {
    const step = path?.[0]
    const field = step === undefined ? '' : String(typeof step === 'object' ? step.key : step)
    const text = isSecret(field) ? withoutQuotes(message, fields.getAll(field)) : message
    const messages = errors[field]
    if (messages === undefined) errors[field] = [text]
    else messages.push(text)
  }
  return errors
}

/** Removes submitted text from a message: some libraries quote it, and it may be a password. */
function withoutQuotes(message: string, typed: readonly string[]): string {
  return typed.reduce((text, value) => text.replaceAll(`"${value}"`, '"..."'), message)
}

/** Maximum length of the reason. Clients limit the length of the status line, and a message may quote the input. */
const MAX_REASON_LENGTH = 400

function badRequest(errors: FormErrors): Error {
  const lines = Object.entries(errors).map(([field, messages]) => {
    const text = messages.join(', ')
    return field === '' ? text : `${field}: ${text}`
  })
  const message = lines.join('; ')
  const short = message.length > MAX_REASON_LENGTH ? `${message.slice(0, MAX_REASON_LENGTH)}...` : message
  return makeException(`400 Bad Request -- ${short}`, undefined, undefined, { json: { errors } })
}

/** Runs the method that shows the form, as if for a GET: it may be the action of the page with the form. */
function showForm(controller: WSGIController, form: string): unknown {
  controller.response.status = 400
  const restore = disguiseAsGet(controller.request.environ)
  showing.add(controller)
  let result: unknown
  try {
    result = callMethod(controller, form, 'validate')
  } catch (error) {
    restore()
    throw error
  }
  if (isPromise(result)) return result.finally(restore).then(unsuccessful)
  restore()
  return unsuccessful(result)
}

function disguiseAsGet(environ: Environ): () => void {
  const { REQUEST_METHOD: method, [ORIGINAL_METHOD_KEY]: original } = environ
  environ.REQUEST_METHOD = method === 'HEAD' ? 'HEAD' : 'GET'
  environ[ORIGINAL_METHOD_KEY] = original ?? method
  return () => {
    environ.REQUEST_METHOD = method
    environ[ORIGINAL_METHOD_KEY] = original
  }
}

/** Changes the status of a Response of that method from 200 to 400. */
function unsuccessful(result: unknown): unknown {
  if (!(result instanceof Response) || result.status !== 200) return result
  const { body, headers, contentType } = result
  return new Response(body, { status: 400, headers, contentType })
}
