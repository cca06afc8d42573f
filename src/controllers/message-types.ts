/**
 * The types of an application's messages, for the checks of `this.t()`.
 *
 * @module
 */

import type { Register } from '../base/register.ts'
import type { MessageValues } from '../http/languages/message.ts'

/**
 * The registered messages: the values of each key, as `propylon check` writes them, or else the texts of a JSON file.
 * Without either, any key is accepted.
 */
export type RegisteredMessages = Register extends { messageValues: infer Values }
  ? Values
  : Register extends { messages: infer Texts }
    ? Texts
    : Readonly<Record<string, string>>

/**
 * Key of a message.
 *
 * @example
 * ```ts
 * import type { MessageKey } from 'propylon'
 *
 * export const titles: readonly MessageKey[] = ['home.title', 'books.title']
 * ```
 */
export type MessageKey = keyof RegisteredMessages & string

/** The arguments of `t()` after the key: the values that the message takes. */
export type MessageArguments<Key extends MessageKey> = ArgumentsOf<RegisteredMessages[Key]>

type ArgumentsOf<Entry> = Entry extends string
  ? [values?: MessageValues]
  : Record<never, never> extends Entry
    ? [values?: Entry]
    : [values: Entry]

/** Returns a message in a language. */
export type Translate = <Key extends MessageKey>(key: Key, ...values: MessageArguments<Key>) => string
