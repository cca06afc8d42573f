/**
 * A file that a form uploaded.
 *
 * @module
 */

import { concatBytes } from '../wsgi/bytes.ts'

/**
 * A file of a multipart form. What the client says of it, its name and type, is the client's word: check the content
 * where it matters, and store it under a name of your own.
 */
export class FormFile {
  /** The name of the form's field. */
  readonly name: string
  /** The file's name at the client, without any directory, control characters, or a name that means a directory. */
  readonly filename: string
  /** The media type that the client states; `application/octet-stream` when it states none. */
  readonly type: string
  /** The size in bytes. */
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

  /** The content. */
  async bytes(): Promise<Uint8Array> {
    return concatBytes([...this.#content])
  }

  /** The content as UTF-8; malformed bytes become U+FFFD. */
  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes())
  }

  /** The content as a web stream, a new one each time. */
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
   * Writes the content to a file, where there is a file system. The path is the application's: never make it from
   * `filename` alone.
   *
   * @throws Error with the code `EEXIST` when the file exists and `overwrite` is not true.
   */
  async saveTo(path: string | URL, options: { overwrite?: boolean } = {}): Promise<void> {
    const { writeFile } = await import('node:fs/promises')
    await writeFile(path, this.#content.values(), { flag: options.overwrite === true ? 'w' : 'wx' })
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROLS = /[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g

function baseName(filename: string): string {
  const name = filename
    .slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1)
    .replace(CONTROLS, '')
    .trim()
  return /^\.*$/.test(name) ? '' : name
}
