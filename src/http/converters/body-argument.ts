/** Declares the argument of an action that is the body of the request. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describeValue } from '../../base/describe.ts'
import { isRecord } from '../../base/record.ts'
import { checkNames } from '../../base/suggest.ts'
import type { UploadedFile } from '../body/files.ts'
import type { FileRule, FileRules } from '../body/uploads.ts'
import { isSchema } from './schema.ts'

/** Options of {@link body}. */
export interface BodyOptions<Field extends string = string> {
  /**
   * Name of the method of the controller that shows an invalid form again, with status 400. It receives its own
   * arguments by name, and templates read `it.c.formErrors` and `it.c.formValues`. `'pages.show'` is the action
   * `show` of the controller `pages`, in `admin` it is `'admin/pages.show'`: its hooks run too, with the match,
   * session and context of the request.
   */
  readonly form?: string
  /**
   * Name of the form on a page with several, so that each shows its own errors: templates read it as `it.c.formName`,
   * and programs receive it as `form` of each error.
   */
  readonly name?: string
  /** Fields of a form whose values are arrays. Any other field has its first value. */
  readonly lists?: readonly Field[]
  /**
   * Schemas that convert the texts of a form before `schema` receives them, by field: `{ pages: int, sold:
   * optional(bool, false) }`. A field that the form lacks is undefined for them. JSON has values of its own types,
   * which they do not convert.
   */
  readonly texts?: Readonly<Record<string, StandardSchemaV1>>
  /**
   * Fields that are files, with the rules for them. The form must be multipart; another body is 415. A file is
   * streamed to a temporary file, and the schema receives an UploadedFile, or an array of them if `count` is above 1.
   * A file that is too large, of another type or one too many is an error of its field, beside the errors of the
   * schema.
   */
  readonly files?: FileRules
}

type ArrayField<Input> = unknown extends Input
  ? string
  : Input extends readonly unknown[]
    ? never
    : {
        [Field in keyof Input]-?: 0 extends 1 & Input[Field] // A member of any type need not be a list.
          ? never
          : NonNullable<Input[Field]> extends readonly (infer Element)[]
            ? Element extends UploadedFile
              ? never
              : Field
            : never
      }[keyof Input] &
        string

/** The fields that are arrays in a schema, or `string` if its type is unknown. */
export type ListField<S extends StandardSchemaV1> = ArrayField<StandardSchemaV1.InferInput<S>>

/** The arguments of {@link body} after the schema: `lists` is required if the schema has arrays. */
export type BodyArguments<S extends StandardSchemaV1> =
  string extends ListField<S>
    ? [options?: BodyOptions]
    : [ListField<S>] extends [never]
      ? [options?: BodyOptions<never>]
      : [options: BodyOptions<ListField<S>> & { readonly lists: readonly ListField<S>[] }]

const BODY: unique symbol = Symbol('propylon.body')

/** The declaration of an argument that is the body of the request. */
export interface BodyArgument<S extends StandardSchemaV1 = StandardSchemaV1> {
  readonly '~standard': S['~standard']
  readonly schema: S
  readonly options: BodyOptions
  readonly [BODY]: true
}

/**
 * Declares that an argument is the body of the request: a form, or JSON, converted by a Standard Schema (Valibot, Zod,
 * ArkType, …).
 *
 * The body is read after `__before__`. If the schema refuses it, the action does not run: browsers receive the page
 * that the method `form` shows, with status 400, the messages by field in `it.c.formErrors` and the submitted text,
 * without passwords, in `it.c.formValues`. Programs, and all clients without `form`, receive a problem document with
 * `errors: [{ name, detail }]`. The same happens if the action calls `invalid`. A program is a client that prefers
 * JSON, or sends JSON and does not prefer HTML. JSON that does not parse is 400, another content type 415, and a body
 * over the limit 413.
 *
 * A field of a form has its first value, a text or a FormFile. A field in `lists` has an array of all values. Values
 * of JSON have their own types. A text with the character NUL is invalid. `_method` and `_authentication_token` are
 * omitted.
 *
 * A route that names no method runs the action for POST, PUT, PATCH and DELETE only. If a route gives it GET or HEAD,
 * the argument is undefined. An action has at most one body. The same declaration under `__before__` gives the hook
 * the same value; an invalid body is then answered without a page, before the hook.
 *
 * @see docs/guides/forms.md
 * @throws TypeError - the argument is not a Standard Schema, or a rule for files is invalid.
 *
 * @example
 * ```ts
 * import { created, WSGIController } from 'propylon'
 * import { body } from 'propylon/converters'
 * import * as v from 'valibot'
 *
 * const NewBook = v.object({ title: v.pipe(v.string(), v.minLength(1, 'Please enter a title')) })
 * const books: v.InferOutput<typeof NewBook>[] = []
 *
 * export class BooksController extends WSGIController {
 *   static args = { create: { book: body(NewBook, { form: 'new' }) } }
 *
 *   new() {
 *     return this.render('books/new')
 *   }
 *
 *   create(book: v.InferOutput<typeof NewBook>) {
 *     books.push(book)
 *     return created('/books', book)
 *   }
 * }
 * ```
 */
export function body<S extends StandardSchemaV1>(schema: S, ...[options = {}]: BodyArguments<S>): BodyArgument<S> {
  if (!isSchema(schema)) {
    throw new TypeError(
      'body() received an object that is not a Standard Schema (https://standardschema.dev). Give one of Valibot, Zod or ArkType.',
    )
  }
  checkNames('body()', options, 'form name lists texts files')
  for (const [field, rule] of Object.entries(options.files ?? {})) checkFileRule(field, rule)
  const wrong = Object.entries(options.texts ?? {}).find(([, text]) => !isSchema(text))
  if (wrong !== undefined)
    throw new TypeError(`body(): texts.${wrong[0]} is not a Standard Schema. Write a converter such as int.`)
  return { '~standard': schema['~standard'], schema, options, [BODY]: true }
}

const MEDIA_TYPE = /^[\w.+-]+\/(?:\*|[\w.+-]+)$/

function checkFileRule(field: string, rule: FileRule): void {
  const given: unknown = rule
  if (!isRecord(given)) {
    const fix = 'Write an object with rules: files: { photo: { maxSize: 1_000_000 } }.'
    throw new TypeError(`body(): files.${field} is ${describeValue(given)}. ${fix}`)
  }
  checkNames(`body(): files.${field}`, rule, 'maxSize types count')
  const { maxSize = 1, count = 1, types = [] } = rule
  const refuse = (option: string, value: unknown, expected: string): never => {
    throw new TypeError(`body(): files.${field}.${option} is ${describeValue(value)}. Write ${expected}.`)
  }
  if (typeof maxSize !== 'number' || !(maxSize > 0)) refuse('maxSize', maxSize, 'a number of bytes above 0')
  if (!Number.isSafeInteger(count) || count < 1) refuse('count', count, 'a number of files from 1')
  const wrong = Array.isArray(types) ? types.find((type) => !MEDIA_TYPE.test(type)) : types
  if (wrong !== undefined) refuse('types', wrong, "media types such as 'image/png' or 'image/*'")
}

/** Returns true for the result of {@link body}. */
export function isBody(value: object): value is BodyArgument {
  return BODY in value
}
