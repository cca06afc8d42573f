/** Names of controllers from their files: in a directory, or in a record by path. */
import type { ControllerRecord, ControllerSource } from './controller-source.ts'

/** Extensions of controller files. If a name has several files, the first of these wins. */
const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs'] as const

/** Name of a file, without its extension, or of a directory that may be part of a controller's name. */
const SEGMENT = /^[A-Za-z0-9][A-Za-z0-9_-]*$/

const MAX_DEPTH = 16

/**
 * Scans a directory for controllers: `users.ts` is `users`, `admin/users.ts` is `admin/users`. Ignores `*.d.ts` and names
 * that begin with an underscore. Follows symbolic links, except into a directory that is being scanned.
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
      `There is no directory of controllers at ${directory.pathname} (${code}). Correct the option controllers. A bundled application has no such directory: pass a record instead, controllers: { users: UsersController } or import.meta.glob('./controllers/**/*.ts').`,
    )
  }
  const found = new Map<string, URL>()
  scan(fs, directory, '', found, new Set())
  return found
}

/** The path of a file, as `import.meta.glob` writes it, in contrast to a name. */
const PATH = /^(?:\.{0,2}\/)+/

/**
 * Returns the controllers of a record by name. A key that is the path of a file, `./controllers/admin/users.ts`, becomes the
 * name that the file has in a directory `controllers`: `admin/users`. Files that are not controllers are left out.
 *
 * @throws TypeError - two keys have the same name.
 */
export function namedControllers(record: ControllerRecord): Map<string, ControllerSource> {
  const found = new Map<string, ControllerSource>()
  for (const [key, source] of Object.entries(record)) {
    const name = PATH.test(key) ? nameOfPath(key) : key
    if (name === undefined) continue
    if (found.has(name)) throw new TypeError(`Two keys of the option controllers have the name "${name}".`)
    found.set(name, source)
  }
  return found
}

/** Returns the name of the controller in a file, or undefined if the file is not one. */
function nameOfPath(path: string): string | undefined {
  const below = path.replace(/^.*?\/controllers\//, '').replace(PATH, '')
  const extension = EXTENSIONS.find((ending) => below.endsWith(ending))
  if (extension === undefined) return undefined
  const name = below.slice(0, -extension.length)
  return name.split('/').every((segment) => SEGMENT.test(segment)) ? name : undefined
}

type FileSystem = typeof import('node:fs')

function scan(
  fs: FileSystem,
  directory: URL,
  prefix: string,
  found: Map<string, URL>,
  open: Set<string>,
): void {
  const real = fs.realpathSync(directory)
  if (open.has(real) || open.size >= MAX_DEPTH) return
  open.add(real)
  const files: { name: string; extension: (typeof EXTENSIONS)[number] }[] = []
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const kind = kindOf(fs, entry, directory)
    if (kind === 'directory' && SEGMENT.test(entry.name)) {
      scan(
        fs,
        new URL(`${encodeURIComponent(entry.name)}/`, directory),
        `${prefix}${entry.name}/`,
        found,
        open,
      )
    } else if (kind === 'file') {
      const extension = EXTENSIONS.find((ending) => entry.name.endsWith(ending))
      const name = extension === undefined ? '' : entry.name.slice(0, -extension.length)
      if (extension !== undefined && SEGMENT.test(name)) files.push({ name, extension })
    }
  }
  files.sort((a, b) => EXTENSIONS.indexOf(a.extension) - EXTENSIONS.indexOf(b.extension))
  for (const { name, extension } of files) {
    if (!found.has(prefix + name)) found.set(prefix + name, new URL(name + extension, directory))
  }
  open.delete(real)
}

function kindOf(
  fs: FileSystem,
  entry: import('node:fs').Dirent,
  directory: URL,
): 'file' | 'directory' | undefined {
  // The target of a link, or a file removed since the listing, may not exist.
  const target = entry.isSymbolicLink()
    ? fs.statSync(new URL(encodeURIComponent(entry.name), directory), { throwIfNoEntry: false })
    : entry
  if (target?.isDirectory()) return 'directory'
  return target?.isFile() ? 'file' : undefined
}
