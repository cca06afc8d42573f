/**
 * The messages of an application: the values that they take, and what differs between languages.
 *
 * @module
 */
import { existsSync, readFileSync } from 'node:fs'
import type { Catalog } from '../../http/languages/catalog.ts'
import type { ArgumentKind } from '../../http/languages/message.ts'
import { placeOf } from '../../http/templating/eta.ts'
import type { Findings } from './finding.ts'

/** The values of messages with their kinds, by key. */
export type MessageValues = ReadonlyMap<string, ReadonlyMap<string, ArgumentKind>>

/** Returns the values that each message takes in any language. */
export function messageValues(catalogs: readonly Catalog[]): MessageValues {
  const values = new Map<string, Map<string, ArgumentKind>>()
  for (const [key, { takes }] of catalogs.flatMap(({ messages }) => [...messages])) {
    const all = values.get(key) ?? new Map<string, ArgumentKind>()
    for (const [name, kind] of takes) if (kind !== 'any' || !all.has(name)) all.set(name, kind)
    values.set(key, all)
  }
  return values
}

/** Reports messages that take another value than the message of the default language. */
export function* checkLanguages([main, ...others]: readonly Catalog[]): Findings {
  for (const { messages, place: file } of others) {
    for (const [key, { takes }] of messages) {
      const expected = main?.messages.get(key)?.takes
      const unknown = expected && [...takes.keys()].find((name) => !expected.has(name))
      if (unknown === undefined) continue
      const name = JSON.stringify(key)
      const text = existsSync(file) ? readFileSync(file, 'utf8') : '' // Messages of a record are in no file.
      const place = text.includes(name) ? { file, ...placeOf(text, text.indexOf(name)) } : undefined
      const message = `The message ${name} takes the value ${unknown}, which it does not take in ${main?.language}.`
      yield { code: 'message-values', place, message, fix: `Correct the name, or add it to ${main?.place}.` }
    }
  }
}

const TYPES: Readonly<Record<ArgumentKind, string>> = {
  any: 'string | number | bigint | boolean',
  number: 'number | bigint',
  date: 'Date | number',
}

/** Returns the text of the module that registers the keys of messages and their values with the compiler. */
export function messageTypes(catalogs: readonly Catalog[]): string {
  const entries = Array.from(messageValues(catalogs), ([key, taken]) => {
    const values = Array.from(taken, ([name, kind]) => `${JSON.stringify(name)}: ${TYPES[kind]}`)
    const type = values.length === 0 ? 'Record<string, never>' : `{ ${values.join('; ')} }`
    return `      ${JSON.stringify(key)}: ${type}`
  })
  return `// Written by propylon check: tsc compares the keys and values of t() with the messages. Do not edit or commit it.
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
