/**
 * Places in files as logs, pages and commands show them.
 *
 * @module
 */

import { trimEnd } from './trim.ts'

/** Queries by which live reload and the registry of controllers load a module again. */
const VERSION = /(?<=\.[cm]?[jt]sx?)\?(?:reload|attempt)=\d+(?:&(?:reload|attempt)=\d+)*/g

let folder: string | undefined

/** Sets the folder to which paths are relative. Default: the working directory. */
export function setProjectFolder(path: string): void {
  folder = path
}

/** Removes the queries from the addresses of modules in a text. */
export function withoutVersions(text: string): string {
  return text.replace(VERSION, '')
}

/** Makes the paths in a text relative to a folder, by default the project's, and removes the queries. */
export function shownPlaces(text: string, root = folder ?? workingDirectory()): string {
  const shown = withoutVersions(text)
  const base = trimEnd(root, '\\/')
  if (base === '') return shown
  // The same letters within another path are not the folder: `/srv/app/` has `/app/`.
  const [plain, encoded] = [base, encodeURI(base)].map((each) => each.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  const pattern = `(?<![\\p{L}\\p{N}_.~-])(?:file://)?(?:${plain}|${encoded})[\\\\/]`
  return shown.replace(new RegExp(pattern, 'gu'), '')
}

function workingDirectory(): string {
  return typeof process === 'undefined' ? '/' : process.cwd()
}
