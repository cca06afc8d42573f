/**
 * Changes of files: of a single one, and of all source files of a project.
 *
 * @module
 */

import { createHash } from 'node:crypto'
import { type Dirent, readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'

/** Files that pages are made from. Data that an application writes must not reload its pages. */
const SOURCE_FILE = /\.([cm]?[jt]sx?|eta|html|css|svg)$/
const IGNORED_FOLDER = /^(node_modules|var|coverage|\..*)$/
const MAX_FILES = 20_000

/**
 * Maximum resolution of a file system's clock. A file written this shortly before its snapshot may change again without
 * a new time, so its content is compared too.
 */
const CLOCK_RESOLUTION_MILLISECONDS = 2000

/** The state of a file at one time, to detect changes. */
export class FileSnapshot {
  readonly #path: string
  readonly #signature: string
  /** Hash of the content, while the time of the last write is too recent to rely on. */
  #content: string | undefined

  /** @param path - an absolute path. The file need not exist. */
  constructor(path: string) {
    this.#path = path
    const stats = statOf(path)
    this.#signature = signatureOf(stats)
    if (stats !== undefined && isRecent(stats)) this.#content = hashOf(path)
  }

  /** Returns true if the file was created, removed, replaced or changed since the snapshot. */
  hasChanged(): boolean {
    const stats = statOf(this.#path)
    if (signatureOf(stats) !== this.#signature) return true
    if (stats === undefined || this.#content === undefined) return false
    if (hashOf(this.#path) !== this.#content) return true
    if (!isRecent(stats)) this.#content = undefined
    return false
  }
}

/** Signatures of files by their paths. */
type Signatures = ReadonlyMap<string, string>

/** Detects changes of the source files of a project. */
export class ProjectFiles {
  readonly #root: string
  readonly #others: () => Iterable<string>
  /** Undefined before the first check. */
  #seen: { readonly sources: Signatures; readonly others: Signatures } | undefined

  /**
   * @param root - path of the project's folder. Symbolic links in it are followed.
   * @param others - returns the paths of further files, of any name and place. It never leaves out one that it has
   *   returned.
   */
  constructor(root: string, others: () => Iterable<string>) {
    this.#root = root
    this.#others = others
  }

  /** Returns true if a file was created, removed or changed since the last call; false at the first call. */
  haveChanged(): boolean {
    const before = this.#seen
    const sources = signaturesIn(this.#root)
    const others = new Map(Array.from(this.#others(), (path) => [path, signatureOf(statOf(path))]))
    this.#seen = { sources, others }
    if (before === undefined) return false
    // A file that is new among the others has not changed: a module was imported.
    return sources.size !== before.sources.size || differ(before.sources, sources) || differ(before.others, others)
  }
}

/** Returns true if one of the files before is missing now, or has another signature. */
function differ(before: Signatures, now: Signatures): boolean {
  return [...before].some(([path, signature]) => now.get(path) !== signature)
}

/** Returns the signatures of the source files in a folder, and in the folders in it. */
function signaturesIn(root: string): Signatures {
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

/**
 * Returns text that differs between two states of a file: times, size and inode. `''` if the file does not exist. The
 * time of the last change of its status counts too, because some programs set the time of the last write (`touch -d`,
 * `rsync -t`).
 */
function signatureOf(stats: Stats | undefined): string {
  return stats === undefined ? '' : `${stats.mtimeMs} ${stats.ctimeMs} ${stats.size} ${stats.ino}`
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined // A circle of symbolic links.
  }
}

function isRecent(stats: Stats): boolean {
  return stats.isFile() && Date.now() - Math.max(stats.mtimeMs, stats.ctimeMs) < CLOCK_RESOLUTION_MILLISECONDS
}

function hashOf(path: string): string {
  try {
    return createHash('sha1').update(readFileSync(path)).digest('base64')
  } catch {
    return '' // Removed or unreadable. No content has this hash.
  }
}
