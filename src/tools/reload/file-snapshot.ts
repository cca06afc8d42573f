import { createHash } from 'node:crypto'
import { readFileSync, type Stats, statSync } from 'node:fs'

/**
 * Maximum resolution of a file system's clock. A file written this shortly before its snapshot may change again without
 * a new time, so its content is compared too.
 */
const CLOCK_RESOLUTION_MILLISECONDS = 2000

/** The state of a file at one time, to detect changes. */
export class FileSnapshot {
  /** When the file was last written, in milliseconds since 1970; 0 if it did not exist. */
  readonly written: number
  readonly #path: string
  readonly #signature: string
  /** Hash of the content, while the time of the last write is too recent to rely on. */
  #content: string | undefined

  /** @param path - an absolute path. The file need not exist. */
  constructor(path: string) {
    this.#path = path
    const stats = statOf(path)
    this.#signature = signatureOf(stats)
    this.written = stats?.mtimeMs ?? 0
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

/** Returns text that differs between two states of a file: time, size and inode. `''` if the file does not exist. */
export function signatureOf(stats: Stats | undefined): string {
  return stats === undefined ? '' : `${stats.mtimeMs} ${stats.size} ${stats.ino}`
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}

function isRecent(stats: Stats): boolean {
  return stats.isFile() && Date.now() - stats.mtimeMs < CLOCK_RESOLUTION_MILLISECONDS
}

function hashOf(path: string): string {
  try {
    return createHash('sha1').update(readFileSync(path)).digest('base64')
  } catch {
    return '' // Removed or unreadable. No content has this hash.
  }
}
