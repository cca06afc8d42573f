/**
 * The fields of a resource: `title pages:int published:date?` of the command line, and the code for each.
 *
 * @module
 */

import { didYouMean, quoted, UsageError } from '../../base/command-line/command-errors.ts'
import { nearest } from '../../base/suggest.ts'
import { isSecret } from '../../controllers/forms/fields.ts'
import { OWN_FIELDS } from '../../http/own-fields.ts'
import { isReserved } from './names.ts'

/** The code for a type of field. */
interface FieldType {
  /** Schema of a value that clients send. */
  readonly schema: string
  /** Schema of a stored value. */
  readonly stored: string
  /** Type of a column in a migration. */
  readonly column: string
  /** Type of a column for the compiler. */
  readonly row: string
  /** Converter for the text of a form, unless the value is text. */
  readonly converter?: string
  /** Type of the input in the form, and its attributes. */
  readonly input: readonly [type: string, attributes: string]
  /** A value in JSON, and the text of a form for it. */
  readonly example: readonly [json: string, typed: string]
  /** Wrong values in a form and in JSON. */
  readonly wrong: readonly [typed: string, json: string]
}

const text = (rule: string) => `v.pipe(v.string('must be text'), v.trim(), ${rule})`
/** A value that is stored as it is sent. */
const TEXT = { stored: 'v.string()', column: 'text', row: 'string' } as const
const NUMBER = { stored: 'v.number()', row: 'number' } as const

const textUpTo = (length: number, input: string, example: string): FieldType => ({
  ...TEXT,
  schema: text(`v.minLength(1, 'must not be empty'), v.maxLength(${length})`),
  input: [input, `maxlength="${length}"`],
  example: [`'${example}'`, `'${example}'`],
  wrong: [`'x'.repeat(${length + 1})`, '1'],
})

const TYPES = {
  string: textUpTo(200, 'text', 'A line'),
  text: textUpTo(10_000, 'textarea', 'A text'),
  int: {
    ...NUMBER,
    schema: "v.pipe(v.number('must be a number'), v.safeInteger('must be a whole number'))",
    column: 'bigint',
    converter: 'int',
    input: ['number', 'step="1"'],
    example: ['7', "'7'"],
    wrong: ["'1.5'", "'7'"],
  },
  number: {
    ...NUMBER,
    schema: "v.number('must be a number')",
    column: 'double precision',
    converter: 'number',
    input: ['number', 'step="any"'],
    example: ['1.5', "'1.5'"],
    wrong: ["'x'", "'1.5'"],
  },
  bool: {
    schema: "v.boolean('must be true or false')",
    stored: 'v.boolean()',
    column: 'integer',
    row: 'number',
    converter: 'bool',
    input: ['checkbox', ''],
    example: ['true', "'true'"],
    wrong: ["'x'", "'true'"],
  },
  date: {
    ...TEXT,
    schema: 'Day',
    input: ['date', ''],
    example: ["'2026-02-28'", "'2026-02-28'"],
    wrong: ["'2026-02-30'", '1'],
  },
  email: {
    ...TEXT,
    schema: 'Email',
    input: ['email', 'maxlength="254"'],
    example: ["'ann@example.com'", "'ann@example.com'"],
    wrong: ["'x'", '1'],
  },
} as const satisfies Record<string, FieldType>

/** A field of a resource. */
export interface Field {
  readonly name: string
  readonly type: keyof typeof TYPES
  readonly isOptional: boolean
}

/** Longest name of a column or a table that PostgreSQL does not cut off. */
export const LONGEST_COLUMN = 63

/**
 * Parses the fields of a resource.
 *
 * @param words - `title`, `pages:int`, `published:date?`. None is one field `title`.
 * @throws UsageError - a name or a type cannot be used.
 */
export function parseFields(words: readonly string[]): Field[] {
  const fields: Field[] = []
  for (const word of words.length === 0 ? ['title'] : words) {
    const field = parseField(word)
    const same = fields.find(({ name }) => name.toLowerCase() === field.name.toLowerCase())
    if (same !== undefined) {
      const names = same.name === field.name ? '' : ` as ${quoted(same.name)}`
      throw new UsageError(`the field ${quoted(field.name)} exists already${names}`, 'name each field once')
    }
    fields.push(field)
  }
  return fields
}

