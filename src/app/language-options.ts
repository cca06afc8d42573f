/**
 * The options of an application for its messages.
 *
 * @module
 */

import type { MessagesOption } from '../http/languages/catalog.ts'
import type { MessageFormatClass } from '../http/languages/message.ts'

/**
 * A place that names the language of a request: the route argument, cookie or session value `language`, or
 * Accept-Language.
 */
export type LanguageSource = 'path' | 'cookie' | 'session' | 'header'

/** The options of an application for its messages. */
export interface LanguageOptions {
  /**
   * Messages for `this.t()` and `it.t()`: a directory (`file:` URL or path) with a file for each language,
   * `en.json`, of keys and texts with the syntax of ICU, or a record of texts by language and key. Requires the
   * package `intl-messageformat`. Default: none.
   */
  readonly messages?: MessagesOption
  /** Languages of the messages. The first is the default, also for keys that another one lacks: `['en', 'de']`. */
  readonly languages?: readonly string[]
  /**
   * Places that name the language of a request, in their order. Default `['path', 'cookie', 'session', 'header']`:
   * the route argument, cookie or session value `language`, then Accept-Language.
   */
  readonly languageFrom?: readonly LanguageSource[]
  /**
   * The class `IntlMessageFormat` of `intl-messageformat`, for a bundle that cannot import packages. Default: it is
   * imported.
   */
  readonly messageFormat?: MessageFormatClass
}

/** The property of an application with its messages, for `propylon check`. */
export const MESSAGES: unique symbol = Symbol('propylon.messages')
