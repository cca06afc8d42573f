import { readdirSync, readFileSync } from 'node:fs'
import { dirname, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { NewFile } from './files.ts'

/** The files that scaffolding writes lie in the package as sources, wherever this module runs from: `src/cli` or `dist/cli`. */
const TEMPLATES = new URL('../../src/cli/templates/', import.meta.url)

/** Names that npm or the tools at work here would take for their own if the templates bore them. */
const OUTSIDE_NAMES: ReadonlyMap<string, string> = new Map([
  ['_gitignore', '.gitignore'],
  ['_package.json', 'package.json'],
  ['_tsconfig.json', 'tsconfig.json'],
])

/** The text of a template. */
export function template(name: string): string {
  return readFileSync(new URL(name, TEMPLATES), 'utf8').replaceAll('\r\n', '\n')
}

/** All files of a new project under the names they get there. */
export function projectTemplate(): NewFile[] {
  const folder = new URL('project/', TEMPLATES)
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const inside = posixRelative(fileURLToPath(folder), entry.parentPath)
      const path = posix.join(inside, OUTSIDE_NAMES.get(entry.name) ?? entry.name)
      return { path, text: template(posix.join('project', inside, entry.name)) }
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/**
 * Puts words in place of a template's own, in one pass: a word is replaced where it stands whole, the longest first, so that
 * `thing` is left alone inside `something` and inside `area_thing`, which has a replacement of its own.
 */
export function substitute(text: string, words: Readonly<Record<string, string>>): string {
  const known = Object.keys(words).sort((a, b) => b.length - a.length)
  const pattern = known.map(
    (word) => `${edge(word.at(0))}${word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}${edge(word.at(-1))}`,
  )
  return text.replace(new RegExp(pattern.join('|'), 'g'), (word) => words[word] ?? word)
}

/** The path by which one file of a project imports another. */
export function importPath(from: string, to: string): string {
  const path = posix.relative(dirname(from), to)
  return path.startsWith('.') ? path : `./${path}`
}

function edge(character: string | undefined): string {
  return character !== undefined && /\w/.test(character) ? '\\b' : ''
}

function posixRelative(from: string, to: string): string {
  return posix.relative(from.replaceAll('\\', '/'), to.replaceAll('\\', '/'))
}
