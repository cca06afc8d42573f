/**
 * Writes and changes files of a project: all of them or none.
 *
 * @module
 */

import {
  chmodSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { quoted, UsageError } from '../../base/command-line/command-errors.ts'

/** A file to write: its path with `/` relative to the root, and its text. */
export interface NewFile {
  readonly path: string
  readonly text: string
  /** Permissions of the file. Default: the permissions that the process gives. */
  readonly mode?: number
}

/** A file to change: the expected text and the new text. */
export interface ChangedFile extends NewFile {
  readonly before: string
}

/**
 * Checks that new files can be written below a root. A file must not exist, not even in another case, and its folders
 * must not lead out of the root through a symbolic link. Writes nothing.
 *
 * @throws UsageError - a file cannot be written.
 */
export function checkNewFiles(root: string, files: readonly NewFile[]): void {
  for (const file of files) checkNewFile(root, file.path)
}

/**
 * Creates and changes files, all or none. All texts are written to temporary files first. A new file never replaces an
 * existing one. If a step fails, the previous steps are undone.
 *
 * @throws UsageError - a file exists, has changed since it was read, or cannot be written.
 */
export function writeFiles(
  root: string,
  created: readonly NewFile[],
  changed: readonly ChangedFile[] = [],
): void {
  checkNewFiles(root, created)
  for (const change of changed) {
    if (readFileSync(absolute(root, change.path), 'utf8') !== change.before) {
      throw new UsageError(`${change.path} was changed by another program`, 'run the command again')
    }
  }
  const undo: (() => void)[] = []
  try {
    const placements = [
      ...created.map((file) => ({ file, place: placeNew })),
      ...changed.map((file) => ({ file, place: placeChanged(file.before) })),
    ].map(({ file, place }) => {
      const path = place === placeNew ? absolute(root, file.path) : realpathSync(absolute(root, file.path))
      makeFolders(dirname(path), undo)
      const temporary = `${path}.${process.pid}.tmp`
      writeFileSync(temporary, file.text, { flag: 'wx', mode: file.mode ?? 0o666 })
      undo.push(() => rmSync(temporary, { force: true }))
      return { path, temporary, place }
    })
    for (const { path, temporary, place } of placements) place(temporary, path, undo)
  } catch (error) {
    throw undone(undo, asUsageError(error))
  }
}

/** Undoes the steps in reverse order and returns the error to throw. */
function undone(undo: readonly (() => void)[], error: unknown): unknown {
  const failures: unknown[] = []
  for (const step of undo.toReversed()) {
    try {
      step()
    } catch (failure) {
      failures.push(failure)
    }
  }
  return failures.length === 0
    ? error
    : new AggregateError([error, ...failures], 'Writing failed, and undoing it failed too')
}

function placeNew(temporary: string, path: string, undo: (() => void)[]): void {
  try {
    linkSync(temporary, path)
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP', 'EMLINK'].includes(codeOf(error))) throw error
    copyFileSync(temporary, path, constants.COPYFILE_EXCL) // A file system without hard links.
  }
  undo.push(() => rmSync(path))
  rmSync(temporary)
}

function placeChanged(before: string) {
  return (temporary: string, path: string, undo: (() => void)[]) => {
    chmodSync(temporary, statSync(path).mode)
    renameSync(temporary, path)
    undo.push(() => writeFileSync(path, before))
  }
}

function makeFolders(folder: string, undo: (() => void)[]): void {
  const first = mkdirSync(folder, { recursive: true })
  if (first === undefined) return
  undo.push(() => {
    for (let made = folder; made.startsWith(first); made = dirname(made)) removeEmptyFolder(made)
  })
}

/** Removes a folder, unless another process has written to it or removed it. */
function removeEmptyFolder(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(codeOf(error))) throw error
  }
}

function checkNewFile(root: string, path: string): void {
  const realRoot = realpathSync(root)
  const parts = path.split('/')
  let folder = root
  for (const [index, part] of parts.entries()) {
    const here = parts.slice(0, index + 1).join('/')
    const last = index === parts.length - 1
    const same = readdirSync(folder).filter((entry) => entry.toLowerCase() === part.toLowerCase())
    const [other] = same.filter((entry) => entry !== part)
    if (other !== undefined) {
      const existing = [...parts.slice(0, index), other].join('/')
      throw new UsageError(
        `${existing} exists already and differs from ${here} only in case`,
        'choose another name',
      )
    }
    if (same.length === 0) return
    if (last) throw new UsageError(`${here} exists already`, 'remove it first, or choose another name')
    folder = join(folder, part)
    checkFolder(folder, here, realRoot)
  }
}

function checkFolder(folder: string, path: string, realRoot: string): void {
  const isLink = lstatSync(folder).isSymbolicLink()
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (stats === undefined)
    throw new UsageError(`${path} is a symbolic link to a missing file`, 'correct or remove the link')
  if (!stats.isDirectory()) throw new UsageError(`${path} is not a folder`, 'choose another name')
  if (!isLink) return
  const target = relative(realRoot, realpathSync(folder))
  if (target === '..' || target.startsWith(`..${sep}`)) {
    throw new UsageError(`${path} is a symbolic link that leads out of the project`, 'choose another name')
  }
}

function asUsageError(error: unknown): unknown {
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new UsageError(`nothing was written: ${messageOf(error)}`, 'make the folder writable')
    case 'EEXIST':
      return new UsageError(`nothing was written: ${messageOf(error)}`, 'another program has just created it')
    case 'ENOSPC':
    case 'EDQUOT':
    case 'ENAMETOOLONG':
      return new UsageError(`nothing was written: ${messageOf(error)}`)
    default:
      return error
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : quoted(String(error))
}

function absolute(root: string, path: string): string {
  return join(root, ...path.split('/'))
}
