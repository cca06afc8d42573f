import { double } from '../xmlrpc/index.ts'
import type { Encodable, Value } from '../xmlrpc/types.ts'
import { quoted, UsageError } from './errors.ts'

/**
 * Parses a word of the command line as an XML-RPC value: JSON, or plain text if it does not begin as JSON. A number with a
 * point or an exponent is a double. An integer beyond the safe integers is a bigint.
 *
 * @throws UsageError - the word begins as JSON and is not valid JSON.
 */
export function fromJson(text: string): Encodable {
  try {
    return JSON.parse(text, (_key, value: unknown, ...context: readonly unknown[]) => {
      return typeof value === 'number' ? numberOf(value, context[0]) : value
    })
  } catch {
    if (!/^\s*["[{]/.test(text)) return text
    throw new UsageError(
      `${quoted(text)} is not valid JSON`,
      'quote it for the shell, which removes quotation marks',
    )
  }
}

/** Formats the result of a call as indented JSON. */
export function toJson(value: Value): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? String(part) : part), 2)
}

function numberOf(value: number, context: unknown): Encodable {
  const hasSource = typeof context === 'object' && context !== null && 'source' in context
  const source = hasSource ? String(context.source) : String(value)
  if (/[.eE]/.test(source)) return double(value)
  return Number.isSafeInteger(value) ? value : BigInt(source)
}
