/**
 * The messages of one language, from a file or a record.
 *
 * @module
 */

import { builtin } from '../../base/builtin.ts'
import { describeValue } from '../../base/describe.ts'
import { filePathOf } from '../../base/files.ts'
import { FRAMEWORK_FOLDER } from '../../base/framework-folder.ts'
import { hasPackages } from '../../base/optional-package.ts'
import { isRecord } from '../../base/record.ts'
import { errorMessage } from '../../base/thrown.ts'
import { type Message, type MessageFormatClass, parseMessage } from './message.ts'

/** Texts by key. */
export type MessageTexts = Readonly<Record<string, string>>

/** The messages: a directory with a file for each language (`en.json`), or a record of texts by language and key. */
export type MessagesOption = URL | string | Readonly<Record<string, MessageTexts>>

/** The messages of a language by key. */
export interface Catalog {
  /** The language. */
  readonly language: string
  /** Path of the file, or a name for error messages. */
  readonly place: string
  readonly messages: ReadonlyMap<string, Message>
}

/** Reads the messages of languages. */
export interface CatalogSource {
  /** Returns the messages of a language. @throws Error - they are missing or malformed. */
  read(language: string): Catalog
}

/**
 * Returns the source of the messages.
 *
 * @param MessageFormat - the class that parses messages.
 * @throws TypeError - the option is neither a directory nor a record.
 */
export function catalogSource(option: MessagesOption, MessageFormat: MessageFormatClass): CatalogSource {
  if (typeof option === 'string' || option instanceof URL) return catalogFiles(option, MessageFormat)
  if (!isRecord(option)) {
    throw new TypeError(
      `FrameworkApp: messages is ${describeValue(option)}. Give a directory, or a record such as { en: { hello: 'Hello' } }.`,
    )
  }
  return {
    read(language) {
      const texts = Object.hasOwn(option, language) ? option[language] : undefined
      return catalogOf(language, `messages.${language}`, texts, MessageFormat)
    },
  }
}

/**
 * Returns the framework's own texts in a language. Undefined if there are none, or if the runtime or the bundle has
 * no files of the package.
 */
export function frameworkCatalog(language: string, MessageFormat: MessageFormatClass): Catalog | undefined {
  if (FRAMEWORK_FOLDER === undefined || !hasPackages()) return undefined
  const file = new URL(`../src/http/languages/${language}.json`, FRAMEWORK_FOLDER)
  const { existsSync, readFileSync } = builtin('node:fs')
  if (!existsSync(file)) return undefined
  return catalogOf(language, 'propylon', JSON.parse(readFileSync(file, 'utf8')), MessageFormat)
}

/** Returns the files of a directory. A file is parsed again when its text has changed. */
function catalogFiles(directory: URL | string, MessageFormat: MessageFormatClass): CatalogSource {
  const { join, resolve } = builtin('node:path')
  const folder = resolve(filePathOf(directory))
  const known = new Map<string, { readonly json: string; readonly catalog: Catalog }>()
  return {
    read(language) {
      const place = join(folder, `${language}.json`)
      const json = readText(place, language)
      const last = known.get(language)
      if (last?.json === json) return last.catalog
      const catalog = catalogOf(language, place, parse(json, place), MessageFormat)
      known.set(language, { json, catalog })
      return catalog
    },
  }
}

function readText(place: string, language: string): string {
  try {
    return builtin('node:fs')
      .readFileSync(place, 'utf8')
      .replace(/^\uFEFF/, '')
  } catch (cause) {
    throw new Error(
      `The messages of the language ${language} cannot be read: ${errorMessage(cause)}. Write ${place}, or leave ${language} out of languages.`,
      { cause },
    )
  }
}

function parse(json: string, place: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new SyntaxError(`${place} is not JSON: ${errorMessage(cause)}`, { cause })
  }
}

/** @throws TypeError - the texts are not a record of texts. @throws SyntaxError - a message is malformed. */
function catalogOf(language: string, place: string, texts: unknown, MessageFormat: MessageFormatClass): Catalog {
  if (!isRecord(texts)) {
    throw new TypeError(`${place} is ${describeValue(texts)}. Write an object of keys and texts: { "hello": "Hello" }.`)
  }
  const messages = new Map<string, Message>()
  for (const [key, text] of Object.entries(texts)) {
    const name = JSON.stringify(key)
    if (typeof text !== 'string') {
      throw new TypeError(
        `${place}: the message ${name} is ${describeValue(text)}. Write a text. The keys of a group have a common beginning: "loan.done".`,
      )
    }
    try {
      messages.set(key, parseMessage(text, language, MessageFormat))
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause
      throw new SyntaxError(
        `${place}: the message ${name} is malformed: ${cause.message}. It is ${describeValue(text, 200)}. Write values as {name}, and a brace as '{'.`,
        { cause },
      )
    }
  }
  return { language, place, messages }
}
