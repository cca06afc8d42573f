/**
 * Uploaded files.
 *
 * @module
 */

import { concatBytes } from '../base/bytes.ts'
import { type SaveOptions, saveFile } from './save-file.ts'

/**
 * A file of a multipart form. The client chooses its name and type: verify the content if it matters, and store it under
 * a name of your own.
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
    let size = 0
    for (const chunk of content) size += chunk.byteLength
    this.size = size
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
    const chunks = this.#content.values()
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        const next = chunks.next()
        if (next.done) controller.close()
        else controller.enqueue(next.value)
      },
    })
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
