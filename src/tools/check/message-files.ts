/**
 * The messages of an application, for the checks and for the types of their keys.
 *
 * @module
 */
import { existsSync, readFileSync } from 'node:fs'
import type { Catalog } from '../../http/languages/catalog.ts'
import type { ArgumentKind } from '../../http/languages/message.ts'
import { placeOf } from '../../http/templating/eta.ts'
import type { Finding } from './finding.ts'
import type { Place } from './model.ts'

/** Values by name. */
type Taken = ReadonlyMap<string, ArgumentKind>

/** The messages of all languages by key. */
export class MessageFiles {
  readonly #catalogs: readonly Catalog[]
  readonly #taken = new Map<string, Map<string, ArgumentKind>>()

  constructor(catalogs: readonly Catalog[]) {
    this.#catalogs = catalogs
    for (const { messages: byKey } of catalogs) {
      for (const [key, { takes }] of byKey) {
        const all = this.#taken.get(key) ?? new Map<string, ArgumentKind>()
        for (const [name, kind] of takes) if (kind !== 'any' || !all.has(name)) all.set(name, kind)
        this.#taken.set(key, all)
      }
    }
  }

  /** The keys that at least one language has. */
  get keys(): readonly string[] {
    return [...this.#taken.keys()]
  }

  /** Returns the values that a message takes in any language; undefined if no language has the message. */
  takenBy(key: string): Taken | undefined {
    return this.#taken.get(key)
  }

  /** Reports messages that take another value than the message of the default language. */
  *differences(): Iterable<Finding> {
    const [main, ...others] = this.#catalogs
    for (const { messages, place } of others) {
      for (const [key, { takes }] of messages) {
        const expected = main?.messages.get(key)?.takes
        const [unknown] =
          expected === undefined ? [] : [...takes.keys()].filter((name) => !expected.has(name))
        if (unknown === undefined) continue
        yield {
          code: 'message-values',
          place: placeIn(place, key),
          message: `The message ${JSON.stringify(key)} takes the value ${unknown}, which it does not take in ${main?.language}.`,
          fix: `Correct the name, or add it to ${main?.place}.`,
        }
      }
    }
  }
}

/** Returns the place of a key in a file. Undefined if the messages are not in a file. */
function placeIn(file: string, key: string): Place | undefined {
  if (!existsSync(file)) return undefined
  const text = readFileSync(file, 'utf8')
  const offset = text.indexOf(JSON.stringify(key))
  return offset < 0 ? undefined : { file, ...placeOf(text, offset) }
}

const HEAD =
  '// Written by propylon check: tsc compares the keys and values of t() with the messages. Do not edit or commit it.'

const TYPES: Readonly<Record<ArgumentKind, string>> = {
  any: 'string | number | bigint | boolean',
  number: 'number | bigint',
  date: 'Date | number',
}

/** Returns the text of the module that registers the keys of messages and their values with the compiler. */
export function messageTypes(catalogs: readonly Catalog[]): string {
  const files = new MessageFiles(catalogs)
  const entries = files.keys.map((key) => {
    const taken = [...(files.takenBy(key) ?? [])].map(
      ([name, kind]) => `${JSON.stringify(name)}: ${TYPES[kind]}`,
    )
    const values = taken.length === 0 ? 'Record<string, never>' : `{ ${taken.join('; ')} }`
    return `      ${JSON.stringify(key)}: ${values}`
  })
  return `${HEAD}
import type {} from 'propylon'

declare module 'propylon' {
  interface Register {
    messageValues: {
${entries.join('\n')}
    }
  }
}
`
}
