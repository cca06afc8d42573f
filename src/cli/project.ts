import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { withImportHint } from '../app/import-hint.ts'
import { quoted, Refusal } from './refusal.ts'

/** A project on disk. */
export interface Project {
  /** The absolute path of its root. */
  readonly root: string
}

/** The project that a folder lies in: the nearest folder upward with a `package.json` and a `controllers/`. Throws a Refusal without one. */
export function findProject(from: string): Project {
  for (let folder = from; ; folder = dirname(folder)) {
    if (isFile(join(folder, 'package.json')) && isFolder(join(folder, 'controllers'))) return { root: folder }
    if (dirname(folder) === folder) break
  }
  throw new Refusal(
    `there is no project in ${quoted(from)} or above it: no folder with a package.json and a controllers folder`,
    "change into a project, or make one with 'propylon create DIR'",
  )
}

/** The first of some files, given relative to a project's root, that exists. */
export function findFile(project: Project, candidates: readonly string[]): string | undefined {
  return candidates.find((candidate) => isFile(join(project.root, ...candidate.split('/'))))
}

/** Imports a module of the project. */
export async function importFile(project: Project, path: string): Promise<Record<string, unknown>> {
  const url = pathToFileURL(join(project.root, ...path.split('/'))).href
  const module: unknown = await import(url).catch((error: unknown) => {
    throw withImportHint(error)
  })
  return isRecord(module) ? module : {}
}

/** Whether a value is an object whose members may be asked for. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile()
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}
