/** Files that a form has sent, in temporary files. */
import { builtin } from '../base/builtin.ts'
import { filePathOf } from '../base/files.ts'
import { type SaveOptions, saveFile } from './save-file.ts'

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
