/** Checks a form against a schema before an action runs. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { WSGIController } from '../controllers/wsgi-controller.ts'
import { makeException } from '../http/exceptions.ts'
import type { Form } from '../http/form.ts'
import type { QueryParams } from '../http/query.ts'
import { ORIGINAL_METHOD_KEY } from '../http/request.ts'
import { Response } from '../http/response.ts'
import { isPromise } from '../wsgi/promise.ts'
import type { Environ } from '../wsgi/types.ts'
import { type ActionDecorator, andThen, callMethod, isSafe, makeDecorator } from './action-decorator.ts'
import { fieldValues, isSecret, typedValues } from './form-fields.ts'

/** What is wrong with a form: messages by field, those of the form as a whole under the empty name. */
export type FormErrors = Readonly<Record<string, readonly string[]>>

/** How {@link validate} goes about it. */
export interface ValidateOptions<Field extends string = string> {
  /** The method that shows the form again when it does not validate, with its own arguments by name. */
  readonly form?: string
  /** Whether a GET is validated too, by its query. False when absent: a GET reaches the action unchecked. */
  readonly onGet?: boolean
  /** Where the fields come from: the form alone, or also the query (`params`), where the form wins. */
  readonly from?: 'form' | 'params'
  /** Fields that are arrays, however often they were sent. Of any other field the first value counts. */
  readonly lists?: readonly Field[]
}

type ArrayField<Input> = unknown extends Input
  ? string
  : {
      [Field in keyof Input]-?: NonNullable<Input[Field]> extends readonly unknown[] ? Field : never
    }[keyof Input] &
      string

/** The fields that a schema wants as arrays; any where its type does not tell. */
export type ListField<S extends StandardSchemaV1> = ArrayField<StandardSchemaV1.InferInput<S>>

/** The options of {@link validate}: `lists` must be given where the schema has arrays. */
export type ValidateArguments<S extends StandardSchemaV1> =
  string extends ListField<S>
    ? [options?: ValidateOptions]
    : [ListField<S>] extends [never]
      ? [options?: ValidateOptions<never>]
      : [options: ValidateOptions<ListField<S>> & { readonly lists: readonly ListField<S>[] }]

/** What was made of forms that validate, by controller and schema. */
const results = new WeakMap<WSGIController, Map<StandardSchemaV1, unknown>>()

/** Controllers that show a form again: there is nothing to validate while they do. */
const showing = new WeakSet<WSGIController>()

/**
 * Validates the submitted form before the action runs, by anything that speaks Standard Schema (Valibot, Zod,
 * ArkType, …).
 *
 * When the form validates, `this.formResult` holds what the schema made of it and the action runs; take it with its
 * type from {@link formResult}. When it does not, `this.c.formErrors` holds the messages by field
 * ({@link FormErrors}) and `this.c.formValues` what was typed, but for files and fields named like a password. Then
 * the method that `form` names runs in the action's place, as if for a GET, and the answer has status 400. (A status
 * that this method sets itself stays.) Without `form` the answer is `400 Bad Request -- field: message`.
 *
 * A field is text (or a FormFile), the first where several were sent; the fields in `lists` are arrays, empty when none
 * was sent. So nobody makes an array of a text by sending it twice, and one ticked box of many is still an array.
 * `_method` and `_authentication_token` are left out.
 *
 * GET and HEAD reach the action unchecked, unless `onGet` has their query validated.
 *
 * @throws TypeError for what is no schema; when a form does not validate, for a `form` that the class has not.
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
    throw new TypeError('validate() takes a schema that speaks Standard Schema (https://standardschema.dev)')
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
 * What `validate(schema)` has made of the form of the request that a controller serves, with the type of the schema.
 *
 * @throws TypeError when the request has not been validated by this schema: on a GET, or where the decorator is missing.
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
      `${controller.constructor.name}: the request was not validated by this schema. Decorate the action with validate(schema); a GET is validated only with { onGet: true }`,
    )
  }
  // It was kept under this very schema, which made it.
  return known.get(schema) as StandardSchemaV1.InferOutput<S>
}

function keepResult(controller: WSGIController, schema: StandardSchemaV1, value: unknown): void {
  controller.formResult = value
  const known = results.get(controller)
  if (known === undefined) results.set(controller, new Map([[schema, value]]))
  else known.set(schema, value)
}

/** The issues by the field that they are about: the first step of their path. */
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

/** A message without what was typed: some libraries quote it, which a password must not be. */
function withoutQuotes(message: string, typed: readonly string[]): string {
  return typed.reduce((text, value) => text.replaceAll(`"${value}"`, '"..."'), message)
}

/** Clients read a status line of some kilobytes at most, and a message may quote all that was typed. */
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

/** Runs the method that shows the form, which sees a GET: it may be the action of the form's own page. */
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

/** A response that the method made for a form that is well is one for a form that is not. */
function unsuccessful(result: unknown): unknown {
  if (!(result instanceof Response) || result.status !== 200) return result
  const { body, headers, contentType } = result
  return new Response(body, { status: 400, headers, contentType })
}
