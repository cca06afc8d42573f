/**
 * Finds the project of a command, and loads its application.
 *
 * @module
 */

import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FrameworkApp } from '../../app/framework-app.ts'
import { withImportHint } from '../../app/import-hint.ts'
import { isFrameworkApp } from '../../app/is-framework-app.ts'
import { CommandError, quoted, UsageError } from '../../base/command-line/command-errors.ts'
import { setProjectFolder } from '../../base/place.ts'
import { isRecord } from '../../base/record.ts'

/** Files that export an application. */
const APPLICATIONS = ['app.ts', 'app.js']

/** A project on disk. */
export interface Project {
  /** Absolute path of its root. */
  readonly root: string
}

/**
 * Finds the project of a folder: the nearest folder upward with a `controllers/`, and with a `package.json` or an
 * application. One package may have several applications.
 *
 * @throws UsageError - there is none.
 */
export function findProject(from: string): Project {
  const root = folderAbove(
    from,
    (folder) =>
      isFolder(join(folder, 'controllers')) &&
      ['package.json', ...APPLICATIONS].some((name) => isFile(join(folder, name))),
  )
  if (root !== undefined) return { root }
  throw new UsageError(
    `there is no project in ${quoted(from)} or above it: no folder with a controllers folder and a package.json or an app.ts`,
    "change into a project, or create one with 'propylon create DIR'",
  )
}

/** Returns a folder, or the nearest one above it, that a function accepts. */
export function folderAbove(from: string, accepts: (folder: string) => boolean): string | undefined {
  if (accepts(from)) return from
  return dirname(from) === from ? undefined : folderAbove(dirname(from), accepts)
}

/** Returns the first existing file of some, given relative to a project's root. */
export function findFile(project: Project, candidates: readonly string[]): string | undefined {
  return candidates.find((candidate) => isFile(pathIn(project, candidate)))
}

/** Returns the text of a project's file, or undefined if there is none. */
export function readFile(project: Project, path: string): string | undefined {
  return isFile(pathIn(project, path)) ? readFileSync(pathIn(project, path), 'utf8') : undefined
}

/** Returns the absolute path of a project's file. */
export function pathIn({ root }: Project, path: string): string {
  return join(root, path)
}

/** Imports a module of a project. */
export async function importFile(project: Project, path: string): Promise<Record<string, unknown>> {
  const url = pathToFileURL(pathIn(project, path)).href
  const module: unknown = await import(url).catch((error: unknown) => {
    throw withImportHint(error)
  })
  return isRecord(module) ? module : {}
}

/**
 * Imports a file that a command needs.
 *
 * @throws CommandError - the file does not load.
 */
export function loadFile(project: Project, path: string): Promise<Record<string, unknown>> {
  return importFile(project, path).catch((cause: unknown) => {
    throw new CommandError(`${path} does not load`, { cause })
  })
}

/**
 * Returns the file that exports a project's application.
 *
 * @throws UsageError - there is none.
 */
export function applicationFile(project: Project): string {
  const file = findFile(project, APPLICATIONS)
  if (file !== undefined) return file
  const fix = 'create it with the application as its default export: export default new FrameworkApp({ … })'
  throw new UsageError('the project has no app.ts', fix)
}

/**
 * Loads the application that a project's `app.ts` exports by default.
 *
 * @throws UsageError - there is no such file or export.
 * @throws CommandError - the file does not load.
 */
export async function loadApplication(project: Project): Promise<FrameworkApp> {
  const file = applicationFile(project)
  setProjectFolder(project.root)
  const module = await loadFile(project, file)
  if (!isFrameworkApp(module.default)) {
    throw new UsageError(`${file} exports no application`, 'end it with: export default new FrameworkApp({ … })')
  }
  return module.default
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile()
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}
