/**
 * Writes and changes files of a project: all of them or none.
 *
 * @module
 */

import {
  closeSync,
  existsSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
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
import { CommandError, oneLine, UsageError } from '../../base/command-line/command-errors.ts'
import { errorMessage, memberOf } from '../../base/thrown.ts'

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
 * Creates and changes files, all or none. Creates the root too. A new file never replaces an existing one. If a step
 * fails, the previous steps are undone.
 *
 * @throws UsageError - a file exists, has changed since it was read, or cannot be written.
 * @throws CommandError - a step failed, and a previous one could not be undone.
 */
export function writeFiles(root: string, created: readonly NewFile[], changed: readonly ChangedFile[] = []): void {
  const undo: (() => void)[] = []
  try {
    makeFolders(root, undo)
    checkNewFiles(root, created)
    checkUnchanged(root, changed)
    for (const file of created) create(join(root, file.path), file, undo)
    for (const file of changed) change(realpathSync(join(root, file.path)), file, undo)
  } catch (error) {
    throw undone(undo, error)
  }
}

/** Undoes the steps in reverse order, also those before one that cannot be undone. Returns the error to throw. */
function undone(undo: readonly (() => void)[], error: unknown): unknown {
  const failures: unknown[] = []
  for (const step of undo.toReversed()) {
    try {
      step()
    } catch (failure) {
      failures.push(failure)
    }
  }
  if (failures.length === 0) return asUsageError(error)
  const problems = [error, ...failures].map(errorMessage).join('; ')
  return new CommandError(oneLine(`writing failed, and files that were written may remain: ${problems}`), {
    cause: error,
  })
}

function checkUnchanged(root: string, files: readonly ChangedFile[]): void {
  for (const { path, before } of files) {
    if (textOf(join(root, path)) === before) continue
    throw new UsageError(`${path} was changed or removed by another program`, 'run the command again')
  }
}

/** Returns the text of a file, or undefined if there is none. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (memberOf(error, 'code') === 'ENOENT') return undefined
    throw error
  }
}

function create(path: string, newFile: NewFile, undo: (() => void)[]): void {
  makeFolders(dirname(path), undo)
  const { text, mode } = newFile
  const file = openSync(path, 'wx', mode)
  undo.push(() => rmSync(path))
  try {
    writeFileSync(file, text)
  } finally {
    closeSync(file)
  }
}

/**
 * Replaces a file by a temporary one, so that a full disk cannot destroy its text. The name of the temporary file is
 * random: a process that was killed may have left one, and its id is used again.
 */
function change(path: string, { text, before }: ChangedFile, undo: (() => void)[]): void {
  const temporary = `${path}.${crypto.randomUUID()}.tmp`
  const file = openSync(temporary, 'wx')
  undo.push(() => rmSync(temporary, { force: true }))
  try {
    fchmodSync(file, statSync(path).mode)
    writeFileSync(file, text)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
  undo.push(() => writeFileSync(path, before))
}

/**
 * Creates a folder and those around it, one at a time: a recursive mkdir() that fails does not say what it has
 * created.
 */
function makeFolders(folder: string, undo: (() => void)[]): void {
  if (existsSync(folder)) return
  makeFolders(dirname(folder), undo)
  try {
    mkdirSync(folder)
  } catch (error) {
    if (memberOf(error, 'code') !== 'EEXIST') throw error
    return // Another program has just created it.
  }
  undo.push(() => removeEmptyFolder(folder))
}

/** Removes a folder, unless another process has written to it or removed it. */
function removeEmptyFolder(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(String(memberOf(error, 'code')))) throw error
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
      throw new UsageError(`${existing} exists already and differs from ${here} only in case`, 'choose another name')
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

/** The errors of files that users can correct, with their corrections. */
const FIXES: Readonly<Record<string, string | undefined>> = {
  EACCES: 'make the folder writable',
  EPERM: 'make the folder writable',
  EROFS: 'make the folder writable',
  EEXIST: 'another program has just created it',
  ENOENT: 'choose another folder', // Below a symbolic link to a missing folder.
  ENOSPC: 'make room on the disk',
  EDQUOT: 'make room on the disk',
  ENAMETOOLONG: 'choose a shorter name',
}

function asUsageError(error: unknown): unknown {
  const fix = FIXES[String(memberOf(error, 'code'))]
  return fix === undefined ? error : new UsageError(`nothing was written: ${errorMessage(error)}`, fix)
}
