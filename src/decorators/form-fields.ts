/** The fields of a form as a schema sees them, and as a form that is shown again does. */
import type { Form } from '../http/form.ts'
import type { QueryParams } from '../http/query.ts'
import { TOKEN_FIELD } from './authentication-token.ts'

/** What was typed into a form, by field: to be shown again. */
export type FormValues = Readonly<Record<string, string | readonly string[]>>

/** Fields that are for the framework, not for the application. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['_method', TOKEN_FIELD])

const SECRET = /pass[-_ ]?(?:word|wd|phrase|code)|pwd/i

/** Whether a field is named like a password, so that its text is never shown again. */
export function isSecret(name: string): boolean {
  return SECRET.test(name)
}

/**
 * The values of the fields for a schema: the first text or file of a name, and for the names in `lists` an array of
 * all, which is empty when none was sent. The record has no prototype.
 */
export function fieldValues(
  fields: QueryParams,
  files: Form['files'],
  lists: ReadonlySet<string>,
): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null)
  for (const name of lists) {
    values[name] = [...fields.getAll(name), ...files.filter((file) => file.name === name)]
  }
  for (const [name, value] of fields) if (!(name in values) && !OWN_FIELDS.has(name)) values[name] = value
  for (const file of files) if (!(file.name in values)) values[file.name] = file
  return values
}

/** The text that was typed, but for passwords. */
export function typedValues(fields: QueryParams, lists: ReadonlySet<string>): FormValues {
  const typed: Record<string, string | readonly string[]> = Object.create(null)
  for (const [name, value] of fields) {
    if (name in typed || OWN_FIELDS.has(name) || isSecret(name)) continue
    typed[name] = lists.has(name) ? fields.getAll(name) : value
  }
  return typed
}
