import type { StandardSchemaV1 } from '@standard-schema/spec'
import { abort, type Request } from 'propylon'

/** Result of {@link readForm} for an invalid form. */
export interface InvalidForm {
  readonly valid: false
  /** All errors in one line: `name: must be given; email: …`. */
  readonly message: string
  /** Error message of each invalid field. */
  readonly errors: Readonly<Record<string, string>>
  /** Submitted values of the text fields, without the password. */
  readonly typed: Readonly<Record<string, string>>
}

/** Result of {@link readForm} for a valid form, with the values that the schema returned. */
export interface ValidForm<Values> {
  readonly valid: true
  readonly values: Values
}

const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data']

/**
 * Reads the form of a request and validates it with a schema. The schema receives a string for a field that was sent
 * once, an array for a repeated field, and an uploaded file as an object.
 *
 * @throws HTTPException - 415 if the body is not a form, 400 if it is malformed, 413 if it is too large.
 */
export async function readForm<Values>(
  request: Request,
  schema: StandardSchemaV1<unknown, Values>,
): Promise<ValidForm<Values> | InvalidForm> {
  const sent = await readFields(request)
  const result = await schema['~standard'].validate(sent)
  if (result.issues === undefined) return { valid: true, values: result.value }
  const errors: Record<string, string> = Object.create(null)
  for (const { path, message } of result.issues) {
    const field = (path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
    errors[field] ??= message
  }
  const message = Object.entries(errors).map(([field, error]) => `${field}: ${error}`)
  return { valid: false, message: message.join('; '), errors, typed: typedText(sent) }
}

async function readFields(request: Request): Promise<Record<string, unknown>> {
  if (request.contentType !== undefined && !FORM_TYPES.includes(request.mediaType?.essence ?? '')) {
    abort(415, `Send a form: ${FORM_TYPES.join(' or ')}`, { accept: FORM_TYPES.join(', ') })
  }
  const form = await request.form()
  const fields: Record<string, unknown> = Object.create(null)
  for (const name of form.keys()) {
    const values = form.getAll(name)
    fields[name] = values.length === 1 ? values[0] : values
  }
  for (const file of form.files) fields[file.name] = file
  return fields
}

function typedText(fields: Record<string, unknown>): Record<string, string> {
  const typed: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string' && name !== 'password') typed[name] = value
  }
  return typed
}
