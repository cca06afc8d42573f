import { builtin } from '../../base/builtin.ts'
import { isAbsence } from '../../base/files.ts'
import { isServedName } from './file-name.ts'
import { OpenFile } from './open-file.ts'

/** Whether file systems usually find a file by names that differ from its own in case or in Unicode normalization. */
const FOLDS_NAMES = typeof process !== 'undefined' && ['darwin', 'win32'].includes(process.platform)

/** A directory from which files are served. Symbolic links that leave it, and dot files, do not exist. */
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

/** Folds case as file systems do: some characters, such as \u00DF and \u017F, are equal to others only in upper case. */
function folded(name: string): string {
  return name.normalize('NFD').toUpperCase().toLowerCase().normalize()
}

/** Resolves symbolic links, by the system's own function: the one of node:fs calls it for each part of a path. */
function realPath(path: string): Promise<string> {
  return builtin('node:util').promisify(builtin('node:fs').realpath.native)(path)
}
