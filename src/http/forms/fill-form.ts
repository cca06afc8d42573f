/** Fills the fields of rendered HTML with values and errors. */
import { isRecord } from '../../base/record.ts'
import { escapeHtml } from '../html.ts'
import { OWN_FIELDS } from '../own-fields.ts'
import { QueryParams } from '../query.ts'
import { APPEND, fieldPath } from './field-path.ts'
import { type Field, type HtmlFields, htmlFields, type Placeholder, type Tag } from './html-fields.ts'

/** Values by the names of fields, nested ones as `nested` returns them, or the submitted form or query. */
export type FieldValues = QueryParams | Readonly<Record<string, unknown>>

/** Texts by the names of fields. */
export type FieldErrors = Readonly<Record<string, string | readonly string[] | undefined>>

/** Replaces a range of the source. */
interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Types of inputs that keep their value: a client chooses the file, and the value of a button is its label. */
const KEPT: ReadonlySet<string> = new Set(['file', 'image', 'submit', 'reset', 'button'])

/**
 * Fills the form in HTML with values and errors, as `htmlfill` of FormEncode does. Everything else of the HTML stays as it is.
 *
 * A field that `values` lacks keeps what the HTML has. Null empties a field. An array fills checkboxes, a `select multiple`, and fields
 * that share a name, in order. True and false check a checkbox. Dates are written in UTC. The fields `books-0.title` and
 * `books[0][title]` have the value of a key of this name, else of `values.books[0].title`. A hidden field beside a checkbox of the
 * same name, passwords with a value in the HTML that `values` lacks, files, buttons, `_method` and the token of `authenticateForm`
 * are not changed. Other passwords are left empty.
 *
 * An error is placed before the first field of its name, in `<span class="error-message">`, or where the HTML has `<form:error name="…">`.
 * `<form:iferror name="…">` keeps its content only if there is an error. The fields have the class `error` and `aria-invalid`.
 * An error without a field stands at the start of the first form. All texts are escaped.
 *
 * @param html - a page or a part of one.
 * @returns the filled HTML.
 * @throws TypeError - the value of a field is an object that is neither a list nor a Date.
 * @throws Error - the package `parse5` is not installed.
 *
 * @example
 * ```ts
 * import { fillForm } from 'propylon/forms'
 *
 * fillForm('<input name="title">', { title: 'Emma' }) // '<input value="Emma" name="title">'
 * ```
 */
export function fillForm(html: string, values: FieldValues, errors: FieldErrors = {}): string {
  const found = htmlFields(html)
  const messages = messagesByName(errors)
  const edits = [...fieldEdits(found, values), ...errorEdits(found, messages)]
  return edited(html, edits)
}

function* fieldEdits({ fields }: HtmlFields, values: FieldValues): Iterable<Edit> {
  const checkboxes = new Set(fields.filter(({ type }) => type === 'checkbox').map(({ name }) => name))
  const seen = new Map<string, number>()
  for (const field of fields) {
    const { name, type } = field
    if (KEPT.has(type) || OWN_FIELDS.has(name) || (type === 'hidden' && checkboxes.has(name))) continue
    const value = valueFor(values, name)
    if (value === undefined) continue
    const all = Array.isArray(value) ? value : [value]
    if (type === 'checkbox' || type === 'radio') {
      yield* toggled(field.tag, 'checked', isChecked(field, all))
      continue
    }
    if (type === 'select' && field.tag.attributes.has('multiple')) {
      const chosen = new Set(all.map((one) => textOf(one, field)))
      for (const option of field.options) yield* toggled(option.tag, 'selected', chosen.has(option.value))
      continue
    }
    const index = seen.get(name) ?? 0
    seen.set(name, index + 1)
    yield* filled(field, textOf(Array.isArray(value) ? value[index] : value, field))
  }
}

/** Returns the edits that write a text into a field. */
function* filled(field: Field, text: string): Iterable<Edit> {
  const { tag, type, options, contentEnd } = field
  switch (type) {
    case 'password':
      yield* withoutAttribute(tag, 'value')
      return
    case 'textarea':
      // The parser drops a line break that begins the text (HTML §13.1.2.5).
      yield { start: tag.end, end: contentEnd, text: (/^[\r\n]/.test(text) ? '\n' : '') + escapeHtml(text) }
      return
    case 'select': {
      const chosen = options.find(({ value }) => value === text)
      for (const option of options) yield* toggled(option.tag, 'selected', option === chosen)
      return
    }
    default:
      yield withAttribute(tag, 'value', text)
  }
}

function isChecked(field: Field, values: readonly unknown[]): boolean {
  const own = field.tag.attributes.get('value')?.value
  const isBox = field.type === 'checkbox'
  return values.some((value) => {
    if (isBox && typeof value === 'boolean') return value
    const text = textOf(value, field)
    // Of a box without a value, FormEncode asks only whether the value is empty. Here "0" and "false" are off too.
    return own === undefined && isBox
      ? text !== '' && text !== '0' && text !== 'false'
      : text === (own ?? 'on')
  })
}

