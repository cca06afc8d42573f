/**
 * Reads a multipart form part by part, as it arrives.
 *
 * @module
 */

import { concatBytes } from '../../base/bytes.ts'
import { requireLimit } from '../../base/limit.ts'
import { checkNames } from '../../base/suggest.ts'
import { pulledStream } from '../../wsgi/input.ts'
import type { Environ } from '../../wsgi/types.ts'
import { worded } from '../error-texts.ts'
import type { RequestLimits } from '../limits.ts'
import { parseMediaType } from '../media-type.ts'
import type { RequestHeaders } from '../request-headers.ts'
import { HTTPBadRequest, HTTPRequestEntityTooLarge, HTTPUnsupportedMediaType } from '../status-exceptions.ts'
import { abandonable, type StreamedBody, streamBody } from './body.ts'
import { type SaveOptions, saveFile } from './files.ts'
import {
  decodePart,
  endsEarly,
  type MultipartEvent,
  MultipartReader,
  type PartHeader,
  partTooLarge,
} from './multipart.ts'

/** Limits of {@link Request.parts}. Exceeding one of them is 413. Infinity is no limit. */
export interface PartLimits {
  /** Size of a text field, in bytes. Defaults to {@link RequestLimits.field}: 1 MiB. */
  readonly part?: number
  /** Size of a file, in bytes. Defaults to 1 GiB. */
  readonly file?: number
  /** Number of parts. Defaults to {@link RequestLimits.fields}: 1000. */
  readonly parts?: number
  /** Size of the whole form, in bytes. Defaults to `file` and {@link RequestLimits.multipart} together. */
  readonly total?: number
}

const DEFAULT_FILE = 1024 * 1024 * 1024

interface Limits extends Required<PartLimits> {
  /** Size of a file in memory. */
  readonly held: number
}

function limitsOf(given: PartLimits, own: RequestLimits): Limits {
  checkNames('parts()', given, 'part file parts total')
  const { part = own.field, file = DEFAULT_FILE, parts = own.fields } = given
  const limits = { part, file, parts, total: given.total ?? file + own.multipart }
  for (const [name, limit] of Object.entries(limits)) requireLimit(`parts(): the limit "${name}"`, limit)
  return { ...limits, held: given.file ?? own.file }
}

/**
 * Opens the form of a request. See {@link Request.parts}.
 *
 * @param own - limits of the request.
 * @param given - limits of the call.
 */
export async function* openParts(
  environ: Environ,
  own: RequestLimits,
  given: PartLimits,
): AsyncGenerator<Part, void, undefined> {
  const limits = limitsOf(given, own)
  const reader = new MultipartReader(boundaryOf(environ), {
    field: limits.part,
    file: limits.file,
    parts: limits.parts,
    header: own.partHeader,
    HeaderRefusal: HTTPBadRequest,
  })
  const body = streamBody(environ, limits.total)
  const next = eventsOf(reader, body.pieces, limits.total)
  let content: PartContent | undefined
  try {
    for (let event = await next(); event !== 'end'; event = await next()) {
      if (typeof event === 'string' || event instanceof Uint8Array) continue
      content = new PartContent(event, next, body, limits)
      yield new Part(content)
      await content.finish()
      body.release()
    }
  } finally {
    content?.leave()
    // Not awaited: it waits for the client if a part is being read.
    abandonable(Promise.resolve(body.pieces.return?.()))
  }
}

function boundaryOf(environ: Environ): string | undefined {
  const sent = environ.CONTENT_TYPE ?? ''
  const type = parseMediaType(sent)
  if (type?.essence === 'multipart/form-data') return type.parameters.boundary
  const shown = sent === '' ? 'none' : JSON.stringify(sent.slice(0, 100))
  const headers = { Accept: 'multipart/form-data' }
  throw worded(HTTPUnsupportedMediaType, 'propylon.form.type', { type: shown }, { headers })
}

type NextEvent = () => Promise<MultipartEvent>

/**
 * Returns a function that reads the next event of a form whose body arrives in pieces. After an error it rejects with
 * the same one again.
 */
