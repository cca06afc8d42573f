/** The files of a project that pages are made of, as far as one can tell by their names. */
import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { factsOf } from './stamp.ts'

/** What programs are written in. Data that an application writes while it runs must not make its pages reload. */
const SOURCE_FILE = /\.([cm]?[jt]sx?|eta|html|css|svg)$/
/** Packages, version control, data and results are no sources. */
const NO_SOURCES = /^(node_modules|var|coverage|\..*)$/
const MAX_FILES = 20_000

/**
 * The state of all source files as one text, which is another one when any of them has changed.
 *
 * @param root - the path of the project's folder. Symbolic links in it are followed.
 * @param others - the paths of files that count whatever they are called.
 */
export function stateOfFiles(root: string, others: Iterable<string>): string {
  const paths = new Set(others)
  const visited = new Set<string>()
  const folders = [root]
  for (const folder of folders) {
    if (paths.size > MAX_FILES) break
    for (const { name, kind } of entriesOf(folder, visited)) {
      if (kind === 'folder' && !NO_SOURCES.test(name)) folders.push(join(folder, name))
      else if (kind === 'file' && SOURCE_FILE.test(name) && !name.startsWith('.'))
        paths.add(join(folder, name))
    }
  }
  let state = ''
  for (const path of paths) state += `${path}\n${factsOf(statSync(path, { throwIfNoEntry: false }))}\n`
  return state
}

function entriesOf(folder: string, visited: Set<string>): { name: string; kind: 'file' | 'folder' | '' }[] {
  let entries: Dirent[]
  try {
    const real = realpathSync(folder)
    if (visited.has(real)) return []
    visited.add(real)
    entries = readdirSync(real, { withFileTypes: true })
  } catch {
    return [] // It went away while we looked, or is not for us to read.
  }
  return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry, folder) }))
}

function kindOf(entry: Dirent, folder: string): 'file' | 'folder' | '' {
  const target = entry.isSymbolicLink() ? targetOf(join(folder, entry.name)) : entry
  if (target?.isDirectory()) return 'folder'
  return target?.isFile() ? 'file' : ''
}

function targetOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined // Links that lead round in a circle lead nowhere.
  }
}
