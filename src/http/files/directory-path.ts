import { builtin } from '../../base/builtin.ts'
import { filePathOf } from '../../base/files.ts'

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