function parseField(word: string): Field {
  const [name = '', typed = 'string', ...rest] = word.split(':')
  const isOptional = typed.endsWith('?')
  const type = isOptional ? typed.slice(0, -1) : typed
  if (rest.length > 0 || !isType(type)) {
    const known = Object.keys(TYPES)
    const fix = didYouMean(nearest(type, known), `write NAME:TYPE with one of ${known.join(', ')}`, `${name}:`)
    throw new UsageError(`the field ${quoted(word)} has no known type`, fix)
  }
  const refused = refusal(name)
  if (refused !== undefined) throw new UsageError(`the field name ${quoted(name)} ${refused}`, 'choose another name')
  return { name, type, isOptional }
}

function isType(type: string): type is Field['type'] {
  return Object.hasOwn(TYPES, type)
}

function refusal(name: string): string | undefined {
  if (OWN_FIELDS.has(name) || name.toLowerCase() === 'id') return 'belongs to the resource itself'
  if (isReserved(name)) return 'is a reserved word'
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return 'is not an identifier: letters, digits and underscores'
  return name.length > LONGEST_COLUMN ? `has more than ${LONGEST_COLUMN} characters` : undefined
}

/**
 * Returns the code for the fields, by the words of the templates.
 *
 * @param hasBooleans - whether columns of the database can be booleans. Otherwise they are 0 and 1.
 */
export function fieldWords(fields: readonly Field[], hasBooleans: boolean): Record<string, string> {
  const all = fields.map((field) => ({ ...field, ...typeOf(field, hasBooleans) }))
  type Line = (field: (typeof all)[number]) => string
  const record = (value: Line) => `{ ${all.map((field) => `${field.name}: ${value(field)}`).join(', ')} }`
  const lines = (line: Line) => all.map(line).join('\n')
  return {
    [`    title: ${TYPES.string.schema},`]: lines((field) => `    ${field.name}: ${schemaOf(field)},`),
    '  title: v.string(),': lines(
      ({ name, stored, isOptional }) => `  ${name}: ${isOptional ? `v.nullable(${stored})` : stored},`,
    ),
    "    .addColumn('title', 'text', (column) => column.notNull())": lines(
      ({ name, column, isOptional }) =>
        `    .addColumn('${name}', '${column}'${isOptional ? '' : ', (column) => column.notNull()'})`,
    ),
    '  title: string\n}': `${lines(({ name, row, isOptional }) => `  ${name}: ${row}${isOptional ? ' | null' : ''}`)}\n}`,
    "{ title: '' }": record(({ isOptional, type }) =>
      isOptional || type === 'int' || type === 'number' ? 'null' : type === 'bool' ? 'false' : "''",
    ),
    "{ title: 'A line' }": record(({ example }) => example[0]),
    "{ title: 'A line', ...{} }": record(({ example }) => example[1]),
    "  ['title', 'x'.repeat(201), 1], // The first of several.": lines(
      ({ name, wrong }) => `  ['${name}', ${wrong[0]}, ${wrong[1]}],`,
    ),
    TITLE_INPUTS: lines(inputOf),
    TITLE_DETAILS: lines(detailOf),
    HEADING: headingOf(fields).name,
    ...optionalWords(all),
  }
}

function typeOf({ type }: Field, hasBooleans: boolean): FieldType {
  return type === 'bool' && hasBooleans ? { ...TYPES.bool, column: 'boolean', row: 'boolean' } : TYPES[type]
}

/** Returns the field that names an item in the pages. */
function headingOf(fields: readonly Field[]): Field {
  const [first] = fields
  const named = fields.find(({ type, isOptional }) => type === 'string' && !isOptional) ?? first
  if (named === undefined) throw new RangeError('A resource has at least one field.')
  return named
}

