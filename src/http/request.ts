/**
 * Requests.
 *
 * @module
 */

import { cancellationOf } from '../wsgi/cancellation.ts'
import { hostOf, pathAndQueryOf, urlOf } from '../wsgi/request-url.ts'
import { checkHeader } from '../wsgi/response-head.ts'
import type { Environ } from '../wsgi/types.ts'
import {
  type EntityTagList,
  evaluatePreconditions,
  type PreconditionResult,
  parseEntityTags,
  type Validators,
} from './conditional.ts'
import { parseCookies } from './cookies.ts'
import { parseHttpDate } from './date.ts'
import { Form, isForm, limitFields, parseForm } from './form.ts'
import { type JsonOptions, parseJson, requireJsonType } from './json.ts'
import { DEFAULT_LIMITS, type RequestLimits } from './limits.ts'
import { type MediaType, parseMediaType } from './media-type.ts'
import { accepts, acceptsEncoding, acceptsLanguage } from './negotiation.ts'
import type { Part } from './part.ts'
import { openParts, type PartLimits } from './parts.ts'
import { parseQuery, QueryParams } from './query.ts'
import { abandonable, decodeText, readBody, statedLength } from './request-body.ts'
import { RequestHeaders } from './request-headers.ts'
import { HTTPBadRequest } from './status-exceptions.ts'

const KEY = 'propylon.request'

/** Environ key of the method that the client sent, if the `_method` of a form has replaced it. */
export const ORIGINAL_METHOD_KEY = 'propylon.original_method'

/** The property of a request with the parts that were read and belong to its visitor. `cached` reads it. */
export const READS: unique symbol = Symbol('propylon.request.reads')

/** In {@link READS}: the cookies were read. */
export const READ_COOKIES = 1

/** In {@link READS}: the address of the client was read. */
export const READ_ADDRESS = 2

/** The method of a request that returns its cookies without noting it. Sessions call it: they note their own use. */
export const COOKIES: unique symbol = Symbol('propylon.request.cookies')

/** Origin of URLs without one. */
const NO_SITE = 'http://site.invalid'

const NO_PARAMS: Readonly<Record<string, string | null>> = Object.freeze(Object.create(null))

