/** Names of controllers from their files: in a directory, or in a record by path. */
import { filePathOf } from '../base/files.ts'
import { shownPlaces } from '../base/place.ts'
import type { ControllerRecord, ControllerSource } from './loaded-controller.ts'

/** Extensions of controller files. If a name has several files, the first of these wins. */
const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs'] as const

/** Name of a file, without its extension, or of a directory that may be part of a controller's name. */
const SEGMENT = /^[A-Za-z0-9][A-Za-z0-9_-]*$/

const MAX_DEPTH = 16

/**
 * Scans a directory for controllers: `users.ts` is `users`, `admin/users.ts` is `admin/users`. Ignores `*.d.ts` and
 * names that begin with an underscore. Follows symbolic links, except into a directory that is being scanned.
 *
 * @returns the URL of each file by controller name.
 * @throws Error - the directory does not exist or cannot be read.
 */
export function scanControllerDirectory(directory: URL): Map<string, URL> {
  const fs = process.getBuiltinModule?.('node:fs')
  if (fs === undefined) {
    throw new Error(
      `This runtime has no file system to scan ${directory.href}. Pass the controllers as a record: { users: UsersController }`,
    )
  }
  const stats = fs.statSync(directory, { throwIfNoEntry: false })
  if (stats?.isDirectory() !== true) {
    const code = stats === undefined ? 'ENOENT' : 'ENOTDIR'
    throw new Error(
      `There is no directory of controllers at ${shownPlaces(filePathOf(directory))} (${code}). Correct the option controllers. A bundled application has no such directory: pass a record instead, controllers: { users: UsersController } or import.meta.glob('./controllers/**/*.ts').`,
    )
  }
  const files = [...filesBelow(fs, directory)]
  const found = new Map<string, URL>()
  for (const extension of EXTENSIONS.toReversed()) {
    for (const file of files) {
      const name = file.endsWith(extension) ? nameOfFile(file) : undefined
      if (name !== undefined) found.set(name, new URL(file, directory))
    }
  }
  return found
}

/** The path of a file, as `import.meta.glob` writes it, in contrast to a name. */
const PATH = /^(?:\.{0,2}\/)+/

/**
 * Returns the controllers of a record by name. A key that is the path of a file, `./controllers/admin/users.ts`,
 * becomes the name that the file has in a directory `controllers`: `admin/users`. Files that are not controllers are
 * left out.
 *
 * @throws TypeError - two keys have the same name.
 */
export function namedControllers(record: ControllerRecord): Map<string, ControllerSource> {
  const found = new Map<string, ControllerSource>()
  for (const [key, source] of Object.entries(record)) {
    const file = key.replace(/^.*?\/controllers\//, '').replace(PATH, '')
    const name = PATH.test(key) ? nameOfFile(file) : key
    if (name === undefined) continue
    if (found.has(name)) throw new TypeError(`Two keys of the option controllers have the name "${name}".`)
    found.set(name, source)
  }
  return found
}

/**
 * Returns the name of the controller in a file, or undefined if the file is not one. @param file - path from the
 * directory.
 */
function nameOfFile(file: string): string | undefined {
  const extension = EXTENSIONS.find((ending) => file.endsWith(ending))
  if (extension === undefined) return undefined
  const name = file.slice(0, -extension.length)
  return name.split('/').every((segment) => SEGMENT.test(segment)) ? name : undefined
}

/** Returns the paths of the files below a directory. @param open - the directories that are being scanned. */
function* filesBelow(
  fs: typeof import('node:fs'),
  directory: URL,
  prefix = '',
  open: readonly string[] = [],
): Iterable<string> {
  const real = fs.realpathSync(directory)
  if (open.includes(real) || open.length >= MAX_DEPTH) return
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const { name } = entry
    // The target of a link, or a file removed since the listing, may not exist.
    const target = entry.isSymbolicLink()
      ? fs.statSync(new URL(encodeURIComponent(name), directory), { throwIfNoEntry: false })
      : entry
    if (target?.isFile()) yield prefix + name
    else if (target?.isDirectory() && SEGMENT.test(name)) {
      yield* filesBelow(fs, new URL(`${name}/`, directory), `${prefix}${name}/`, [...open, real])
    }
  }
}
