import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { quoted, UsageError } from '../../base/command-line/command-errors.ts'
import { Binary, DateTime, double } from '../xmlrpc/index.ts'
import { parseBoolean, parseDouble, parseI8, parseInteger } from '../xmlrpc/scalars.ts'
import type { Encodable } from '../xmlrpc/values.ts'

/** A type of words: parses a text, or returns undefined; names such texts, and says how to write one. */
type WordType = readonly [
  parse: (text: string, cwd: string) => Encodable | undefined | Promise<Encodable>,
  name: string,
  fix: string,
]

const JSON_WORD: WordType = [jsonOf, 'valid JSON', 'quote it for the shell, which removes quotation marks']

/** Types of words with a type in front: `i8:5`. */
const TYPES: ReadonlyMap<string, WordType> = new Map<string, WordType>([
  ['string', [(text) => text, 'text', 'write any text']],
  [
    'int',
    [(text) => parseInteger(text, 32), 'an integer of 32 bits', 'write one like int:5, or i8: for 64 bits'],
  ],
  ['i8', [parseI8, 'an integer of 64 bits', 'write one like i8:5']],
  ['double', [doubleOf, 'a finite number', 'write one like double:2.5']],
  ['bool', [(text) => parseBoolean(text, true), 'a boolean', 'write bool:true or bool:false']],
  ['base64', [base64Of, 'base64', 'write base64:AQID, or base64:@FILE for the bytes of a file']],
  ['date', [dateOf, 'a date and time', 'write one like date:2026-01-31T12:00:00']],
  ['nil', [(text) => (text === '' ? null : undefined), 'empty', "write just 'nil:'"]],
  ['json', JSON_WORD],
])

const PREFIXED = new RegExp(`^(${[...TYPES.keys()].join('|')}):(.*)$`, 's')

/**
 * Parses a word of the command line as a value: a type and its text (`i8:5`, `string:i8:5`), JSON, or plain text if it
 * does not begin as JSON. A number with a point or an exponent is a double. An integer beyond 32 bits is a
 * bigint, which XML-RPC sends as `<i8>`.
 *
 * @param cwd - the directory that file names of `base64:@FILE` are relative to.
 * @throws UsageError - the text is not valid for its type, or begins as JSON and is not valid JSON.
 */
export async function parseArgument(word: string, cwd: string): Promise<Encodable> {
  const [, type = '', text = ''] = PREFIXED.exec(word) ?? []
  const known = TYPES.get(type)
  const value = known === undefined ? jsonOf(word) : await known[0](text, cwd)
  if (value !== undefined) return value
  if (known === undefined && !/^\s*["[{]/.test(word)) return word
  const [, name, fix] = known ?? JSON_WORD
  throw new UsageError(`${quoted(known === undefined ? word : text)} is not ${name}`, fix)
}

/** Returns undefined if `make` throws. A UsageError is thrown on, because it names the correction. */
function attempt<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch (error) {
    if (error instanceof UsageError) throw error
    return undefined
  }
}

function jsonOf(text: string): Encodable | undefined {
  return attempt(() => parseJson(text))
}

function parseJson(text: string): Encodable {
  return JSON.parse(text, (_key, value: unknown, ...context: readonly unknown[]) => {
    return typeof value === 'number' ? numberOf(value, context[0]) : value
  })
}

function numberOf(value: number, context: unknown): Encodable {
  const hasSource = typeof context === 'object' && context !== null && 'source' in context
  const source = hasSource ? String(context.source) : String(value)
  if (!/[.eE]/.test(source)) return value === (value | 0) ? value : BigInt(source)
  if (Number.isFinite(value)) return double(value)
  throw new UsageError(`${quoted(source)} is beyond the range of doubles`, 'write text as string:TEXT')
}

function doubleOf(text: string): Encodable | undefined {
  const value = parseDouble(text)
  return value === undefined ? undefined : double(value)
}

function base64Of(text: string, cwd: string): Binary | undefined | Promise<Binary> {
  return text.startsWith('@') ? bytesIn(text.slice(1), cwd) : attempt(() => Binary.fromBase64(text))
}

async function bytesIn(path: string, cwd: string): Promise<Binary> {
  try {
    return new Binary(await readFile(resolve(cwd, path)))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new UsageError(`the file ${quoted(path)} cannot be read${code}`)
  }
}

function dateOf(text: string): DateTime | undefined {
  return attempt(() => {
    const date = new DateTime(/^\d{4}-?\d{2}-?\d{2}$/.test(text) ? `${text}T00:00:00` : text)
    // The form of the specification, which every server reads, with the zone if there is one.
    return new DateTime(`${date}${/(?:Z|[+-]\d{2}(?::?\d{2})?)$/.exec(text.slice(10))?.[0] ?? ''}`)
  })
}

/** Parses a word of the command line as a value for `toJson()`. A date keeps its form: it has a zone only if the word has one. */
export async function parseJSONArgument(word: string, cwd: string): Promise<unknown> {
  const value = await parseArgument(word, cwd)
  return value instanceof DateTime ? isoOf(value) : value
}

/**
 * Parses words as arguments by name: `sku=A1 limit=int:5`.
 *
 * @param names - names of the parameters, for words that have none. Empty if they are unknown.
 * @throws UsageError - a word has no name, or a name occurs twice.
 */
export async function parseNamedArguments(
  words: readonly string[],
  cwd: string,
  names: readonly string[] = [],
): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = Object.create(null)
  for (const [i, word] of words.entries()) {
    const [, name = names[i], text = word] = /^([A-Za-z_][\w.-]*)=(.*)$/s.exec(word) ?? []
    if (name === undefined) {
      throw new UsageError(`the argument ${quoted(word)} has no name`, 'write it as NAME=VALUE')
    }
    if (Object.hasOwn(values, name)) throw new UsageError(`there are two arguments ${quoted(name)}`)
    values[name] = await parseJSONArgument(text, cwd)
  }
  return values
}

/** Formats `20260131T12:00:00Z` as `2026-01-31T12:00:00Z`. */
function isoOf({ text }: DateTime): string {
  return text.replace(/^(\d{4})(\d{2})(\d{2})T/, '$1-$2-$3T')
}
