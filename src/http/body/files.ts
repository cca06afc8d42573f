/**
 * The files of forms: in memory, or in a temporary file.
 *
 * @module
 */

import type { FileHandle } from 'node:fs/promises'
import { builtin } from '../../base/builtin.ts'
import { concatBytes, totalLength } from '../../base/bytes.ts'
import { filePathOf } from '../../base/files.ts'
import { memberOf } from '../../base/thrown.ts'
import { HTTPConflict } from '../status-exceptions.ts'

/**
 * A file of a multipart form. The client chooses its name and type: verify the content if it matters, and store it
 * under a name of your own.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 *
 * export class AvatarController extends WSGIController {
 *   async create() {
 *     const file = (await this.request.form()).file('avatar')
 *     await file?.saveTo(`var/avatars/${crypto.randomUUID()}`)
 *     return `${file?.size ?? 0} bytes`
 *   }
 * }
 * ```
 */
export class FormFile {
  /** Name of the form's field. */
  readonly name: string
  /** Name that the client sent, without directories and control characters; `''` if that leaves only dots. */
  readonly filename: string
  /** Media type that the client sent. Defaults to `application/octet-stream`. */
  readonly type: string
  /** Size in bytes. */
  readonly size: number
  readonly #content: readonly Uint8Array[]

  constructor(name: string, filename: string, type: string, content: readonly Uint8Array[]) {
    this.name = name
    this.filename = baseName(filename)
    this.type = type
    this.#content = content
    this.size = totalLength(content)
  }

  /** Returns the content. */
  async bytes(): Promise<Uint8Array> {
    return concatBytes([...this.#content])
  }

  /** Returns the content decoded as UTF-8. Malformed bytes become U+FFFD. */
  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes())
  }

  /** Returns the content as a new web stream. */
  stream(): ReadableStream<Uint8Array> {
    return new Blob(this.#content.map((chunk) => new Uint8Array(chunk))).stream()
  }

  /**
   * Writes the content to a file, completely or not at all. Requires `node:fs`. Do not derive the path from `filename`
   * alone.
   *
   * @param options - `overwrite` is false by default.
   * @throws HTTPConflict, as a rejection, if the file exists and `overwrite` is false. Its code is `EEXIST`.
   */
  saveTo(path: string | URL, { overwrite = false }: SaveOptions = {}): Promise<void> {
    return saveFile(path, this.#content, overwrite)
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed
const CONTROLS = /[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g

function baseName(filename: string): string {
  const name = filename
    .slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1)
    .replace(CONTROLS, '')
    .trim()
  return /^\.*$/.test(name) ? '' : name
}

/**
 * A file of a form that `body(schema, { files })` has read. Schemas check it with `z.instanceof(UploadedFile)` or
 * `v.instance(UploadedFile)`.
 *
 * It lies in a temporary file, which is deleted when the request ends. {@link saveTo} keeps it.
 *
 * @example
 * ```ts
 * import { created, UploadedFile, WSGIController } from 'propylon'
 * import { body } from 'propylon/converters'
 * import * as v from 'valibot'
 *
 * const Photo = v.object({ title: v.string(), photo: v.instance(UploadedFile) })
 *
 * export class PhotosController extends WSGIController {
 *   static args = {
 *     create: { sent: body(Photo, { files: { photo: { maxSize: 5_000_000, types: ['image/jpeg', 'image/png'] } } }) },
 *   }
 *
 *   async create(sent: v.InferOutput<typeof Photo>) {
 *     const id = crypto.randomUUID()
 *     await sent.photo.saveTo(`var/photos/${id}`)
 *     return created(`/photos/${id}`, { title: sent.title, size: sent.photo.size })
 *   }
 * }
 * ```
 */
export class UploadedFile {
  /**
   * File name as the client sent it. It may contain path separators, `..` and control characters: do not derive a path
   * from it.
   */
  readonly filename: string
  /** Media type: the one that the first bytes show, or else the one that the client sent. */
  readonly contentType: string
  /** Size in bytes. */
  readonly size: number
  #path: string

  constructor(filename: string, contentType: string, size: number, path: string) {
    this.filename = filename
    this.contentType = contentType
    this.size = size
    this.#path = path
  }

  /** Path of the file: of the temporary one, or where {@link saveTo} has put it. */
  get path(): string {
    return this.#path
  }

  /**
   * Moves the file, so that it stays when the request has ended. It appears under its new name when it is complete.
   *
   * @param options - `overwrite` is true by default: an existing file is replaced.
   * @throws HTTPConflict, as a rejection, if the file exists and `overwrite` is false.
   * @throws Error, as a rejection, if the directory of the path does not exist.
   */
  async saveTo(path: string | URL, { overwrite = true }: SaveOptions = {}): Promise<void> {
    const { createReadStream, promises } = builtin('node:fs')
    const from = this.#path
    await saveFile(path, createReadStream(from), overwrite)
    this.#path = filePathOf(path)
    await promises.rm(from, { force: true })
  }
}

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
 * Writes content to a new file `.upload-<random>` in the directory of `path`, synchronizes it with the disk, and
 * gives it the name `path` in one step. If anything fails, the new file is removed and an existing one stays as it
 * was. A process that is killed meanwhile leaves the new file.
 *
 * @throws FileExists - `path` exists and `overwrite` is false. Checked before the content is read, and again when it
 *   has been: of several uploads with one name, one wins.
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
    await writeContent(file, content)
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
    const message = `saveTo() cannot write to ${directory}, which does not exist. Create the directory first.`
    throw Object.assign(new Error(message, { cause }), { code: 'ENOENT' })
  }
}

async function writeContent(
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
