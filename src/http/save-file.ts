/**
 * Writes uploads to files, completely or not at all.
 *
 * @module
 */

import type { FileHandle } from 'node:fs/promises'
import { builtin } from '../base/builtin.ts'
import { filePathOf } from '../base/files.ts'
import { memberOf } from '../base/thrown.ts'
import { HTTPConflict } from './status-exceptions.ts'

type FileSystem = typeof import('node:fs/promises')

/** Options of {@link saveFile}. */
export interface SaveOptions {
  /** Whether to replace an existing file. If not, it is an exception: 409, with the code `EEXIST`. */
  readonly overwrite?: boolean
}

/** A file of the name exists. The response is 409. */
class FileExists extends HTTPConflict {
  /** The code of the error in `node:fs`. */
  readonly code = 'EEXIST'
}

/**
 * Writes content to a new file `.upload-<random>` in the directory of `path`, synchronizes it with the disk, and gives it
 * the name `path` in one step. If anything fails, the new file is removed and an existing one stays as it was. A process
 * that is killed meanwhile leaves the new file.
 *
 * @throws FileExists - `path` exists and `overwrite` is false. Checked before the content is read, and again when it has
 *   been: of several uploads with one name, one wins.
 * @throws Error - the runtime has no file system, the directory does not exist, or the file cannot be written.
 */
export async function saveFile(
  path: string | URL,
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  overwrite: boolean,
): Promise<void> {
  const { fs, dirname, join } = fileSystem()
  const target = filePathOf(path)
  const directory = dirname(target)
  if (!overwrite) await refuseExisting(fs, target)
  const partial = join(directory, `.upload-${crypto.randomUUID()}`)
  const file = await create(fs, partial, directory)
  try {
    await write(file, content)
    if (overwrite) await fs.rename(partial, target)
    else await moveIntoPlace(fs, partial, target)
  } catch (error) {
    await fs.rm(partial, { force: true })
    throw error
  }
}

function fileSystem() {
  try {
    const { dirname, join } = builtin('node:path')
    return { fs: builtin('node:fs').promises, dirname, join }
  } catch (cause) {
    throw new Error(
      'saveTo() requires node:fs, which this runtime does not have. Send the stream to a store instead: part.stream, file.stream().',
      { cause },
    )
  }
}

async function refuseExisting(fs: FileSystem, target: string): Promise<void> {
  const present = await fs.lstat(target).catch((error: unknown) => {
    if (!isCode(error, 'ENOENT')) throw error
  })
  if (present !== undefined) throw exists()
}

function exists(cause?: unknown): FileExists {
  // The path is not sent to the client.
  return new FileExists('There is a file of this name already.', undefined, { cause })
}

async function create(fs: FileSystem, path: string, directory: string): Promise<FileHandle> {
  try {
    return await fs.open(path, 'wx')
  } catch (cause) {
    if (!isCode(cause, 'ENOENT')) throw cause
    throw Object.assign(
      new Error(`saveTo() cannot write to ${directory}, which does not exist. Create the directory first.`, {
        cause,
      }),
      { code: 'ENOENT' },
    )
  }
}

async function write(
  file: FileHandle,
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  try {
    for await (const chunk of content) {
      for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten
    }
    // Otherwise the name could be on the disk before the content is, when the machine fails.
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Names a complete file, unless there is one of the name. */
async function moveIntoPlace(fs: FileSystem, partial: string, target: string): Promise<void> {
  try {
    await fs.link(partial, target).catch(async (error: unknown) => {
      if (!NO_LINKS.some((code) => isCode(error, code))) throw error
      // An empty file has the name until the complete one takes its place.
      await (await fs.open(target, 'wx')).close()
      await fs.rename(partial, target)
    })
  } catch (error) {
    throw isCode(error, 'EEXIST') ? exists(error) : error
  }
  await fs.rm(partial, { force: true })
}

/** Codes of file systems without hard links, such as exFAT. */
const NO_LINKS = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']

function isCode(error: unknown, code: string): boolean {
  return memberOf(error, 'code') === code
}
