/**
 * Files and directories that an application names. Requires Node, Bun or Deno.
 *
 * @module
 */

import { builtin } from './builtin.ts'

/** Error codes of paths that lead to no regular file. */
const ABSENT: ReadonlySet<unknown> = new Set([
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOENT',
  'ENOTDIR',
  'ENXIO', // a socket
  'ERR_INVALID_ARG_VALUE', // a path with a NUL
])

/** Maximum number of names that {@link fileNames} returns. */
const MAX_NAMES = 5000

/** Returns the path of a file or directory that is given as a `file:` URL or a path. */
export function filePathOf(place: URL | string): string {
  return typeof place === 'string' ? place : builtin('node:url').fileURLToPath(place)
}

/** Returns true if an error of node:fs means that there is no such file. Others, such as EACCES, are errors. */
export function isAbsence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ABSENT.has(error.code)
}

/**
 * Returns the names of the files below a directory, separated by slashes, for suggestions.
 *
 * @param isIncluded - returns true for the names of files to list and of directories to enter.
 */
export function fileNames(directory: string, isIncluded: (name: string) => boolean): string[] {
  const names: string[] = []
  const folders = ['']
  for (const folder of folders) {
    const path = builtin('node:path').join(directory, folder)
    for (const entry of builtin('node:fs').readdirSync(path, { withFileTypes: true })) {
      const name = folder + entry.name
      if (!isIncluded(name)) continue
      if (entry.isDirectory()) folders.push(`${name}/`)
      else if (names.push(name) === MAX_NAMES) return names
    }
  }
  return names
}