/** Lengths of the texts of a Date, in ISO format, by the type of the input. */
const DATE_PARTS: Readonly<Record<string, [start: number, end: number]>> = {
  date: [0, 10],
  month: [0, 7],
  time: [11, 16],
  'datetime-local': [0, 16],
}

/** @throws TypeError - the value is an object. */
function textOf(value: unknown, { name, type }: Field): string {
  if (value === undefined || value === null) return ''
  if (value instanceof Date) return value.toISOString().slice(...(DATE_PARTS[type] ?? [0]))
  if (typeof value !== 'object' && typeof value !== 'function' && typeof value !== 'symbol')
    return String(value)
  throw new TypeError(
    `fillForm() received an object for the field ${JSON.stringify(name)}. Give it a text, a number, a boolean, a Date, null, or an array of them.`,
  )
}

/** Returns the value of a field, an array for a form or a query. Undefined if there is none. */
function valueFor(values: FieldValues, name: string): unknown {
  if (values instanceof QueryParams) return values.has(name) ? values.getAll(name) : undefined
  if (Object.hasOwn(values, name)) return values[name]
  let value: unknown = values
  for (const step of fieldPath(name)) {
    if (step === APPEND) return value
    const isMember = Array.isArray(value) ? typeof step === 'number' : isRecord(value)
    if (!isMember || !Object.hasOwn(value as object, step)) return undefined
    value = (value as Record<string | number, unknown>)[step]
  }
  return value
}

function messagesByName(errors: FieldErrors): ReadonlyMap<string, string> {
  const messages = new Map<string, string>()
  for (const [name, texts = []] of Object.entries(errors)) {
    const text = [texts].flat().join('\n')
    if (text !== '') messages.set(name, text)
  }
  return messages
}

function* errorEdits(found: HtmlFields, messages: ReadonlyMap<string, string>): Iterable<Edit> {
  const shown = new Set<string>()
  for (const placeholder of found.placeholders) {
    if (placeholder.tag.name === 'form:error') {
      shown.add(placeholder.name)
      const message = messages.get(placeholder.name)
      yield* placed(placeholder, message === undefined ? '' : messageHtml(message))
    } else {
      const isReversed = placeholder.name.startsWith('not ')
      const name = placeholder.name.replace(/^not /, '')
      yield* messages.has(name) === isReversed ? placed(placeholder, '') : unwrapped(placeholder)
    }
  }
  for (const { name, tag } of found.fields) {
    const message = messages.get(name)
    if (message === undefined) continue
    if (!shown.has(name)) yield { start: tag.start, end: tag.start, text: messageHtml(message) }
    shown.add(name)
    const classes = tag.attributes.get('class')?.value
    yield withAttribute(tag, 'class', classes ? `${classes} error` : 'error')
    yield withAttribute(tag, 'aria-invalid', 'true')
  }
  for (const [name, message] of messages) {
    if (!shown.has(name)) yield { start: found.start, end: found.start, text: messageHtml(message) }
  }
}

function messageHtml(message: string): string {
  return `<span class="error-message">${escapeHtml(message).replaceAll('\n', '<br>\n')}</span><br>\n`
}

function* placed({ tag, end }: Placeholder, text: string): Iterable<Edit> {
  yield { start: tag.start, end, text }
}

function* unwrapped({ tag, contentEnd, end }: Placeholder): Iterable<Edit> {
  yield { start: tag.start, end: tag.end, text: '' }
  yield { start: contentEnd, end, text: '' }
}

function* toggled(tag: Tag, name: string, isSet: boolean): Iterable<Edit> {
  if (!isSet) yield* withoutAttribute(tag, name)
  else if (!tag.attributes.has(name)) yield withAttribute(tag, name, name)
}

/** Replaces an attribute, or adds it behind the name of the tag: its end may be part of an unquoted value. */
function withAttribute(tag: Tag, name: string, value: string): Edit {
  const known = tag.attributes.get(name)
  const text = `${name}="${escapeHtml(value)}"`
  if (known !== undefined) return { start: known.start, end: known.end, text }
  const start = tag.start + 1 + tag.name.length
  return { start, end: start, text: ` ${text}` }
}

function* withoutAttribute(tag: Tag, name: string): Iterable<Edit> {
  const known = tag.attributes.get(name)
  if (known !== undefined) yield { start: known.start, end: known.end, text: '' }
}

/** Applies edits. An edit within the range of an earlier one is left out. */
function edited(source: string, edits: readonly Edit[]): string {
  const parts: string[] = []
  let at = 0
  // Of two edits at one position, the insertion comes first.
  for (const { start, end, text } of edits.toSorted(
    (one, other) => one.start - other.start || one.end - other.end,
  )) {
    if (start < at) continue
    parts.push(source.slice(at, start), text)
    at = end
  }
  return parts.join('') + source.slice(at)
}
