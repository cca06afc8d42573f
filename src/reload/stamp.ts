/** Tells whether a file has changed since it was looked at. */
import { createHash } from 'node:crypto'
import { readFileSync, type Stats, statSync } from 'node:fs'

/**
 * File systems tell times in steps of up to two seconds. A file that changed this shortly before it was looked at may
 * change again and show the same time, so its content is compared too.
 */
const COARSEST_CLOCK_MILLISECONDS = 2000

/** A file as it was when it was looked at. */
export class Stamp {
  /** When the file was last written, in milliseconds since 1970; 0 where there is none. */
  readonly written: number
  readonly #path: string
  readonly #facts: string
  /** The content's hash while times alone cannot tell. */
  #content: string | undefined

  /** @param path - an absolute path; there need not be a file. */
  constructor(path: string) {
    this.#path = path
    const stats = statOf(path)
    this.#facts = factsOf(stats)
    this.written = stats?.mtimeMs ?? 0
    if (stats !== undefined && isRecent(stats)) this.#content = hashOf(path)
  }

  /** Whether the file is another one now, or has another content, or has come or gone. */
  hasChanged(): boolean {
    const stats = statOf(this.#path)
    if (factsOf(stats) !== this.#facts) return true
    if (stats === undefined || this.#content === undefined) return false
    if (hashOf(this.#path) !== this.#content) return true
    if (!isRecent(stats)) this.#content = undefined
    return false
  }
}

/** What tells two states of a file apart, as text; empty where there is no file. */
export function factsOf(stats: Stats | undefined): string {
  return stats === undefined ? '' : `${stats.mtimeMs} ${stats.size} ${stats.ino}`
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}

function isRecent(stats: Stats): boolean {
  return stats.isFile() && Date.now() - stats.mtimeMs < COARSEST_CLOCK_MILLISECONDS
}

function hashOf(path: string): string {
  try {
    return createHash('sha1').update(readFileSync(path)).digest('base64')
  } catch {
    return '' // It went away or cannot be read, which is no content that any file has.
  }
}
