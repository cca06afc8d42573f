/** Reads the fields of a form or of a JSON object: for a schema, and for showing the form again. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { isRecord } from '../../base/record.ts'
import { FormFile, UploadedFile } from '../../http/body/files.ts'
import { type Form, isForm } from '../../http/body/form.ts'
import { type FileRules, readUploads } from '../../http/body/uploads.ts'
import type { BodyArgument, BodyOptions } from '../../http/converters/body-argument.ts'
import { takesObjectsOnly } from '../../http/converters/json-schema.ts'
import { acceptsNothing } from '../../http/converters/schema.ts'
import { worded } from '../../http/error-texts.ts'
import { textIssue } from '../../http/languages/translation.ts'
import { isJson } from '../../http/media-type.ts'
import { OWN_FIELDS } from '../../http/own-fields.ts'
import type { QueryParams } from '../../http/query.ts'
import type { Request } from '../../http/request.ts'
import { HTTPUnsupportedMediaType } from '../../http/status-exceptions.ts'
import type { FormValues } from '../application.ts'

/** The body of a request. */
export interface SubmittedBody {
  /** The value for a schema: the fields of a form or of an object in JSON, or another JSON value. */
  readonly values: unknown
  /** Returns the submitted text, without files and passwords. */
  typed(): FormValues
  /** Issues of files and converted texts. */
  readonly issues?: readonly StandardSchemaV1.Issue[]
}

/** The fields of a request. */
export interface Submitted extends SubmittedBody {
  /** The values for a schema. The record has no prototype. */
  readonly values: Readonly<Record<string, unknown>>
}

function sendsJson({ mediaType }: Request): boolean {
  return mediaType !== undefined && isJson(mediaType)
}

const SECRET = /pass[-_ ]?(?:word|wd|phrase|code)|pwd/i

/** Returns true if the name of a field looks like a password, whose text must not be shown again. */
export function isSecret(name: string): boolean {
  return SECRET.test(name)
}

/**
 * Reads the fields of a body: a form, or an object in JSON. Another JSON value is left to the schema.
 *
 * @param from - `'params'` adds the fields of the query. A field of the body wins.
 * @param lists - fields of a form that have all their values.
 */
export async function readFields(
  request: Request,
  from: 'form' | 'params',
  lists: readonly string[],
): Promise<SubmittedBody> {
  if (!sendsJson(request)) {
    const form = await request.form()
    return fieldsOf(from === 'form' ? form : await request.params(), form.files, lists)
  }
  const sent = await readJson(request)
  if (from === 'form' || !isRecord(sent.values)) return sent
  const query = fieldsOf(request.query, [], lists)
  return {
    values: Object.assign(Object.create(null), query.values, sent.values),
    typed: () => Object.assign(Object.create(null), query.typed(), sent.typed()),
  }
}

/**
 * Reads a body: the fields of a form, or any JSON value. No body is undefined if the schema accepts that, otherwise a
 * form without fields.
 *
 * @throws HTTPUnsupportedMediaType - the body is of another type.
 */
export async function readBody(request: Request, { schema, options }: BodyArgument): Promise<SubmittedBody> {
  if (sendsJson(request)) return readJson(request)
  if (!isForm(request.mediaType)) {
    const isEmpty = request.contentType === undefined && (await request.bytes()).length === 0
    if (!isEmpty) throw worded(HTTPUnsupportedMediaType, 'propylon.body.type')
    if (acceptsNothing(schema)) return { values: undefined, typed: nothing }
  }
  const form = await request.form()
  const submitted = fieldsOf(form, form.files, options.lists ?? [])
  return options.texts === undefined ? submitted : convertTexts(submitted, options.texts)
}

/** Converts texts of a form. One that cannot be converted is an issue. */
export async function convertTexts(form: Submitted, schemas: NonNullable<BodyOptions['texts']>): Promise<Submitted> {
  const values: Record<string, unknown> = Object.assign(Object.create(null), form.values)
  const issues = [...(form.issues ?? [])]
  for (const [name, schema] of Object.entries(schemas)) {
    const result = await schema['~standard'].validate(values[name])
    if (result.issues === undefined) values[name] = result.value
    else issues.push(...result.issues.map((issue) => ({ ...issue, path: [name, ...(issue.path ?? [])] })))
  }
  return { ...form, values, issues }
}

