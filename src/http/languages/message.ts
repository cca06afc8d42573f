/**
 * One message: a text with the syntax of ICU.
 *
 * @module
 */

import { hasPackages, optionalPackage } from '../../base/optional-package.ts'
import { isRecord } from '../../base/record.ts'
import { errorMessage, memberOf } from '../../base/thrown.ts'

/** A value in a message. */
export type MessageValue = string | number | bigint | boolean | Date

/** The values of a message by name. */
export type MessageValues = Readonly<Record<string, MessageValue>>

/** A message with the syntax of ICU that has been parsed. */
export interface ParsedMessage {
  format(values: Record<string, MessageValue>): unknown
  getAst(): unknown
}

/** `IntlMessageFormat` of the package `intl-messageformat`. */
export type MessageFormatClass = new (
  text: string,
  language: string,
  formats: undefined,
  options: { readonly ignoreTag: true },
) => ParsedMessage

/** The values that a message takes: any, or only numbers or dates. */
export type ArgumentKind = 'any' | 'number' | 'date'

/** A message of a language. */
export interface Message {
  /** The text as it is in the file. */
  readonly text: string
  /** The values that the message takes, by name. */
  readonly takes: ReadonlyMap<string, ArgumentKind>
  /** Throws if a value has the wrong type. */
  format(values: Record<string, MessageValue>): string
}

/** A text without braces and doubled apostrophes has no syntax, so that it is not parsed. */
const SYNTAX = /[{}]|''/

const NOTHING: ReadonlyMap<string, ArgumentKind> = new Map()

/**
 * Parses a message.
 *
 * @throws SyntaxError - the text is malformed. The message says where.
 */
export function parseMessage(text: string, language: string, MessageFormat: MessageFormatClass): Message {
  if (!SYNTAX.test(text)) return { text, takes: NOTHING, format: () => text }
  let parsed: ParsedMessage
  try {
    parsed = new MessageFormat(text, language, undefined, { ignoreTag: true })
  } catch (error) {
    throw new SyntaxError(reasonOf(error), { cause: error })
  }
  const takes = new Map<string, ArgumentKind>()
  collect(parsed.getAst(), takes)
  return { text, takes, format: (values) => [parsed.format(values)].flat().join('') }
}

/**
 * Imports the class that parses messages.
 *
 * @throws Error - the package `intl-messageformat` is not installed, or the runtime cannot import packages.
 */
export function importMessageFormat(): MessageFormatClass {
  if (hasPackages()) return optionalPackage('intl-messageformat', 'FrameworkApp({ messages })').IntlMessageFormat
  throw new Error(
    "FrameworkApp({ messages }) cannot import the package intl-messageformat here. Pass its class: import { IntlMessageFormat } from 'intl-messageformat', then messageFormat: IntlMessageFormat.",
  )
}

/** Returns the package's name of a fault (`EXPECT_ARGUMENT_CLOSING_BRACE`) in words, with its place. */
function reasonOf(error: unknown): string {
  const start = memberOf(memberOf(error, 'location'), 'start')
  const offset = memberOf(start, 'offset')
  const reason = errorMessage(error).toLowerCase().replaceAll('_', ' ')
  return typeof offset === 'number' ? `${reason} at character ${offset + 1}` : reason
}

/** Kinds of the elements in a syntax tree of `intl-messageformat`, by the number of their type. */
const KINDS: Readonly<Record<number, ArgumentKind>> = {
  1: 'any',
  2: 'number',
  3: 'date',
  4: 'date',
  5: 'any',
  6: 'number',
}

/** Adds the arguments of a syntax tree to `takes`. A narrower kind wins. */
function collect(elements: unknown, takes: Map<string, ArgumentKind>): void {
  for (const element of Array.isArray(elements) ? elements : []) {
    if (!isRecord(element)) continue
    const { type, value, options } = element
    const kind = typeof type === 'number' ? KINDS[type] : undefined
    if (kind === undefined || typeof value !== 'string') continue
    if (kind !== 'any' || !takes.has(value)) takes.set(value, kind)
    if (!isRecord(options)) continue
    for (const option of Object.values(options)) collect(memberOf(option, 'value'), takes)
  }
}