/**
 * A request: a view of the environ that parses header fields, query and body on first access.
 *
 * The body is read once and kept, so `bytes`, `text`, `json` and `form` can be called in any order, any number of times.
 * They reject with an `HTTPException`: 413 if a limit is exceeded, 400 if the body is malformed, 415 if its charset or
 * content coding is unknown, 503 if the server has no memory left for it.
 *
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
export class Request {
  /** The environ of the request. */
  readonly environ: Environ;
  /** The parts of the request that belong to its visitor and were read: {@link READ_COOKIES}, {@link READ_ADDRESS}. */
  [READS] = 0
  #limits: RequestLimits = DEFAULT_LIMITS
  #headers: RequestHeaders | undefined = undefined
  #query: QueryParams | undefined = undefined
  #cookies: Readonly<Record<string, string>> | undefined = undefined
  #form: Promise<Form> | undefined = undefined

  /** @param limits - limits that differ from the defaults of {@link RequestLimits}. */
  constructor(environ: Environ, limits?: Partial<RequestLimits>) {
    this.environ = environ
    if (limits !== undefined) this.#limits = { ...DEFAULT_LIMITS, ...limits }
  }

  /** Returns the Request of an environ, which is created on first use and kept under `propylon.request`. */
  static of(environ: Environ, limits?: Partial<RequestLimits>): Request {
    const kept = environ[KEY]
    // A copy of an environ, made by middleware, contains the Request of the original.
    if (kept instanceof Request && kept.environ === environ) return kept
    const request = new Request(environ, limits ?? (kept instanceof Request ? kept.#limits : undefined))
    environ[KEY] = request
    return request
  }

  /**
   * Aborted when the client disconnects before the response is complete, when `requestTimeout` of the application has passed,
   * or when a shutdown of the server cuts the request or ends its event stream. `signal.reason.name` is
   * `ClientDisconnected`, `TimeoutError` or `ServerClosing`.
   *
   * A disconnect is noticed only as far as the client's bytes are read: behind a large body that nobody reads, at the end of
   * the request.
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
   * Sends 103 Early Hints (RFC 8297): links to files that the browser can load while the response is being made. Does nothing
   * if the server cannot send them, if the client uses HTTP/1.0, or if the response has begun.
   *
   * @param links - values of `Link` fields, such as `</static/app.css>; rel=preload; as=style`.
   * @throws TypeError - a value is not a link, or has control characters.
   *
   * @example
   * ```ts
   * import { WSGIController } from 'propylon'
   *
   * export class HomeController extends WSGIController {
   *   index() {
   *     this.request.earlyHints([`<${this.app.asset('app.css')}>; rel=preload; as=style`])
   *     return this.render('home')
   *   }
   * }
   * ```
   */
  earlyHints(links: readonly string[]): void {
    for (const link of links) {
      checkHeader('Link', link)
      if (!/^<[^<>]*>\s*;/.test(link)) {
        throw new TypeError(
          `${JSON.stringify(link)} is not a link. Write </static/app.css>; rel=preload; as=style`,
        )
      }
    }
    if (links.length > 0) this.environ['propylon.connection']?.earlyHints?.(links)
  }

  /** Limits on the body and query. Assigning changes the given ones: `request.limits = { body: 4_194_304 }`. */
  get limits(): RequestLimits {
    return this.#limits
  }

  set limits(changes: Partial<RequestLimits>) {
    this.#limits = { ...this.#limits, ...changes }
  }

  /** The method, in the case in which it was sent, or the `_method` of a form. */
  get method(): string {
    return this.environ.REQUEST_METHOD
  }

  /** The method that the client sent: POST if the `_method` of a form has replaced it. */
  get originalMethod(): string {
    const original = this.environ[ORIGINAL_METHOD_KEY]
    return typeof original === 'string' ? original : this.method
  }

  /** The mount point of the application, percent-decoded; `''` at the root. */
  get scriptName(): string {
    return this.environ.SCRIPT_NAME
  }

  /**
   * Returns the path and query of a URL if it leads to this application, and otherwise undefined: a place to go to that a
   * client has sent, such as `next` of a login, must not lead to another site.
   *
   * @param url - a path from the root of the host, with the mount point, as `this.url()` returns it, or an absolute URL with the
   *   scheme, the host and the port of the request.
   *
   * @example
   * ```ts
   * import { redirect, WSGIController } from 'propylon'
   *
   * export class LoginController extends WSGIController {
   *   async create() {
   *     const form = await this.request.form()
   *     redirect(this.request.localPath(form.get('next') ?? '') ?? '/', 303)
   *   }
   * }
   * ```
   */
  localPath(url: string): string | undefined {
    const address = `${this.scheme}://${this.host}`
    const site = URL.canParse(address) ? new URL(address).origin : NO_SITE
    if (!/^(?:https?:\/)?\//i.test(url) || !URL.canParse(url, site)) return undefined
    const { origin, pathname, search } = new URL(url, site)
    // A path like //host/ would be another host to the browser.
    const isLocal = origin === site && !pathname.startsWith('//') && pathname.startsWith(this.#mountPoint)
    return isLocal ? pathname + search : undefined
  }

  /** The beginning of the paths of this application, percent-encoded. */
  get #mountPoint(): string {
    return new URL(`${this.environ.SCRIPT_NAME}/`, NO_SITE).pathname
  }

  /** The path below the mount point, percent-decoded. */
  get pathInfo(): string {
    return this.environ.PATH_INFO
  }

  /** The path, including the mount point, percent-decoded. */
  get path(): string {
    return this.environ.SCRIPT_NAME + this.environ.PATH_INFO
  }

  /**
   * The path, including the mount point, and the query, percent-encoded as in the URL. It is the place to return to, for
   * instance after a login: `path` is decoded, so it may lead elsewhere.
   *
   * @example
   * ```ts
   * import { redirect, WSGIController } from 'propylon'
   *
   * export class AccountController extends WSGIController {
   *   index() {
   *     if (this.session.has('user')) return 'Your account'
   *     const next = this.request.pathAndQuery // /account?tab=1
   *     redirect(`/login?${new URLSearchParams({ next })}`, 303)
   *   }
   * }
   * ```
   */
  get pathAndQuery(): string {
    return pathAndQueryOf(this.environ)
  }

  /** The absolute URL. */
  get url(): string {
    return urlOf(this.environ)
  }

  /**
   * The host in lower case, with the port unless it is the default of the scheme. Without a Host field it is the name of
   * the server. Forwarding headers are ignored.
   */
  get host(): string {
    return hostOf(this.environ)
  }

  get scheme(): 'http' | 'https' {
    return this.environ['wsgi.url_scheme']
  }

  /** Whether the scheme is https. */
  get isSecure(): boolean {
    return this.scheme === 'https'
  }

  /** The address of the client or the nearest proxy, or `''` if the server does not provide it. */
  get remoteAddr(): string {
    this[READS] |= READ_ADDRESS
    return this.environ.REMOTE_ADDR ?? ''
  }

  /** The header fields. */
  get headers(): RequestHeaders {
    this.#headers ??= new RequestHeaders(this.environ, () => {
      this[READS] |= READ_COOKIES
    })
    return this.#headers
  }

  /** Returns the value of a header field, or `undefined`. */
  header(name: string): string | undefined {
    return this.headers.get(name)
  }

  /** The Content-Type, unparsed. */
  get contentType(): string | undefined {
    return this.environ.CONTENT_TYPE || undefined
  }

  /** The parsed Content-Type; `undefined` if it is absent or malformed. */
  get mediaType(): MediaType | undefined {
    const type = this.environ.CONTENT_TYPE
    return type === undefined || type === '' ? undefined : parseMediaType(type)
  }

  /** The Content-Length; `undefined` if it is absent or malformed. */
  get contentLength(): number | undefined {
    return statedLength(this.environ)
  }

  /**
   * The query parameters.
   *
   * @throws HTTPBadRequest - there are more than {@link RequestLimits.fields}.
   */
  get query(): QueryParams {
    this.#query ??= limitFields(
      () => parseQuery(this.environ.QUERY_STRING, { maxFields: this.#limits.fields }),
      HTTPBadRequest,
    )
    return this.#query
  }

  /** Cookies by name. The first of a name wins. The record has no prototype. */
  get cookies(): Readonly<Record<string, string>> {
    this[READS] |= READ_COOKIES
    return this[COOKIES]()
  }

  /** Returns the cookies, and does not note that they were read. */
  [COOKIES](): Readonly<Record<string, string>> {
    this.#cookies ??= parseCookies(this.environ.HTTP_COOKIE ?? '')
    return this.#cookies
  }

  /** Id of the last event that a reconnecting client received: `Last-Event-ID`. See {@link eventStream}. */
  get lastEventId(): string | undefined {
    const id = this.headers.get('last-event-id')
    // The header has the bytes of UTF-8 (HTML Standard §9.2.4). The gateway decodes fields as Latin-1.
    return id === undefined || id === '' ? undefined : decodeUtf8(id)
  }

  /** The match of the route: `wsgiorg.routing_args`. */
  get routeParams(): Readonly<Record<string, string | null>> {
    return this.environ['wsgiorg.routing_args']?.[1] ?? NO_PARAMS
  }

  /** Returns the media type that the client prefers (RFC 9110 §12.5.1), or `undefined` if it accepts none. */
  accept(...types: string[]): string | undefined {
    return accepts(this.headers.get('accept'), types)
  }

  /** Returns the language that the client prefers (RFC 9110 §12.5.4), or `undefined` if it accepts none. */
  acceptsLanguage(...languages: string[]): string | undefined {
    return acceptsLanguage(this.headers.get('accept-language'), languages)
  }

  /** Returns the content coding that the client prefers (RFC 9110 §12.5.3), or `undefined` if it accepts none. */
  acceptsEncoding(...encodings: string[]): string | undefined {
    return acceptsEncoding(this.headers.get('accept-encoding'), encodings)
  }

  /** Entity tags of If-Match. */
  get ifMatch(): EntityTagList | undefined {
    return tagsOf(this.headers.get('if-match'))
  }

  /** Entity tags of If-None-Match. */
  get ifNoneMatch(): EntityTagList | undefined {
    return tagsOf(this.headers.get('if-none-match'))
  }

  /** Date of If-Modified-Since; `undefined` if it is absent or malformed. */
  get ifModifiedSince(): Date | undefined {
    return dateOf(this.headers.get('if-modified-since'))
  }

  /** Date of If-Unmodified-Since; `undefined` if it is absent or malformed. */
  get ifUnmodifiedSince(): Date | undefined {
    return dateOf(this.headers.get('if-unmodified-since'))
  }

  /**
   * Evaluates the preconditions of the request (RFC 9110 §13.2.2). Call it before a PUT or DELETE changes anything, and
   * respond with 412 if the result is `failed`. For GET, call {@link Response.makeConditional}.
   */
  preconditions(current: Validators): PreconditionResult {
    const { headers } = this
    return evaluatePreconditions(
      {
        method: this.method,
        ifMatch: headers.get('if-match'),
        ifNoneMatch: headers.get('if-none-match'),
        ifModifiedSince: headers.get('if-modified-since'),
        ifUnmodifiedSince: headers.get('if-unmodified-since'),
      },
      current,
    )
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
    return type?.essence === 'multipart/form-data' ? this.#limits.multipart : this.#limits.body
  }

  /** Returns the body as text in the charset of the content type, which defaults to UTF-8. */
  text(limit?: number): Promise<string> {
    return abandonable(this.#readText(limit))
  }

  async #readText(limit: number | undefined): Promise<string> {
    const charset = this.mediaType?.parameters.charset
    return decodeText(await this.bytes(limit), charset ?? 'utf-8')
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
    return abandonable(
      this.#readJson(typeof options === 'number' ? { limit: options } : options),
    ) as Promise<T>
  }

  async #readJson({ limit, anyType = false }: JsonOptions): Promise<unknown> {
    if (!anyType) requireJsonType(this.contentType)
    return parseJson(await this.#readText(limit), this.#limits.depth)
  }

  /**
   * Returns the form, urlencoded or multipart. It is empty if the body has another content type. Files are held in memory:
   * see {@link parts} for large ones.
   */
  form(): Promise<Form> {
    this.#form ??= abandonable(this.#readForm())
    return this.#form
  }

  async #readForm(): Promise<Form> {
    const type = this.mediaType
    if (type === undefined || !isForm(type)) return new Form()
    return parseForm(await readBody(this.environ, this.#bodyLimit(type)), type, this.#limits)
  }

  /**
   * Returns the parts of a multipart form one by one, as they arrive. No part is held in memory: the client sends only as
   * fast as the parts are read. A part that has not been read when the loop goes on is skipped. Empty file inputs are
   * omitted.
   *
   * Use either `parts` or {@link form}, because the body arrives once.
   *
   * @throws HTTPUnsupportedMediaType, in the loop, for another content type.
   * @throws HTTPRequestEntityTooLarge, in the loop, if a limit is exceeded.
   * @throws HTTPBadRequest, in the loop, for a malformed or incomplete form.
   * @throws TypeError, in the loop, if the form has been read.
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
  parts(limits: PartLimits = {}): AsyncGenerator<Part, void, undefined> {
    return this.#readParts(limits)
  }

  async *#readParts(limits: PartLimits): AsyncGenerator<Part, void, undefined> {
    if (this.#form !== undefined) {
      throw new TypeError(
        'request.parts() was called after request.form(), which has read the form. Call one of them: form() for small forms, parts() for uploads.',
      )
    }
    const parts = openParts(this.environ, this.#limits, limits)
    this.#form = abandonable(
      Promise.reject(
        new TypeError(
          'request.form() was called after request.parts(), which reads the form as it arrives. Call one of them: form() for small forms, parts() for uploads.',
        ),
      ),
    )
    yield* parts
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

/** Decodes a header field of UTF-8. Returns one that is not UTF-8 unchanged. */
function decodeUtf8(field: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of bytes
  if (!/^[\u0000-\u00ff]*$/.test(field)) return field
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(field, (char) => char.charCodeAt(0)),
    )
  } catch {
    return field
  }
}

function tagsOf(header: string | undefined): EntityTagList | undefined {
  return header === undefined ? undefined : parseEntityTags(header)
}

function dateOf(header: string | undefined): Date | undefined {
  return header === undefined ? undefined : parseHttpDate(header)
}
