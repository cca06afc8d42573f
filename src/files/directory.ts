import { builtin } from '../wsgi/builtin.ts'
import { isServedName } from './file-name.ts'
import { isAbsence, OpenFile } from './open-file.ts'

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
    } catch (error) {
      if (isAbsence(error)) return undefined
      throw error
    }
    return OpenFile.open(path)
  }

  #has(path: string): boolean {
    if (this.#real === undefined) return false
    const { relative, sep } = builtin('node:path')
    return isServedName(relative(this.#real, path).replaceAll(sep, '/'))
  }
}

/** Resolves symbolic links, by the system's own function: the one of node:fs calls it for each part of a path. */
function realPath(path: string): Promise<string> {
  const { realpath } = builtin('node:fs')
  return new Promise((resolve, reject) => {
    realpath.native(path, (error, real) => (error === null ? resolve(real) : reject(error)))
  })
}
