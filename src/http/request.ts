/**
 * Requests.
 *
 * @module
 */

import { cancellationOf } from '../wsgi/environ.ts'
import type { Environ } from '../wsgi/types.ts'
import { abandonable, decodeText, readBody } from './body/body.ts'
import { Form, isForm, parseForm } from './body/form.ts'
import type { Part, PartLimits } from './body/parts.ts'
import { type JsonOptions, parseJson, requireJsonType } from './json.ts'
import type { RequestLimits } from './limits.ts'
import type { MediaType } from './media-type.ts'
import { QueryParams } from './query.ts'
import { RequestHead } from './request-head.ts'

const KEY = 'propylon.request'

/**
 * A request: a view of the environ that parses header fields, query and body on first access.
 *
 * The body is read once and kept, so `bytes`, `text`, `json` and `form` can be called in any order, any number of
 * times. They reject with an `HTTPException`: 413 if a limit is exceeded, 400 if the body is malformed, 415 if its
 * charset or content coding is unknown, 503 if the server has no memory left for it.
 *
 * @see docs/guides/requests.md
 * @example
 * ```ts
 * import { Request } from 'propylon'
 * import type { Environ } from 'propylon/wsgi'
 *
 * async function greet(environ: Environ) {
 *   const request = Request.of(environ)
 *   const name = (await request.params()).get('name') ?? request.cookies.name ?? 'you'
 *   return `Hello, ${name}, at ${request.url}`
 * }
 * ```
 */
export class Request extends RequestHead {
  #form: Promise<Form> | undefined = undefined

  /** Returns the Request of an environ, which is created on first use and kept under `propylon.request`. */
  static of(environ: Environ, limits?: Partial<RequestLimits>): Request {
    const kept = environ[KEY]
    // A copy of an environ, made by middleware, contains the Request of the original.
    if (kept instanceof Request && kept.environ === environ) return kept
    const request = new Request(environ, limits ?? (kept instanceof Request ? kept.limits : undefined))
    environ[KEY] = request
    return request
  }

  /**
   * Aborted when the client disconnects before the response is complete, when `requestTimeout` of the application has
   * passed, or when a shutdown of the server cuts the request or ends its event stream. `signal.reason.name` is
   * `ClientDisconnected`, `TimeoutError` or `ServerClosing`.
   *
   * A disconnect is noticed only as far as the client's bytes are read: behind a large body that is not read, at the
   * end of the request.
   *
   * @example
   * ```ts
   * import { WSGIController } from 'propylon'
   *
   * export class ReportController extends WSGIController {
   *   async index() {
   *     const { signal } = this.request
   *     const response = await fetch('https://reports.example/slow', { signal }) // Ends when the visitor leaves.
   *     return response
   *   }
   * }
   * ```
   */
  get signal(): AbortSignal {
    return cancellationOf(this.environ).signal
  }

  /**
   * The body as a stream, neither decompressed nor limited. If another method has read the body, the stream starts at
   * its beginning; bytes read from the stream are not available to the other methods.
   */
  get body(): ReadableStream<Uint8Array> {
    return this.environ['wsgi.input'].stream
  }

  /**
   * Returns the body, decompressed.
   *
   * @param limit - maximum length in bytes. Defaults to {@link RequestLimits.body}, or to `multipart` for a multipart
   *   form. It has no effect once the body has been read.
   */
  bytes(limit?: number): Promise<Uint8Array> {
    return abandonable(readBody(this.environ, limit ?? this.#bodyLimit(this.mediaType)))
  }

  #bodyLimit(type: MediaType | undefined): number {
    return type?.essence === 'multipart/form-data' ? this.limits.multipart : this.limits.body
  }

  /** Returns the body as text in the charset of the content type, which defaults to UTF-8. */
  text(limit?: number): Promise<string> {
    const charset = this.mediaType?.parameters.charset ?? 'utf-8'
    return abandonable(this.bytes(limit).then((bytes) => decodeText(bytes, charset)))
  }

  /**
   * Parses the body as JSON. The content type must be `application/json`, `text/json` or end in `+json`: other sites'
   * pages can send `text/plain`, or no type at all, with the visitor's cookies and without a CORS preflight. Pass
   * `{ anyType: true }` to accept these too.
   *
   * The key `__proto__` is refused, and so are arrays and objects nested deeper than {@link RequestLimits.depth}.
   *
   * @typeParam T - the type that the caller expects; nothing is checked.
   * @param options - a number is the limit in bytes.
   * @throws HTTPUnsupportedMediaType, as a rejection, for another content type or none.
   *
   * @example
   * ```ts
   * import { WSGIController } from 'propylon'
   *
   * export class HookController extends WSGIController {
   *   async receive() {
   *     const event = await this.request.json<{ id: string }>()
   *     return { received: event.id }
   *   }
   * }
   * ```
   */
  json<T = unknown>(options: number | JsonOptions = {}): Promise<T> {
    return abandonable(this.#readJson(typeof options === 'number' ? { limit: options } : options)) as Promise<T>
  }

  async #readJson({ limit, anyType = false }: JsonOptions): Promise<unknown> {
    if (!anyType) requireJsonType(this.contentType)
    return parseJson(await this.text(limit), this.limits.depth)
  }

  /**
   * Returns the form, urlencoded or multipart. It is empty if the body has another content type. Files are held in
   * memory: see {@link parts} for large ones.
   */
  form(): Promise<Form> {
    this.#form ??= abandonable(this.#readForm())
    return this.#form
  }

  async #readForm(): Promise<Form> {
    const type = this.mediaType
    if (type === undefined || !isForm(type)) return new Form()
    return parseForm(await readBody(this.environ, this.#bodyLimit(type)), type, this.limits)
  }

  /**
   * Returns the parts of a multipart form one by one, as they arrive. No part is held in memory: the client sends
   * only as fast as the parts are read. A part that has not been read when the loop goes on is skipped. Empty file
   * inputs are omitted.
   *
   * The body arrives once: the other methods that read it reject afterwards. Parts of a body that has been read are
   * read from memory.
   *
   * @throws HTTPUnsupportedMediaType, in the loop, for another content type.
   * @throws HTTPRequestEntityTooLarge, in the loop, if a limit is exceeded.
   * @throws HTTPBadRequest, in the loop, for a malformed or incomplete form.
   * @throws TypeError, in the loop, if the parts have been read.
   *
   * @example
   * ```ts
   * import { abort, WSGIController } from 'propylon'
   *
   * export class VideosController extends WSGIController {
   *   async create() {
   *     for await (const part of this.request.parts({ file: 5 * 1024 ** 3 })) {
   *       if (part.name !== 'video') continue
   *       const id = crypto.randomUUID()
   *       await part.saveTo(`var/videos/${id}`)
   *       return { id }
   *     }
   *     abort(400, 'Choose a video.')
   *   }
   * }
   * ```
   */
  async *parts(limits: PartLimits = {}): AsyncGenerator<Part, void, undefined> {
    const { openParts } = await import('./body/parts.ts')
    yield* openParts(this.environ, this.limits, limits)
  }

  /** Returns the fields of the form, followed by the fields of the query: `get` prefers the form. */
  params(): Promise<QueryParams> {
    return abandonable(this.#readParams())
  }

  async #readParams(): Promise<QueryParams> {
    const form = await this.form()
    return form.size === 0 ? this.query : new QueryParams([...form, ...this.query])
  }
}
