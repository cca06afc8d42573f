/**
 * Other people's programs, which are installed in this folder only, so that the compiler does not see their types. Each workspace
 * has the packages of some tests: `npm --prefix test/packages install` installs all, with `--workspace=runtimes` those of one.
 */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** A folder with a package.json. */
export type Workspace = 'guides' | 'mcp' | 'openapi' | 'runtimes' | 'storage'

/** Folder with the packages of all workspaces. Those in another version are in a folder of their workspace. */
export const MODULES: string = join(import.meta.dirname, 'node_modules')

/** Returns the path of a file of an installed package, or of a command in `.bin`. */
export function installed(workspace: Workspace, path: string): string {
  const own = join(import.meta.dirname, workspace, 'node_modules', path)
  return existsSync(own) ? own : join(MODULES, path)
}

/** Returns a function that loads and resolves the packages of a workspace. */
export function requireOf(workspace: Workspace): NodeJS.Require {
  return createRequire(join(import.meta.dirname, workspace, 'package.json'))
}
