/**
 * What a controller is asked.
 *
 * @module
 */

import { hostOf } from '../wsgi/host.ts'
import { urlOf } from '../wsgi/request-url.ts'
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
import { parseJson } from './json.ts'
import { DEFAULT_LIMITS, type RequestLimits } from './limits.ts'
import { isJson, type MediaType, parseMediaType } from './media-type.ts'
import { accepts, acceptsEncoding, acceptsLanguage } from './negotiation.ts'
import { parseQuery, QueryParams } from './query.ts'
import { decodeText, readBody, statedLength } from './request-body.ts'
import { RequestHeaders } from './request-headers.ts'
import { HTTPBadRequest, HTTPUnsupportedMediaType } from './status-exceptions.ts'

const KEY = 'propylon.request'

/** Under this key the environ keeps the method that the client used where a form's `_method` stands in its place. */
export const ORIGINAL_METHOD_KEY = 'propylon.original_method'

/** Maximum length of a header value that an error message repeats, in characters. */
const MAX_QUOTED_LENGTH = 100

/** How {@link Request.json} reads the body. */
export interface JsonOptions {
  /** Maximum length of the body in bytes, in place of {@link RequestLimits.body}. */
  readonly limit?: number
  /** Whether to parse a body of any content type, or of none. False when absent. */
  readonly anyType?: boolean
}

const NO_PARAMS: Readonly<Record<string, string | null>> = Object.freeze(Object.create(null))

