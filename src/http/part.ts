/**
 * A part of a multipart form that is read as it arrives.
 *
 * @module
 */

import { concatBytes } from '../base/bytes.ts'
import { partTooLarge } from './multipart.ts'
import type { Found } from './multipart-scanner.ts'
import { decodePart, type PartHeader } from './part-header.ts'
import { abandonable, type StreamedBody } from './request-body.ts'
import type { RequestHeaders } from './request-headers.ts'
import { type SaveOptions, saveFile } from './save-file.ts'

/** The body from which a part is read. */
export interface PartSource {
  /** Returns what comes next. Rejects with the same error again after one. */
  next(): Promise<Found>
  /** Makes all later reads fail. */
  fail(error: unknown): never
}

/** Maximum sizes of a part, in bytes. */
export interface PartSizes {
  readonly all: number
  /** Maximum size in memory. */
  readonly held: number
}

/** The content of a part, which is read once. */
export class PartContent implements AsyncIterable<Uint8Array> {
  readonly header: PartHeader
  readonly #source: PartSource
  readonly #body: StreamedBody
  readonly #sizes: PartSizes
  #use: 'unread' | 'read' | 'left' = 'unread'
  #first: Uint8Array | undefined = undefined
  #length = 0
  #ended = false
  /** Reads one after the other. */
  #turn: Promise<unknown> = Promise.resolve()
  /** A method that reads the whole content and has not finished. */
  #pending: Promise<unknown> | undefined = undefined

  constructor(header: PartHeader, source: PartSource, body: StreamedBody, sizes: PartSizes) {
    this.header = header
    this.#source = source
    this.#body = body
    this.#sizes = sizes
  }

  /** Returns true for the part that browsers send for an empty file input: a file without a name and without content. */
  async isEmptyInput(): Promise<boolean> {
    if (this.header.filename !== '') return false
    this.#first = await this.#pull()
    return this.#first === undefined
  }

  /** Reserves the content for a reader. */
  take(): void {
    if (this.#use === 'left') throw this.#leftError()
    if (this.#use === 'read') {
      throw new TypeError(
        `The part ${this.#label} has been read. Read a part once: by stream, text(), bytes() or saveTo().`,
      )
    }
    this.#use = 'read'
  }

  /** Returns the next bytes, undefined at the end. */
  next(): Promise<Uint8Array | undefined> {
    const step = () => {
      if (this.#use === 'left') throw this.#leftError()
      return this.#pull()
    }
    const mine = this.#turn.then(step)
    this.#turn = mine.catch(ignore)
    return mine
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (let chunk = await this.next(); chunk !== undefined; chunk = await this.next()) yield chunk
  }

  /** Runs a method that reads the whole content. The client can make it fail, so the promise may be abandoned. */
  run<T>(read: () => Promise<T>): Promise<T> {
    return abandonable(this.#reserved(read))
  }

  async #reserved<T>(read: () => Promise<T>): Promise<T> {
    this.take()
    const reading = read()
    this.#pending = reading
    try {
      return await reading
    } finally {
      this.#pending = undefined
    }
  }

  /** Returns the whole content. */
  async collect(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of this) {
      length += chunk.length
      if (length > this.#sizes.held) throw partTooLarge(this.header, this.#sizes.held)
      this.#body.hold(chunk.length)
      chunks.push(chunk)
    }
    return concatBytes(chunks)
  }

  /** Waits for a method that is reading the content, then discards the rest. */
  async finish(): Promise<void> {
    if (this.#pending !== undefined) await this.#pending
    await this.#turn
    this.leave()
    while ((await this.#pull()) !== undefined);
  }

  /** Makes all later reads fail. */
  leave(): void {
    this.#use = 'left'
  }

  async #pull(): Promise<Uint8Array | undefined> {
    const first = this.#first
    if (first !== undefined) {
      this.#first = undefined
      return first
    }
    if (this.#ended) return undefined
    const found = await this.#source.next()
    if (!(found instanceof Uint8Array)) {
      this.#ended = true
      return undefined
    }
    this.#length += found.length
    if (this.#length > this.#sizes.all) this.#source.fail(partTooLarge(this.header, this.#sizes.all))
    return found
  }

  get #label(): string {
    return JSON.stringify(this.header.name.slice(0, 100))
  }

  #leftError(): TypeError {
    return new TypeError(
      `The part ${this.#label} can no longer be read: the loop over parts() has gone on or has ended. Read each part in the loop, and await it.`,
    )
  }
}

function ignore(): void {}

/**
 * A part of a multipart form, which is read once, within the loop over {@link Request.parts}.
 *
 * The client chooses name, file name and content type. Do not derive a path from `filename` without checking it.
 */
export class Part {
  /** Name of the form's field. */
  readonly name: string
  /**
   * File name as the client sent it, `undefined` for a text field. It may contain path separators, `..` and control
   * characters.
   */
  readonly filename: string | undefined
  /** Content-Type, unparsed. Defaults to `text/plain` for a field and `application/octet-stream` for a file. */
  readonly contentType: string
  /** The header fields of the part. */
  readonly headers: RequestHeaders
  readonly #content: PartContent
  #stream: ReadableStream<Uint8Array> | undefined = undefined

  /** @internal */
  constructor(content: PartContent) {
    const { name, filename, headers } = content.header
    this.name = name
    this.filename = filename
    this.contentType =
      headers.get('content-type') || (filename === undefined ? 'text/plain' : 'application/octet-stream')
    this.headers = headers
    this.#content = content
  }

  /** The content. The client is read only as fast as the stream. */
  get stream(): ReadableStream<Uint8Array> {
    this.#stream ??= this.#makeStream()
    return this.#stream
  }

  #makeStream(): ReadableStream<Uint8Array> {
    const content = this.#content
    content.take()
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const chunk = await content.next()
          if (chunk === undefined) controller.close()
          else controller.enqueue(chunk)
        },
      },
      { highWaterMark: 0 },
    )
  }

  /**
   * Returns the content as text in the charset of the content type, which defaults to UTF-8. Malformed bytes become
   * U+FFFD.
   *
   * @throws HTTPRequestEntityTooLarge, as a rejection, as {@link bytes} does.
   */
  text(): Promise<string> {
    const content = this.#content
    return content.run(async () => decodePart(await content.collect(), content.header))
  }

  /**
   * Returns the content.
   *
   * @throws HTTPRequestEntityTooLarge, as a rejection, if a file exceeds {@link RequestLimits.file} (8 MiB) and `parts()`
   *   received no limit `file`.
   * @throws HTTPServiceUnavailable, as a rejection, if the server has no memory left for request bodies.
   */
  bytes(): Promise<Uint8Array> {
    return this.#content.run(() => this.#content.collect())
  }

  /**
   * Writes the content to a file. It is written under another name in the same directory and renamed when it is complete,
   * so an upload that fails leaves nothing, and an existing file stays as it was. Requires `node:fs`.
   *
   * @param options - `overwrite` is true by default: an existing file is replaced.
   * @throws HTTPConflict, as a rejection, if the file exists and `overwrite` is false.
   */
  saveTo(path: string | URL, { overwrite = true }: SaveOptions = {}): Promise<void> {
    return this.#content.run(() => saveFile(path, this.#content, overwrite))
  }
}
