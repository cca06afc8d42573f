import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { signatureOf } from './file-snapshot.ts'

/** Files that pages are made from. Data that an application writes must not reload its pages. */
const SOURCE_FILE = /\.([cm]?[jt]sx?|eta|html|css|svg)$/
const IGNORED_FOLDER = /^(node_modules|var|coverage|\..*)$/
const MAX_FILES = 20_000

/** Detects changes of the source files of a project. */
export class ProjectFiles {
  readonly #root: string
  readonly #others: () => Iterable<string>
  #signatures: ReadonlyMap<string, string> | undefined
  #otherSignatures: ReadonlyMap<string, string> = new Map()

  /**
   * @param root - path of the project's folder. Symbolic links in it are followed.
   * @param others - returns the paths of further files, of any name and place.
   */
  constructor(root: string, others: () => Iterable<string>) {
    this.#root = root
    this.#others = others
  }

  /** Returns true if a file was created, removed or changed since the last call; false at the first call. */
  haveChanged(): boolean {
    const signatures = signaturesOf(pathsIn(this.#root))
    const otherSignatures = signaturesOf(this.#others())
    const known = this.#signatures
    const areSame =
      known === undefined ||
      (signatures.size === known.size && [...signatures].every(([path, now]) => known.get(path) === now))
    // A file that is new among the others has not changed: a module was imported.
    const othersAreSame = [...this.#otherSignatures].every(
      ([path, before]) => (otherSignatures.get(path) ?? before) === before,
    )
    this.#signatures = signatures
    this.#otherSignatures = otherSignatures
    return !(areSame && othersAreSame)
  }
}

function signaturesOf(paths: Iterable<string>): Map<string, string> {
  const all = new Map<string, string>()
  for (const path of paths) all.set(path, signatureOf(statSync(path, { throwIfNoEntry: false })))
  return all
}

function pathsIn(root: string): Set<string> {
  const paths = new Set<string>()
  const visited = new Set<string>()
  const folders = [root]
  for (const folder of folders) {
    if (paths.size > MAX_FILES) break
    for (const { name, kind } of entriesOf(folder, visited)) {
      if (kind === 'folder' && !IGNORED_FOLDER.test(name)) folders.push(join(folder, name))
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
    return [] // Removed in the meantime, or unreadable.
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
    return undefined // A circle of symbolic links.
  }
}
