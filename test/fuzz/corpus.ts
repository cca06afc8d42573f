/** Inputs that once refuted a property: one file for each subject. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Json } from './property.ts'

/** An input that failed. */
export interface Entry {
  /** Name of the property. */
  readonly property: string
  /** What was wrong, in one line. */
  readonly found: string
  readonly input: Json
}

/** Returns the entries of a subject. */
export function corpusOf(subject: string): readonly Entry[] {
  const file = fileOf(subject)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
}

/** Returns the inputs of a property, as JSON. */
export function inputsOf(subject: string, property: string): string[] {
  return corpusOf(subject)
    .filter((entry) => entry.property === property)
    .map(({ input }) => JSON.stringify(input))
}

/** Adds an entry, unless the property has the same input already. */
export function keep(subject: string, entry: Entry): void {
  const input = JSON.stringify(entry.input)
  if (inputsOf(subject, entry.property).includes(input)) return
  // Characters beyond ASCII are escaped, so that bytes and invisible characters can be read.
  const text = JSON.stringify([...corpusOf(subject), entry], null, 2).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  // Another thread may be reading the file.
  const file = fileOf(subject)
  const draft = new URL(`${file.href}.new`)
  writeFileSync(draft, `${text}\n`)
  renameSync(draft, file)
}

function fileOf(subject: string): URL {
  return new URL(`corpus/${subject}.json`, import.meta.url)
}
