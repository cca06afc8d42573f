import { quoted, UsageError } from '../../base/command-line/command-errors.ts'
import { Binary, DateTime, Double } from '../xmlrpc/index.ts'
import type { Encodable } from '../xmlrpc/types.ts'
import { parseArgument } from './argument-values.ts'

/** Parses a word of the command line as a JSON value. */
export async function parseJSONArgument(word: string, cwd: string): Promise<unknown> {
  return toJSONValue(await parseArgument(word, cwd))
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

/**
 * Converts a value to JSON as the faces of RPCController read it: a bigint beyond the safe integers is its digits, a date
 * is ISO 8601, bytes are base64.
 */
function toJSONValue(value: Encodable): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (value instanceof Double) return value.value
  if (value instanceof Binary) return value.toString()
  if (value instanceof DateTime) return isoOf(value)
  if (Array.isArray(value)) return value.map(toJSONValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toJSONValue(each)]))
}

/** Formats `20260131T12:00:00Z` as `2026-01-31T12:00:00Z`. */
function isoOf({ text }: DateTime): string {
  return text.replace(/^(\d{4})(\d{2})(\d{2})T/, '$1-$2-$3T')
}