function eventsOf(reader: MultipartReader, pieces: AsyncIterator<Uint8Array>, total: number): NextEvent {
  let length = 0
  let failure: { readonly error: unknown } | undefined
  const readOn = async () => {
    const { done, value } = await pieces.next()
    if (done === true) throw endsEarly()
    length += value.length
    if (length > total) throw worded(HTTPRequestEntityTooLarge, 'propylon.form.tooLarge', { limit: total })
    reader.push(value)
  }
  return async () => {
    if (failure !== undefined) throw failure.error
    try {
      for (;;) {
        const event = reader.next()
        if (event !== undefined) return event
        await readOn()
      }
    } catch (error) {
      failure = { error }
      throw error
    }
  }
}

/** The content of a part, which is read once. */
class PartContent {
  readonly header: PartHeader
  readonly #next: NextEvent
  readonly #body: StreamedBody
  /** Maximum size in memory, in bytes. */
  readonly #maxHeld: number
  /** A generator serves one call of `next()` after the other. */
  readonly #chunks: AsyncGenerator<Uint8Array, void, undefined>
  #use: 'unread' | 'read' | 'left' = 'unread'
  /** A method that reads the whole content and has not finished. */
  #pending: Promise<unknown> | undefined = undefined

  constructor(header: PartHeader, next: NextEvent, body: StreamedBody, { part, file, held }: Limits) {
    this.header = header
    this.#next = next
    this.#body = body
    this.#maxHeld = header.filename === undefined ? part : Math.min(held, file)
    this.#chunks = this.#read()
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

  /** Returns the next bytes. */
  async next(): Promise<Uint8Array | undefined> {
    if (this.#use === 'left') throw this.#leftError()
    const { value } = await this.#chunks.next()
    return value || undefined
  }

  /**
   * Runs a method that reads the whole content, which it receives. The client can make it fail, so the promise may be
   * abandoned.
   */
  run<T>(read: (chunks: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T> {
    return abandonable(this.#reserved(read))
  }

  async #reserved<T>(read: (chunks: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T> {
    this.take()
    const reading = read(this.#chunks)
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
    for await (const chunk of this.#chunks) {
      length += chunk.length
      if (length > this.#maxHeld) throw partTooLarge(this.header, this.#maxHeld)
      this.#body.hold(chunk.length)
      chunks.push(chunk)
    }
    return concatBytes(chunks)
  }

  /** Waits for a method that is reading the content, then discards the rest. */
  async finish(): Promise<void> {
    if (this.#pending !== undefined) await this.#pending
    this.leave()
    for await (const _ of this.#chunks);
  }

  /** Makes all later reads fail. */
  leave(): void {
    this.#use = 'left'
  }

  async *#read(): AsyncGenerator<Uint8Array, void, undefined> {
    for (let event = await this.#next(); event instanceof Uint8Array; event = await this.#next()) yield event
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
    if (this.#stream === undefined) {
      this.#content.take()
      this.#stream = pulledStream(() => this.#content.next())
    }
    return this.#stream
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
   * @throws HTTPRequestEntityTooLarge, as a rejection, if a file exceeds {@link RequestLimits.file} (8 MiB) and
   *   `parts()` received no limit `file`.
   * @throws HTTPServiceUnavailable, as a rejection, if the server has no memory left for request bodies.
   */
  bytes(): Promise<Uint8Array> {
    return this.#content.run(() => this.#content.collect())
  }

  /**
   * Writes the content to a file. It is written under another name in the same directory and renamed when it is
   * complete, so an upload that fails leaves nothing, and an existing file stays as it was. Requires `node:fs`.
   *
   * @param options - `overwrite` is true by default: an existing file is replaced.
   * @throws HTTPConflict, as a rejection, if the file exists and `overwrite` is false.
   */
  saveTo(path: string | URL, { overwrite = true }: SaveOptions = {}): Promise<void> {
    return this.#content.run((chunks) => saveFile(path, chunks, overwrite))
  }
}
