/**
 * The messages of one request: its language, and whether the response depends on it.
 *
 * @module
 */

import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Environ } from '../../wsgi/types.ts'
import type { HeaderList } from '../headers.ts'
import type { MessageValues } from './message.ts'
import type { Messages, Translated } from './messages.ts'
import { FrameworkText, type TextKey, type TextValues } from './texts.ts'

/** Key in the environ for the messages of the request. */
const KEY = 'propylon.translation'

/** The error of an application without messages whose code uses one. */
export const NO_MESSAGES =
  "The application has no messages. Give them: new FrameworkApp({ …, messages: new URL('./messages/', import.meta.url), languages: ['en', 'de'] })"

/** The language of a request. */
export interface LanguageChoice {
  readonly language: string
  /** Names of the request headers that the choice depends on. */
  readonly varies: readonly string[]
}

/** The messages of a request. */
export class Translation {
  readonly messages: Messages
  readonly #choose: (environ: Environ) => LanguageChoice
  /** The choice that was used last. Undefined if the response does not depend on the language. */
  #used: LanguageChoice | undefined

  constructor(messages: Messages, choose: (environ: Environ) => LanguageChoice) {
    this.messages = messages
    this.#choose = choose
  }

  /** Whether the response depends on the language. */
  get isUsed(): boolean {
    return this.#used !== undefined
  }

  /** Returns the language of the request, which the response then depends on. */
  language(environ: Environ): string {
    this.#used = this.#choose(environ)
    return this.#used.language
  }

  /** Returns a text of the framework. */
  own(environ: Environ, text: Parameters<Messages['own']>[1]): Translated {
    return this.messages.own(this.language(environ), text)
  }

  /** Returns a text of the application: the message, if the text is the key of one. */
  textOf(environ: Environ, text: string): string {
    return this.messages.textOf(this.language(environ), text)
  }

  /** Adds `Content-Language`, unless the headers have it, and `Vary`, if the response depends on the language. */
  describe(headers: HeaderList): void {
    if (this.#used === undefined) return
    headers.setDefault('Content-Language', this.#used.language)
    for (const name of this.#used.varies) headers.addToken('Vary', name)
  }
}

/** Gives a request its messages. */
export function setTranslation(environ: Environ, translation: Translation): void {
  environ[KEY] = translation
}

/** Returns the messages of a request; undefined if its application has none. */
export function translationOf(environ: Environ): Translation | undefined {
  const translation = environ[KEY]
  return translation instanceof Translation ? translation : undefined
}

/**
 * Returns the messages of a request.
 *
 * @throws Error - its application has none.
 */
export function requireTranslation(environ: Environ): Translation {
  const translation = translationOf(environ)
  if (translation !== undefined) return translation
  throw new Error(NO_MESSAGES)
}

/** Returns a message in the language of a request. */
export function translate(environ: Environ, key: string, values?: MessageValues): string {
  const translation = requireTranslation(environ)
  return translation.messages.text(translation.language(environ), key, values)
}

const texts = new WeakMap<StandardSchemaV1.Issue, FrameworkText>()

/** Creates an issue with a text of the framework. Its message is English. */
export function textIssue(
  key: TextKey,
  values?: TextValues,
  path?: StandardSchemaV1.Issue['path'],
): StandardSchemaV1.Issue {
  const text = new FrameworkText(key, values)
  const issue = { message: String(text), ...(path !== undefined && { path }) }
  texts.set(issue, text)
  return issue
}

/** Returns the text of the framework that an issue has, or its message. */
export function textOfIssue(issue: StandardSchemaV1.Issue): FrameworkText | string {
  return texts.get(issue) ?? issue.message
}

/** Returns the message of an issue in the language of a request. The message of another schema may be a key. */
export function issueMessage(issue: StandardSchemaV1.Issue, environ: Environ): string {
  const translation = translationOf(environ)
  if (translation === undefined) return issue.message
  const text = texts.get(issue)
  if (text !== undefined) return translation.own(environ, text).text
  return translation.textOf(environ, issue.message)
}
