import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from 'node:fs'
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
    const signatures = signaturesIn(this.#root)
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
  return new Map(Array.from(paths, (path) => [path, signatureOf(statOf(path))]))
}

/** Returns the signatures of the source files in a folder, and in the folders in it. */
function signaturesIn(root: string): Map<string, string> {
  const signatures = new Map<string, string>()
  const visited = new Set<string>()
  const folders = [root]
  for (const folder of folders) {
    if (signatures.size > MAX_FILES) break
    for (const entry of entriesOf(folder, visited)) {
      const path = join(folder, entry.name)
      const isSource = SOURCE_FILE.test(entry.name) && !entry.name.startsWith('.')
      if (!isSource && !entry.isDirectory() && !entry.isSymbolicLink()) continue
      const stats = statOf(path)
      if (stats?.isDirectory() && !IGNORED_FOLDER.test(entry.name)) folders.push(path)
      else if (isSource && stats?.isFile()) signatures.set(path, signatureOf(stats))
    }
  }
  return signatures
}

function entriesOf(folder: string, visited: Set<string>): Dirent[] {
  try {
    const real = realpathSync(folder)
    if (visited.has(real)) return []
    visited.add(real)
    return readdirSync(real, { withFileTypes: true })
  } catch {
    return [] // Removed in the meantime, or unreadable.
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined // A circle of symbolic links.
  }
}
