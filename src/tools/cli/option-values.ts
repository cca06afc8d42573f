/**
 * Values of options.
 *
 * @module
 */
import type { ParsedArguments } from '../../base/command-line/command.ts'
import { quoted, UsageError } from '../../base/command-line/command-errors.ts'

/**
 * Returns the value of an option that takes some words only. Undefined if the option is not given.
 *
 * @throws UsageError - it has another value.
 */
export function choiceOf<const Choice extends string>(
  parsed: ParsedArguments,
  option: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = parsed.value(option)
  const choice = choices.find((known) => known === text)
  if (choice !== undefined || text === undefined) return choice
  const words = choices.map((known) => `'${known}'`).join(' or ')
  throw new UsageError(`--${option} is ${quoted(text)}`, `write ${words}, or omit it`)
}

/**
 * Parses a whole number.
 *
 * @param noun - the value in messages, such as `a number of workers`.
 * @throws UsageError - it is not a number, or not in the range.
 */
export function wholeNumber(text: string, noun: string, least = 0, most = Number.MAX_SAFE_INTEGER): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : -1
  if (number >= least && number <= most) return number
  const range = most === Number.MAX_SAFE_INTEGER ? ', such as 134217728' : ` from ${least} to ${most}`
  throw new UsageError(`${quoted(text)} is not ${noun}`, `write a whole number${range}`)
}

/**
 * Parses a number of seconds.
 *
 * @throws UsageError - it is not a number.
 */
export function millisecondsOf(text: string): number {
  if (/^\d{1,6}(?:\.\d{1,3})?$/.test(text)) return Math.round(Number(text) * 1000)
  throw new UsageError(`${quoted(text)} is not a number of seconds`, 'write a number, such as 60 or 0.5')
}
