/**
 * Changes the sources of an application for this version, and finds what a person must change.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NOTICES } from './changes.ts'
import { type Place, withMovedImports } from './imports.ts'

/** A file that has another text, or places that need attention. */
export interface UpgradedFile {
  readonly path: string
  readonly before: string
  readonly text: string
  readonly moved: readonly string[]
  readonly open: readonly Place[]
}

/** Folders with files that the application does not write by hand. Names that begin with a dot are left out too. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', 'dist', 'build', 'coverage', 'public', 'var'])

/** Files whose lines are searched for changed uses. Only modules have imports. */
const SEARCHED = /\.(?:[mc]?[jt]sx?|json|service|sh)$/

/** Modules that the parser reads. */
const MODULES = /(?<!\.d)\.[mc]?[jt]s$/

/** Dependencies on a version before this one. */
const DEPENDENCY = /("propylon"\s*:\s*")[~^]?0\.2(?:\.\d+)?(")/

/**
 * Returns the files of an application that need another text or the attention of a person.
 *
 * @param version - the version that the application uses from now on.
 */
export function upgradedFiles(root: string, version: string): UpgradedFile[] {
  return filesIn(root)
    .map((path) => upgraded(path, readFileSync(join(root, path), 'utf8'), version))
    .filter(({ before, text, open }) => text !== before || open.length > 0)
}

function upgraded(path: string, before: string, version: string): UpgradedFile {
  if (path === 'package.json') {
    const text = before.replace(DEPENDENCY, `$1^${version}$2`)
    return { path, before, text, moved: text === before ? [] : [`propylon ^${version}`], open: noticed(text) }
  }
  if (!MODULES.test(path)) return { path, before, text: before, moved: [], open: noticed(before) }
  try {
    const { text, moved, open } = withMovedImports(path, before)
    return { path, before, text, moved, open: [...open, ...(isOfFramework(text) ? noticed(text) : [])] }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const open = [{ line: 1, message: `The file cannot be parsed: ${error.message}.` }]
    return { path, before, text: before, moved: [], open }
  }
}

/** Returns true if a module, or the base class that it imports, may use the framework. */
function isOfFramework(text: string): boolean {
  return /\bpropylon\b|\bthis\.session\b|\bextends \w*Controller\b/.test(text)
}

function noticed(text: string): Place[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      NOTICES.filter(({ pattern }) => pattern.test(line) && !/^\s*(?:\/[/*]|\*|import\b)/.test(line)).map(
        ({ message }) => ({ line: index + 1, message }),
      ),
    )
}

function filesIn(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.name.startsWith('.') || SKIPPED.has(entry.name)) return []
    if (entry.isDirectory()) return filesIn(root, path)
    return entry.isFile() && SEARCHED.test(entry.name) && entry.name !== 'package-lock.json' ? [path] : []
  })
}