/** Returns the code about optional fields, texts of forms and dates, which most resources lack. */
function optionalWords(fields: readonly (Field & FieldType)[]): Record<string, string> {
  const converted = fields.flatMap((field) => {
    const { name, converter } = field
    if (converter === undefined) return []
    if (field.isOptional) return [`${name}: optional(${converter})`]
    return [`${name}: ${converter === 'bool' ? 'optional(bool, false)' : converter}`]
  })
  const imported = ['bool', 'int', 'number', 'optional'].filter((name) =>
    converted.some((line) => new RegExp(`\\b${name}\\b`).test(line.slice(line.indexOf(':')))),
  )
  const isShown = fields.find(({ type, name }) => type !== 'bool' && !isSecret(name))?.name
  const optional = fields.filter(({ isOptional }) => isOptional)
  const has = (test: (field: Field) => boolean) => fields.some(test)
  const hasTexts = converted.length > 0
  const texts = hasTexts ? ', texts' : ''
  // Columns are 0 and 1 in place of booleans.
  const hasNumbers = fields.some(({ type, row }) => type === 'bool' && row === 'number')
  return {
    '// TITLE_IMPORT\n': hasTexts ? `import { ${imported.join(', ')} } from 'propylon/converters'\n` : '',
    '// TITLE_RULES\n': [
      has(({ type }) => type === 'email') ? EMAIL : '',
      has(({ type }) => type === 'date') ? DAY : '',
      has(({ type, isOptional }) => isOptional && isPattern(type)) ? EMPTY : '',
      has(({ type, isOptional }) => isOptional && isText(type)) ? OR_NULL : '',
    ].join(''),
    '// TITLE_TEXTS\n': hasTexts
      ? `\n/** Converters of the texts of a form. JSON has values of its own types. */\nexport const texts = { ${converted.join(', ')} }\n`
      : '',
    "form: 'new' }": `form: 'new'${texts} }`,
    "form: 'edit' }": `form: 'edit'${texts} }`,
    ', updateItem': `${texts}${hasNumbers ? ', toItem' : ''}, updateItem`,
    "name === 'title'": `name === '${isShown}'`,
    'readonly string[] = []': `readonly string[] = [${optional.map(({ name }) => `'${name}'`).join(', ')}]`,
  }
}

const EMAIL = `
const Email = v.pipe(
  v.string('must be text'),
  v.trim(),
  v.email('must be an e-mail address'),
  v.maxLength(254),
)
`

const DAY = `
/** A day of the calendar: 2026-02-28. */
const Day = v.pipe(
  v.string('must be text'),
  v.isoDate('must be a date: YYYY-MM-DD'),
  v.check(isInCalendar, 'is not in the calendar'),
)

/** Returns whether the month has the day: 2026-02-30 does not exist. True for a text of another form. */
function isInCalendar(text: string): boolean {
  const day = new Date(/^\\d{4}-\\d\\d-\\d\\d$/.test(text) ? text : '')
  return Number.isNaN(day.getTime()) || day.toISOString().startsWith(text)
}
`

const EMPTY = `
/** An empty text counts as left out. */
const Empty = v.pipe(v.literal(''), v.transform(() => null))
`

const OR_NULL = `
/** An empty text counts as left out. */
const orNull = v.transform((text: string) => text || null)
`

/** Returns whether a text of a type has a pattern, which the empty text does not match. */
function isPattern(type: Field['type']): boolean {
  return type === 'date' || type === 'email'
}

function isText(type: Field['type']): boolean {
  return type === 'string' || type === 'text'
}

function schemaOf({ type, schema, isOptional }: Field & FieldType): string {
  if (!isOptional) return schema
  if (isPattern(type)) return `v.nullish(v.union([Empty, ${schema}], 'must be text'), null)`
  const accepted = isText(type)
    ? schema.replace("v.minLength(1, 'must not be empty'), ", '').replace(/\)$/, ', orNull)')
    : schema
  return `v.nullish(${accepted}, null)`
}

function inputOf({ name, type, input: [kind, attributes], isOptional }: Field & FieldType): string {
  const shown = type === 'bool' && isOptional ? 'yes-no' : kind
  const all = [...(isOptional || type === 'bool' ? [] : ['required']), attributes].filter(Boolean).join(' ')
  return `<%~ include('_field', { name: '${name}', label: '${labelOf(name)}', type: '${shown}', value: it.result.${name}, attributes: '${all}' }) %>`
}

function detailOf({ name, type }: Field & FieldType): string {
  const value = type === 'bool' ? `{ true: 'yes', false: 'no' }[it.result.${name}]` : `it.result.${name}`
  return `  <dt>${labelOf(name)}</dt>\n  <dd${type === 'text' ? ' class="lines"' : ''}><%= ${value} %></dd>`
}

/** Returns the label of a field: `published_on` → `Published on`. */
function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
