/** Directories from which files are served, the names of files within them, and the refusal if there is none. */

import { builtin } from '../../base/builtin.ts'
import { decodeUri } from '../../base/decode-uri.ts'
import { filePathOf, isAbsence } from '../../base/files.ts'
import { isRead } from '../../base/methods.ts'
import type { HTTPException } from '../http-exception.ts'
import { HTTPMethodNotAllowed, HTTPNotFound } from '../status-exceptions.ts'
import { OpenFile } from './open-file.ts'

/** Whether file systems usually find a file by names that differ from its own in case or in Unicode normalization. */
const FOLDS_NAMES = typeof process !== 'undefined' && ['darwin', 'win32'].includes(process.platform)

/**
 * A directory from which files are served. Symbolic links that leave it, and dot files outside `.well-known/`, do not
 * exist.
 */
export class Directory {
  readonly path: string
  /** The path without symbolic links. Read again when files seem to be elsewhere: a deployment may change a link. */
  #real: string | undefined

  /** @param path - absolute path. */
  constructor(path: string) {
    this.path = path
  }

  /**
   * Opens a file.
   *
   * @param name - relative name, which {@link isServedName} allows.
   * @returns `undefined` if there is no such regular file.
   */
  async open(name: string): Promise<OpenFile | undefined> {
    const { join } = builtin('node:path')
    let path: string
    try {
      path = await realPath(join(this.path, name))
      if (!this.#has(path)) {
        this.#real = await realPath(this.path)
        if (!this.#has(path)) return undefined
      }
      // A second spelling of a path would pass a guard that compares the first.
      if (FOLDS_NAMES && isRespelled(name, this.#nameOf(path))) return undefined
    } catch (error) {
      if (isAbsence(error)) return undefined
      throw error
    }
    return OpenFile.open(path)
  }

  #has(path: string): boolean {
    return this.#real !== undefined && isServedName(this.#nameOf(path))
  }

  /** Returns the name within the directory of a path without symbolic links. */
  #nameOf(path: string): string {
    const { relative, sep } = builtin('node:path')
    return relative(this.#real ?? this.path, path).replaceAll(sep, '/')
  }
}

/** Returns true if two names differ only in case or in Unicode normalization. */
function isRespelled(name: string, other: string): boolean {
  return name !== other && folded(name) === folded(other)
}

/**
 * Folds case as file systems do: some characters, such as \u00DF and \u017F, are equal to others only in upper case.
 */
function folded(name: string): string {
  return name.normalize('NFD').toUpperCase().toLowerCase().normalize()
}

/** Resolves symbolic links, by the system's own function: the one of node:fs calls it for each part of a path. */
function realPath(path: string): Promise<string> {
  return builtin('node:util').promisify(builtin('node:fs').realpath.native)(path)
}

/** Device names, streams, and characters that Windows drops or refuses. Other systems allow them in file names. */
const SPECIAL_ON_WINDOWS = /[<>:"|?*]|[. ]$|^(?:aux|con|conin\$|conout\$|nul|prn|(?:com|lpt)[\d¹²³])(?:\.|$)/i

const isWindows = typeof process !== 'undefined' && process.platform === 'win32'

/**
 * Returns true if a name may be served: each of its parts is a plain name. It leads neither out of the directory nor
 * to a dot file, except files of `.well-known/` (RFC 8615). It may still lead to a directory, or through a symbolic
 * link.
 */
export function isServedName(name: string): boolean {
  return name.split('/').every(isServedPart)
}

function isServedPart(part: string, place: number): boolean {
  if (part === '.well-known' && place === 0) return true
  if (part === '' || part.startsWith('.') || part.includes('\\') || part.includes('\0')) return false
  return !isWindows || !SPECIAL_ON_WINDOWS.test(part)
}

/**
 * Returns the name of the file for a percent-encoded path, or `undefined` if no file can have the path. An encoded
 * slash separates nothing, so a file has one path only.
 *
 * @example
 * ```ts
 * fileNameOf('/css/app%20shell.css') // 'css/app shell.css'
 * fileNameOf('/%2e%2e/secrets') // undefined
 * ```
 */
export function fileNameOf(rawPath: string): string | undefined {
  if (!rawPath.startsWith('/')) return undefined
  const parts: string[] = []
  for (const raw of rawPath.slice(1).split('/')) {
    const part = decodeUri(raw)
    if (part === undefined || part.includes('/') || !isServedPart(part, parts.length)) return undefined
    parts.push(part)
  }
  return parts.join('/')
}

/**
 * Returns the absolute path of a directory of static files.
 *
 * @param directory - a `file:` URL, or a path from the working directory.
 * @throws Error - it does not exist or is not a directory, or the runtime has no file system.
 */
export function directoryPath(directory: URL | string): string {
  const path = builtin('node:path').resolve(filePathOf(directory))
  const stats = builtin('node:fs').statSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return path
  const fault = stats === undefined ? 'does not exist' : 'is not a directory'
  throw new Error(`The directory of static files ${path} ${fault}. Create it, or correct the path.`)
}

/**
 * Returns the exception for a request that no file answers: 405 unless the method is GET or HEAD, otherwise 404.
 *
 * @param detail - message for the client of a 404.
 */
export function refusalOf(method: string, detail?: string): HTTPException {
  return isRead(method) ? new HTTPNotFound(detail) : new HTTPMethodNotAllowed(undefined, { Allow: 'GET, HEAD' })
}
