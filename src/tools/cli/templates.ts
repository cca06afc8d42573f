import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, posix, sep } from 'node:path'
import { FRAMEWORK_FOLDER } from '../../base/framework-folder.ts'
import { escapeRegex } from '../../base/regex.ts'
import type { NewFile } from './files.ts'

/** The folder of this package, which has `package.json` and the templates. */
export const PACKAGE_FOLDER = new URL('../', FRAMEWORK_FOLDER)

/** The templates, which the package contains as sources only. */
const TEMPLATES = new URL('src/tools/cli/templates/', PACKAGE_FOLDER)

/** Names of templates to names of files. npm and other tools would interpret the latter in this package. */
const FILE_NAMES: ReadonlyMap<string, string> = new Map([
  ['_dockerignore', '.dockerignore'],
  ['_env.example', '.env.example'],
  ['_gitignore', '.gitignore'],
  ['_oxlintrc.json', '.oxlintrc.json'],
  ['_README.md', 'README.md'],
  ['_package.json', 'package.json'],
  ['_tsconfig.json', 'tsconfig.json'],
])

/** Returns the text of a template. */
export function template(name: string): string {
  return readFileSync(new URL(name, TEMPLATES), 'utf8').replaceAll('\r\n', '\n')
}

export function projectTemplate(): NewFile[] {
  return filesIn('project')
}

/** Returns the files that a variant adds to a new project, or replaces. */
export function variantTemplate(name: string): NewFile[] {
  return filesIn(`variants/${name}`)
}

function filesIn(name: string): NewFile[] {
  const folder = new URL(`${name}/`, TEMPLATES)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => statSync(new URL(file, folder)).isFile())
    .map((file) => {
      const base = posix.basename(file)
      const path = posix.join(posix.dirname(file), FILE_NAMES.get(base) ?? base)
      return { path, text: template(`${name}/${file}`) }
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/**
 * Replaces words of a template in one pass. Only whole words are replaced, the longest first: `thing` is unchanged in
 * `something`, and in `area_thing`, which has its own replacement.
 */
export function substitute(text: string, words: Readonly<Record<string, string>>): string {
  const known = Object.keys(words).sort((a, b) => b.length - a.length)
  const pattern = known.map((word) => `${edge(word.at(0))}${escapeRegex(word)}${edge(word.at(-1))}`)
  return text.replace(new RegExp(pattern.join('|'), 'g'), (word) => words[word] ?? word)
}

/** Returns the specifier with which one file of a project imports another. */
export function importPath(from: string, to: string): string {
  const path = posix.relative(dirname(from), to)
  return path.startsWith('.') ? path : `./${path}`
}

function edge(character: string | undefined): string {
  return character !== undefined && /\w/.test(character) ? '\\b' : ''
}
