import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { quoted, UsageError } from '../../base/command-line/command-errors.ts'
import { Binary, DateTime, double } from '../xmlrpc/index.ts'
import type { Encodable } from '../xmlrpc/types.ts'

type Parse = (text: string, cwd: string) => Encodable | Promise<Encodable>

/** Parsers of the words with a type in front: `i8:5`. */
const TYPES: ReadonlyMap<string, Parse> = new Map<string, Parse>([
  ['string', (text) => text],
  ['int', intOf],
  ['i8', i8Of],
  ['double', doubleOf],
  ['bool', boolOf],
  ['base64', base64Of],
  ['date', dateOf],
  ['nil', nilOf],
  ['json', jsonOf],
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
  const parse = TYPES.get(type)
  if (parse !== undefined) return parse(text, cwd)
  try {
    return parseJson(word)
  } catch {
    if (!/^\s*["[{]/.test(word)) return word
    throw notJson(word)
  }
}

function jsonOf(text: string): Encodable {
  try {
    return parseJson(text)
  } catch {
    throw notJson(text)
  }
}

function notJson(text: string): UsageError {
  return new UsageError(
    `${quoted(text)} is not valid JSON`,
    'quote it for the shell, which removes quotation marks',
  )
}

function parseJson(text: string): Encodable {
  return JSON.parse(text, (_key, value: unknown, ...context: readonly unknown[]) => {
    return typeof value === 'number' ? numberOf(value, context[0]) : value
  })
}

function numberOf(value: number, context: unknown): Encodable {
  const hasSource = typeof context === 'object' && context !== null && 'source' in context
  const source = hasSource ? String(context.source) : String(value)
  if (/[.eE]/.test(source)) return double(value)
  return value === (value | 0) ? value : BigInt(source)
}

function intOf(text: string): number {
  const value = /^[+-]?\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (value === (value | 0)) return value + 0
  throw new UsageError(
    `${quoted(text)} is not an integer of 32 bits`,
    'write one like int:5, or i8: for 64 bits',
  )
}

function i8Of(text: string): bigint {
  const value = /^[+-]?\d{1,19}$/.test(text) ? BigInt(text.replace('+', '')) : undefined
  if (value !== undefined && BigInt.asIntN(64, value) === value) return value
  throw new UsageError(`${quoted(text)} is not an integer of 64 bits`, 'write one like i8:5')
}

function doubleOf(text: string): Encodable {
  const value = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (Number.isFinite(value)) return double(value)
  throw new UsageError(`${quoted(text)} is not a finite number`, 'write one like double:2.5')
}

function boolOf(text: string): boolean {
  if (text === 'true' || text === '1') return true
  if (text === 'false' || text === '0') return false
  throw new UsageError(`${quoted(text)} is not a boolean`, 'write bool:true or bool:false')
}

async function base64Of(text: string, cwd: string): Promise<Binary> {
  if (text.startsWith('@')) {
    const path = text.slice(1)
    try {
      return new Binary(await readFile(resolve(cwd, path)))
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
      throw new UsageError(`the file ${quoted(path)} cannot be read${code}`)
    }
  }
  try {
    return Binary.fromBase64(text)
  } catch {
    throw new UsageError(
      `${quoted(text)} is not base64`,
      'write base64:AQID, or base64:@FILE for the bytes of a file',
    )
  }
}

function dateOf(text: string): DateTime {
  try {
    const date = new DateTime(/^\d{4}-?\d{2}-?\d{2}$/.test(text) ? `${text}T00:00:00` : text)
    // The form of the specification, which every server reads, with the zone if there is one.
    return new DateTime(`${date}${/(?:Z|[+-]\d{2}(?::?\d{2})?)$/.exec(text.slice(10))?.[0] ?? ''}`)
  } catch {
    throw new UsageError(`${quoted(text)} is not a date and time`, 'write one like date:2026-01-31T12:00:00')
  }
}

function nilOf(text: string): null {
  if (text === '') return null
  throw new UsageError(`'nil:' has no value, but got ${quoted(text)}`, "write just 'nil:'")
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
