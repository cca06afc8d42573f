/**
 * The messages of an application in all its languages.
 *
 * @module
 */

import { describeValue } from '../../base/describe.ts'
import { errorMessage } from '../../base/thrown.ts'
import { type Catalog, type CatalogSource, catalogSource, frameworkCatalog, type MessagesOption } from './catalog.ts'
import {
  importMessageFormat,
  type Message,
  type MessageFormatClass,
  type MessageValue,
  type MessageValues,
} from './message.ts'
import { FrameworkText, writeValue } from './texts.ts'

/** Beginning of the keys of the framework's texts. */
const FRAMEWORK_PREFIX = 'propylon.'

/** Log messages that are remembered, so that each is written once. Keys may come from clients. */
const MAX_LOGGED = 1000

/** A text in the language in which it was found. */
export interface Translated {
  readonly language: string
  readonly text: string
}

interface Found {
  readonly catalog: Catalog
  readonly message: Message
}

/** Options of {@link Messages}. */
export interface MessagesSettings {
  readonly languages: readonly string[]
  /** The class that parses messages. By default it is imported. */
  readonly MessageFormat: MessageFormatClass | undefined
  /** Receives what is wrong with a key or its values, once. */
  warn(message: string): void
}

/** Messages by language and key. The first language is the default, also for keys that another one lacks. */
export class Messages {
  /** The languages, the default first. */
  readonly languages: readonly string[]
  readonly #source: CatalogSource
  readonly #warn: (message: string) => void
  /** The framework's own texts by language, without English ones. */
  readonly #framework: ReadonlyMap<string, Catalog>
  readonly #logged = new Set<string>()
  #catalogs: readonly Catalog[] = []

  /**
   * @throws TypeError - the languages are not a list of language tags.
   * @throws Error - the messages of a language are missing or malformed.
   */
  constructor(option: MessagesOption, { languages, MessageFormat, warn }: MessagesSettings) {
    this.languages = checkLanguages(languages)
    this.#warn = warn
    const parser = MessageFormat ?? importMessageFormat()
    this.#source = catalogSource(option, parser)
    const own = this.languages.flatMap((language) => frameworkCatalog(baseOf(language), parser) ?? [])
    this.#framework = new Map(own.map((catalog) => [catalog.language, catalog]))
    this.refresh()
  }

  /** The messages of the languages, the default language first. */
  get catalogs(): readonly Catalog[] {
    return this.#catalogs
  }

  /** Reads the files that have changed. */
  refresh(): void {
    this.#catalogs = this.languages.map((language) => this.#source.read(language))
  }

  /** Returns a message in a language. A key that no file has is returned itself, and logged. */
  text(language: string, key: string, values: MessageValues = {}): string {
    const found = this.#find(language, key)
    if (found !== undefined) return this.#write(found, key, values)
    this.#log(
      `The message ${describeValue(key, 100)} does not exist. Add it to ${this.#catalogs[0]?.place}, or correct the key.`,
    )
    return key
  }

  /** Returns a text of a schema: the message, if the text is the key of one. */
  textOf(language: string, text: string): string {
    const found = this.#find(language, text)
    return found === undefined ? text : this.#write(found, text, {})
  }

  /** Returns a text of the framework. It is English if neither a file nor the framework has it in another language. */
  own(language: string, text: FrameworkText | { readonly key: string; readonly english: string }): Translated {
    const isText = text instanceof FrameworkText
    const english = { language: 'en', text: isText ? String(text) : text.english }
    const found = this.#find(language, text.key)
    if (found === undefined) return english
    const { language: written } = found.catalog
    const values: Record<string, MessageValue> = {}
    for (const [name, value] of Object.entries(isText ? text.values : {})) {
      if (value instanceof FrameworkText) values[name] = this.own(language, value).text
      else values[name] = typeof value === 'number' ? value : writeValue(value, written)
    }
    return { language: written, text: this.#write(found, text.key, values) }
  }

  /** Looks for a key in the language and in the default one: first in the file, then among the framework's texts. */
  #find(language: string, key: string): Found | undefined {
    for (const each of new Set([language, this.languages[0] ?? language])) {
      const catalog = this.#catalogs.find((one) => one.language === each)
      const message = catalog?.messages.get(key)
      if (catalog !== undefined && message !== undefined) return { catalog, message }
      const base = baseOf(each)
      const own = this.#framework.get(base)
      const text = own?.messages.get(key)
      if (own !== undefined && text !== undefined) return { catalog: own, message: text }
      // The framework's texts are English where they are written, so that they are not in the default language.
      if (base === 'en' && key.startsWith(FRAMEWORK_PREFIX)) return undefined
    }
    return undefined
  }

  #write({ catalog, message }: Found, key: string, values: MessageValues): string {
    const { text, takes } = message
    if (takes.size === 0) return message.format({})
    const given: Record<string, MessageValue> = Object.assign(Object.create(null), values)
    const name = JSON.stringify(key)
    for (const value of takes.keys()) {
      // The package writes nothing for false.
      if (typeof given[value] === 'boolean') given[value] = String(given[value])
      if (given[value] !== undefined && given[value] !== null) continue
      given[value] = `{${value}}`
      this.#log(`The message ${name} of ${catalog.place} takes the value "${value}", which t() did not receive.`)
    }
    try {
      return message.format(given)
    } catch (error) {
      this.#log(`The message ${name} of ${catalog.place} cannot be written: ${errorMessage(error)}`)
      return text
    }
  }

  #log(message: string): void {
    if (this.#logged.has(message) || this.#logged.size === MAX_LOGGED) return
    this.#logged.add(message)
    this.#warn(message)
  }
}

/** Returns the language of a tag, without its region: `de` of `de-AT`. */
function baseOf(tag: string): string {
  return tag.split('-', 1)[0]?.toLowerCase() ?? tag
}

/** @throws TypeError - the value is not a list of different language tags. */
function checkLanguages(languages: unknown): readonly string[] {
  const list: unknown[] = Array.isArray(languages) ? languages : []
  const tags = list.filter((tag) => typeof tag === 'string').filter(isTag)
  if (tags.length > 0 && tags.length === list.length && new Set(tags).size === tags.length) return tags
  throw new TypeError(
    `FrameworkApp: languages is ${describeValue(languages)}. List language tags, the default first: languages: ['en', 'de'].`,
  )
}

function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}
