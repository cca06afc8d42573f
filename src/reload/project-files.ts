/** The files of a project that pages are made of, as far as one can tell by their names. */
import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { factsOf } from './stamp.ts'

/** What programs are written in. Data that an application writes while it runs must not make its pages reload. */
const SOURCE_FILE = /\.([cm]?[jt]sx?|eta|html|css|svg)$/
/** Packages, version control, data and results are no sources. */
const NO_SOURCES = /^(node_modules|var|coverage|\..*)$/
const MAX_FILES = 20_000

/** The source files of a project, to be looked at again and again. */
export class ProjectFiles {
  readonly #root: string
  readonly #others: () => Iterable<string>
  #facts: ReadonlyMap<string, string> | undefined
  #otherFacts: ReadonlyMap<string, string> = new Map()

  /**
   * @param root - the path of the project's folder. Symbolic links in it are followed.
   * @param others - the paths of files that count whatever they are called and wherever they lie.
   */
  constructor(root: string, others: () => Iterable<string>) {
    this.#root = root
    this.#others = others
  }

  /** Whether a file has changed, come or gone since the last look; false at the first. */
  haveChanged(): boolean {
    const facts = factsOfAll(pathsIn(this.#root))
    const otherFacts = factsOfAll(this.#others())
    const known = this.#facts
    const areSame =
      known === undefined ||
      (facts.size === known.size && [...facts].every(([path, now]) => known.get(path) === now))
    // That a file counts from now on is no change of the file.
    const othersAreSame = [...this.#otherFacts].every(
      ([path, before]) => (otherFacts.get(path) ?? before) === before,
    )
    this.#facts = facts
    this.#otherFacts = otherFacts
    return !(areSame && othersAreSame)
  }
}

function factsOfAll(paths: Iterable<string>): Map<string, string> {
  const all = new Map<string, string>()
  for (const path of paths) all.set(path, factsOf(statSync(path, { throwIfNoEntry: false })))
  return all
}

function pathsIn(root: string): Set<string> {
  const paths = new Set<string>()
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
  return paths
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
