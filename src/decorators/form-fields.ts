/** Converts the fields of a form to values for a schema, and to values for showing the form again. */
import type { Form } from '../http/form.ts'
import type { QueryParams } from '../http/query.ts'
import { TOKEN_FIELD } from './authentication-token.ts'

/** Submitted values by field, for showing the form again. */
export type FormValues = Readonly<Record<string, string | readonly string[]>>

/** Fields of the framework, which schemas do not receive. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['_method', TOKEN_FIELD])

const SECRET = /pass[-_ ]?(?:word|wd|phrase|code)|pwd/i

/** Returns true if the name of a field looks like a password, whose text must not be shown again. */
export function isSecret(name: string): boolean {
  return SECRET.test(name)
}

/**
 * Returns the values for a schema: the first text or file of each name, and an array of all for the names in `lists`, which
 * may be empty. The record has no prototype.
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

/** Returns the submitted text, without passwords. */
export function typedValues(fields: QueryParams, lists: ReadonlySet<string>): FormValues {
  const typed: Record<string, string | readonly string[]> = Object.create(null)
  for (const [name, value] of fields) {
    if (name in typed || OWN_FIELDS.has(name) || isSecret(name)) continue
    typed[name] = lists.has(name) ? fields.getAll(name) : value
  }
  return typed
}
