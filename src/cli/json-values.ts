import { double } from '../xmlrpc/index.ts'
import type { Encodable, Value } from '../xmlrpc/types.ts'
import { quoted, Refusal } from './refusal.ts'

/**
 * An XML-RPC value from a word of the command line: JSON, or plain text where it does not look like JSON. A number written with
 * a point or an exponent is a double; a whole number that JavaScript cannot hold exactly is a bigint.
 */
export function fromJson(text: string): Encodable {
  try {
    return JSON.parse(text, (_key, value: unknown, ...context: readonly unknown[]) => {
      return typeof value === 'number' ? asWritten(value, context[0]) : value
    })
  } catch {
    if (!/^\s*["[{]/.test(text)) return text
    throw new Refusal(`${quoted(text)} is not JSON`, 'mind the quotes that the shell takes away')
  }
}

/** What a call gave, as JSON over several lines. */
export function toJson(value: Value): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? String(part) : part), 2)
}

function asWritten(value: number, context: unknown): Encodable {
  const hasSource = typeof context === 'object' && context !== null && 'source' in context
  const source = hasSource ? String(context.source) : String(value)
  if (/[.eE]/.test(source)) return double(value)
  return Number.isSafeInteger(value) ? value : BigInt(source)
}
