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
import { quoted, Refusal } from './refusal.ts'

/** A file to write: its path with `/` relative to the root, and its text. */
export interface NewFile {
  readonly path: string
  readonly text: string
}

/** A file to change: what it held when the change was worked out, and what it shall hold. */
export interface ChangedFile extends NewFile {
  readonly before: string
}

/**
 * Checks that every new file may be written below a root: it does not exist yet, not even under another case; what it lies in
 * are folders that do not lead out of the root through a symbolic link. Throws a Refusal otherwise and touches nothing.
 */
export function checkNewFiles(root: string, files: readonly NewFile[]): void {
  for (const file of files) checkNewFile(root, file.path)
}

/**
 * Writes new files and changes, all or none: everything is checked first and lies complete under temporary names before the first
 * file gets its own; no existing file is ever replaced by a new one; what was done is undone when a later step fails.
 */
export function writeFiles(
  root: string,
  created: readonly NewFile[],
  changed: readonly ChangedFile[] = [],
): void {
  checkNewFiles(root, created)
  for (const change of changed) {
    if (readFileSync(absolute(root, change.path), 'utf8') !== change.before) {
      throw new Refusal(`${change.path} has changed meanwhile`, 'try again')
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
      writeFileSync(temporary, file.text, { flag: 'wx' })
      undo.push(() => rmSync(temporary, { force: true }))
      return { path, temporary, place }
    })
    for (const { path, temporary, place } of placements) place(temporary, path, undo)
  } catch (error) {
    throw undone(undo, asRefusal(error))
  }
}

/** Takes back what was done, last thing first, and gives the error to throw. */
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
    : new AggregateError([error, ...failures], 'Writing failed, and so did undoing it')
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
      throw new Refusal(
        `${existing} exists already and differs from ${here} in case alone`,
        'choose another name',
      )
    }
    if (same.length === 0) return
    if (last) throw new Refusal(`${here} exists already`, 'remove it first, or choose another name')
    folder = join(folder, part)
    checkFolder(folder, here, realRoot)
  }
}

function checkFolder(folder: string, path: string, realRoot: string): void {
  const isLink = lstatSync(folder).isSymbolicLink()
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (stats === undefined) throw new Refusal(`${path} is a symbolic link to nowhere`, 'mend it first')
  if (!stats.isDirectory()) throw new Refusal(`${path} is not a folder`, 'choose another name')
  if (!isLink) return
  const target = relative(realRoot, realpathSync(folder))
  if (target === '..' || target.startsWith(`..${sep}`)) {
    throw new Refusal(`${path} is a symbolic link that leads out of the project`, 'choose another name')
  }
}

function asRefusal(error: unknown): unknown {
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new Refusal(`nothing was written: ${messageOf(error)}`, 'make the folder writable')
    case 'EEXIST':
      return new Refusal(`nothing was written: ${messageOf(error)}`, 'somebody made it meanwhile')
    case 'ENOSPC':
    case 'EDQUOT':
    case 'ENAMETOOLONG':
      return new Refusal(`nothing was written: ${messageOf(error)}`)
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