async function readJson(request: Request): Promise<SubmittedBody> {
  const sent: unknown = await request.json()
  if (!isRecord(sent)) return { values: sent, typed: nothing }
  const values: Record<string, unknown> = Object.create(null)
  for (const [name, value] of Object.entries(sent)) if (!OWN_FIELDS.has(name)) values[name] = value
  return { values, typed: () => typedOf(sent) }
}

function nothing(): FormValues {
  return Object.create(null)
}

/** Reads a form whose files are in temporary files. */
export async function readFormWithFiles(
  request: Request,
  lists: readonly string[],
  rules: FileRules,
): Promise<{ readonly read: Submitted; readonly discard: () => void }> {
  const { fields, files, issues, discard } = await readUploads(request, rules)
  const { values, typed } = fieldsOf(fields, [], lists)
  const all: Record<string, unknown> = Object.assign(Object.create(null), values)
  // A field of files cannot show a text.
  for (const [name, value] of files) all[name] = value
  return { read: { values: all, typed, issues }, discard }
}

/**
 * Returns an issue for each field that has a text with the character NUL, or an infinity. No input of a page can hold
 * NUL, and PostgreSQL and C libraries refuse it. `JSON.parse` reads 1e400 as an infinity, which JSON cannot express.
 *
 * Returns an issue for an array in place of an object, too: Valibot and ArkType accept it if all members are optional.
 */
export function refusedIssues(values: unknown, schema: StandardSchemaV1): StandardSchemaV1.Issue[] {
  if (Array.isArray(values) && takesObjectsOnly(schema)) return [textIssue('propylon.body.object')]
  const issues: StandardSchemaV1.Issue[] = []
  const check = (value: unknown, path: string[]): void => {
    const key = refusal(value)
    if (key !== undefined) issues.push(textIssue(key, {}, path))
  }
  if (!isRecord(values)) check(values, [])
  else for (const field of Object.keys(values)) check(values[field], [field])
  return issues
}

/** Returns the key of the message for a value that no schema may accept. */
function refusal(value: unknown): 'propylon.value.nul' | 'propylon.value.number' | undefined {
  if (typeof value === 'string') return value.includes('\0') ? 'propylon.value.nul' : undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'propylon.value.number'
  if (typeof value !== 'object' || value === null) return undefined
  if (value instanceof FormFile || value instanceof UploadedFile) return undefined
  for (const member of Object.values(value)) {
    const key = refusal(member)
    if (key !== undefined) return key
  }
  return undefined
}

/**
 * Returns the fields of a form or a query: the first text or file of each name, and an array of all for the names in
 * `lists`, which may be empty.
 */
export function fieldsOf(fields: QueryParams, files: Form['files'], lists: readonly string[]): Submitted {
  const values: Record<string, unknown> = fields.toObject()
  for (const name of OWN_FIELDS) delete values[name]
  for (const name of lists) values[name] = [...fields.getAll(name), ...filesOf(files, name)]
  for (const file of files) if (!(file.name in values)) values[file.name] = file
  return { values, typed: () => typedIn(fields, lists) }
}

function typedIn(fields: QueryParams, lists: readonly string[]): FormValues {
  const typed: Record<string, string | readonly string[]> = Object.create(null)
  for (const [name, value] of fields) {
    if (name in typed || OWN_FIELDS.has(name) || isSecret(name)) continue
    typed[name] = lists.includes(name) ? fields.getAll(name) : value
  }
  return typed
}

function filesOf(files: Form['files'], name: string): FormFile[] {
  return files.filter((file) => file.name === name)
}

function typedOf(sent: Readonly<Record<string, unknown>>): FormValues {
  const typed: Record<string, string | readonly string[]> = Object.create(null)
  for (const [name, value] of Object.entries(sent)) {
    if (OWN_FIELDS.has(name) || isSecret(name)) continue
    if (Array.isArray(value)) typed[name] = value.filter(isText).map(String)
    else if (isText(value)) typed[name] = String(value)
  }
  return typed
}

/** Returns true for a value that an input of a form can show. */
function isText(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