/**
 * A request: a view of the environ in which everything is made when it is first asked for.
 *
 * The body is read once and kept, so `bytes`, `text`, `json` and `form` can be called in any order and again. They
 * reject with an `HTTPException`: 413 when a limit is exceeded, 400 when the body is malformed, 415 when its charset
 * or content coding is unknown.
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
  /** The environ behind it. */
  readonly environ: Environ
  #limits: RequestLimits = DEFAULT_LIMITS
  #headers: RequestHeaders | undefined = undefined
  #query: QueryParams | undefined = undefined
  #cookies: Readonly<Record<string, string>> | undefined = undefined
  #form: Promise<Form> | undefined = undefined

  /** @param limits - how much is read; see {@link RequestLimits} for the defaults. */
  constructor(environ: Environ, limits?: Partial<RequestLimits>) {
    this.environ = environ
    if (limits !== undefined) this.#limits = { ...DEFAULT_LIMITS, ...limits }
  }

  /** The one Request of an environ: kept in it under `propylon.request` and made when first asked for. */
  static of(environ: Environ, limits?: Partial<RequestLimits>): Request {
    const kept = environ[KEY]
    // Middleware may have copied the environ, and the request in the copy then speaks of another one.
    if (kept instanceof Request && kept.environ === environ) return kept
    const request = new Request(environ, limits ?? (kept instanceof Request ? kept.#limits : undefined))
    environ[KEY] = request
    return request
  }

  /** How much is read. It takes changes: `request.limits = { body: 4_194_304 }`. */
  get limits(): RequestLimits {
    return this.#limits
  }

  set limits(changes: Partial<RequestLimits>) {
    this.#limits = { ...this.#limits, ...changes }
  }

  /** The method, in the case in which it was sent; where a form overrode it, the one the form asks for. */
  get method(): string {
    return this.environ.REQUEST_METHOD
  }

  /** The method that the client used: POST where a form's `_method` stands for another one. */
  get originalMethod(): string {
    const original = this.environ[ORIGINAL_METHOD_KEY]
    return typeof original === 'string' ? original : this.method
  }

  /** Where the application is mounted, percent-decoded; empty at the root. */
  get scriptName(): string {
    return this.environ.SCRIPT_NAME
  }

  /** The path below that, percent-decoded. */
  get pathInfo(): string {
    return this.environ.PATH_INFO
  }

  /** The whole path, percent-decoded. */
  get path(): string {
    return this.environ.SCRIPT_NAME + this.environ.PATH_INFO
  }

  /** The absolute URL. */
  get url(): string {
    return urlOf(this.environ)
  }

  /**
   * The host that the request was sent to, in lower case, with its port unless that is the default of the scheme.
   * Without a Host field it is the server's own name. Forwarding headers have no influence.
   */
  get host(): string {
    return hostOf(this.environ)
  }

  get scheme(): 'http' | 'https' {
    return this.environ['wsgi.url_scheme']
  }

  /** Whether the request came over https. */
  get isSecure(): boolean {
    return this.scheme === 'https'
  }

  /** The client's address, or the nearest proxy's; empty where the server does not tell. */
  get remoteAddr(): string {
    return this.environ.REMOTE_ADDR ?? ''
  }

  /** The header fields. */
  get headers(): RequestHeaders {
    this.#headers ??= new RequestHeaders(this.environ)
    return this.#headers
  }

  /** One header field's value. */
  header(name: string): string | undefined {
    return this.headers.get(name)
  }

  /** The Content-Type as it was sent. */
  get contentType(): string | undefined {
    return this.environ.CONTENT_TYPE || undefined
  }

  /** The Content-Type taken apart; `undefined` when there is none or it is malformed. */
  get mediaType(): MediaType | undefined {
    const type = this.environ.CONTENT_TYPE
    return type === undefined || type === '' ? undefined : parseMediaType(type)
  }

  /** The Content-Length; `undefined` when there is none or it is no number. */
  get contentLength(): number | undefined {
    return statedLength(this.environ)
  }

  /**
   * The query's names and values.
   *
   * @throws HTTPBadRequest when there are more than {@link RequestLimits.fields}.
   */
  get query(): QueryParams {
    this.#query ??= limitFields(
      () => parseQuery(this.environ.QUERY_STRING, { maxFields: this.#limits.fields }),
      HTTPBadRequest,
    )
    return this.#query
  }

  /** The cookies by name, the first of a name; the record has no prototype. */
  get cookies(): Readonly<Record<string, string>> {
    this.#cookies ??= parseCookies(this.headers.get('cookie') ?? '')
    return this.#cookies
  }

  /** What the route matched: `wsgiorg.routing_args`. */
  get routeParams(): Readonly<Record<string, string | null>> {
    return this.environ['wsgiorg.routing_args']?.[1] ?? NO_PARAMS
  }

  /** The media type that the client likes best among those offered (RFC 9110 §12.5.1). */
  accept(...types: string[]): string | undefined {
    return accepts(this.headers.get('accept'), types)
  }

  /** The language that the client likes best among those offered (RFC 9110 §12.5.4). */
  acceptsLanguage(...languages: string[]): string | undefined {
    return acceptsLanguage(this.headers.get('accept-language'), languages)
  }

  /** The content coding that the client likes best among those offered (RFC 9110 §12.5.3). */
  acceptsEncoding(...encodings: string[]): string | undefined {
    return acceptsEncoding(this.headers.get('accept-encoding'), encodings)
  }

  /** The entity tags of If-Match. */
  get ifMatch(): EntityTagList | undefined {
    return tagsOf(this.headers.get('if-match'))
  }

  /** The entity tags of If-None-Match. */
  get ifNoneMatch(): EntityTagList | undefined {
    return tagsOf(this.headers.get('if-none-match'))
  }

  /** The date of If-Modified-Since; `undefined` also when it cannot be read. */
  get ifModifiedSince(): Date | undefined {
    return dateOf(this.headers.get('if-modified-since'))
  }

  /** The date of If-Unmodified-Since; `undefined` also when it cannot be read. */
  get ifUnmodifiedSince(): Date | undefined {
    return dateOf(this.headers.get('if-unmodified-since'))
  }

  /**
   * What the request's conditions say of a resource (RFC 9110 §13.2.2): ask before a PUT or DELETE is done, and answer
   * 412 when it is `failed`. For GET, {@link Response.makeConditional} does the whole.
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
   * The body as a stream, as it was sent: not decompressed and without a limit, which is then the reader's concern.
   * What has been read already by the other methods comes again; what is read here is gone.
   */
  get body(): ReadableStream<Uint8Array> {
    return this.environ['wsgi.input'].stream
  }

  /**
   * The whole body, decompressed.
   *
   * @param limit - in bytes, in place of {@link RequestLimits.body} (of `multipart` for a multipart form). It has no
   *   effect once the body has been read.
   */
  bytes(limit?: number): Promise<Uint8Array> {
    return readBody(this.environ, limit ?? this.#bodyLimit(this.mediaType))
  }

  #bodyLimit(type: MediaType | undefined): number {
    return type?.essence === 'multipart/form-data' ? this.#limits.multipart : this.#limits.body
  }

  /** The body as text, in the charset that the content type states, else UTF-8. */
  async text(limit?: number): Promise<string> {
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
  async json<T = unknown>(options: number | JsonOptions = {}): Promise<T> {
    const { limit, anyType = false } = typeof options === 'number' ? { limit: options } : options
    const type = this.mediaType
    if (!anyType && (type === undefined || !isJson(type))) throw this.#notJson()
    return parseJson(await this.text(limit), this.#limits.depth) as T
  }

  #notJson(): HTTPUnsupportedMediaType {
    const { contentType } = this
    const sent = contentType === undefined ? 'none' : JSON.stringify(contentType.slice(0, MAX_QUOTED_LENGTH))
    return new HTTPUnsupportedMediaType(
      `The request must have a JSON content type such as application/json, but it has ${sent}.`,
      // RFC 9110 §15.5.16: the types that are accepted.
      { Accept: 'application/json' },
    )
  }

  /** The form, urlencoded or multipart; an empty one when the body is no form. */
  form(): Promise<Form> {
    this.#form ??= this.#readForm()
    return this.#form
  }

  async #readForm(): Promise<Form> {
    const type = this.mediaType
    if (type === undefined || !isForm(type)) return new Form()
    return parseForm(await readBody(this.environ, this.#bodyLimit(type)), type, this.#limits)
  }

  /** The form's fields and the query's together; the form's come first, so `get` prefers them. */
  async params(): Promise<QueryParams> {
    const form = await this.form()
    return form.size === 0 ? this.query : new QueryParams([...form, ...this.query])
  }
}

function tagsOf(header: string | undefined): EntityTagList | undefined {
  return header === undefined ? undefined : parseEntityTags(header)
}

function dateOf(header: string | undefined): Date | undefined {
  return header === undefined ? undefined : parseHttpDate(header)
}
