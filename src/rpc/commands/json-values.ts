import { quoted, UsageError } from '../../base/command-line/command-errors.ts'
import { DateTime } from '../xmlrpc/index.ts'
import { parseArgument } from './argument-values.ts'

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
