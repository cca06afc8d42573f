/**
 * Responses.
 *
 * @module
 */

import { oncePerText } from '../base/once-per.ts'
import { isInstance, memberOf } from '../base/thrown.ts'
import { streamBody } from '../wsgi/body.ts'
import { checkHeader, isBodyless, isHopByHop, statusOf } from '../wsgi/response-head.ts'
import type { Body, Chunk, Closeable, Environ, HeaderPair, StartResponse, WSGIApplication } from '../wsgi/types.ts'
import { type CacheDirectives, formatCacheControl } from './cache-control.ts'
import { type ConditionalRequest, type EntityTag, entityTagOf, toEntityTag } from './conditional.ts'
import { type CookieOptions, formatCookie } from './cookies.ts'
import { formatHttpDate, parseHttpDate } from './date.ts'
import { HeaderList, type HeadersLike } from './headers.ts'
import { withCharset } from './media-type.ts'
/** Options of a {@link Response}. */
export interface ResponseInit {
  /** A number, or `NNN Reason`. Defaults to 200. */
  status?: number | string
  /** Header fields: a record, pairs, or `Headers`. */
  headers?: HeadersLike
  /**
   * The Content-Type, or `null` for none. Replaces one in `headers`. Defaults to one for the type of the body. Text
   * types without a charset receive `charset=utf-8`.
   */
  contentType?: string | null
}

/**
 * Challenge of a 401 without one: RFC 9110 §15.5.2 requires it. Browsers open a password dialog for Basic and Digest,
 * so the default is Bearer, which requires a parameter (RFC 6750 §3).
 */
const DEFAULT_CHALLENGE = 'Bearer realm="application"'

/** The property of a controller's own response with the environ of its request. */
export const ENVIRON: unique symbol = Symbol('propylon.response.environ')

/**
 * A response: status, header fields, cookies and a body. It is also a WSGI application.
 *
 * Strings and bytes are sent at once with a Content-Length; iterables and streams are sent chunk by chunk. A response
 * whose body is in memory (text, bytes, array, Blob) can be sent any number of times, also concurrently.
 *
 * @see docs/guides/responses.md
 * @throws RangeError - the status is not within 100 to 599. Thrown by the constructor and by assigning `status`.
 *
 * @example
 * ```ts
 * import { Response } from 'propylon'
 *
 * const response = new Response('<h1>Hello</h1>', { status: 201, headers: { Location: '/hello' } })
 * response.setCookie('seen', 'yes')
 * ```
 */
export class Response {
  [ENVIRON]: Environ | undefined = undefined
  #body: ResponseBody
  #status = 200
  #statusLine = '200 OK'
  // Most responses have no other header field, so the list is not created until it is accessed.
  #contentType: string | null | undefined = undefined
  #headers: HeaderList | undefined = undefined

  constructor(body: ResponseBody = null, init?: ResponseInit) {
    this.#body = body
    if (init === undefined) return
    if (init.status !== undefined) this.status = init.status
    if (init.headers !== undefined) this.#headers = new HeaderList(init.headers)
    if (init.contentType !== undefined) this.contentType = init.contentType
  }

  /** Creates a response from one of the platform, such as the result of `fetch`. Its body can be sent once. */
  static from(response: globalThis.Response): Response {
    const { status, statusText, headers } = response
    const made = new Response(response.body, {
      status: statusText === '' ? status : `${status} ${statusText}`,
      headers,
    })
    if (!headers.has('content-type')) made.contentType = null
    if (response.url === '') return made
    // A response of fetch(): its body has been decoded, and its hop-by-hop fields belong to another connection.
    for (const [name] of made.headers) if (isHopByHop(name)) made.headers.delete(name)
    if (made.headers.delete('content-encoding')) made.headers.delete('content-length')
    return made
  }

  /** The status code. Assign a number or `NNN Reason`. */
  get status(): number {
    return this.#status
  }

  set status(status: number | string) {
    const { code, line } = statusOf(status)
    this.#status = code
    this.#statusLine = line
  }

  /** The status with its reason, for instance `200 OK`. */
  get statusLine(): string {
    return this.#statusLine
  }

  /**
   * The header fields. When the response is sent, Content-Length is added, and so are Content-Type and, for status 401,
   * `WWW-Authenticate: Bearer realm="application"` unless they are set.
   */
  get headers(): HeaderList {
    if (this.#headers === undefined) {
      this.#headers = new HeaderList()
      if (typeof this.#contentType === 'string') {
        this.#headers.append('Content-Type', this.#contentType)
        this.#contentType = undefined
      }
    }
    return this.#headers
  }

  /**
   * The Content-Type, or `null` for none. Assign `undefined` for the default for the type of the body. A text type
   * that is assigned without a charset receives `charset=utf-8`; `headers.set('Content-Type', …)` writes what it is
   * given.
   */
  get contentType(): string | null {
    const given = this.#headers?.get('content-type') ?? this.#contentType
    return given === undefined ? (defaultContentType(this.#body) ?? null) : given
  }

  set contentType(given: string | null | undefined) {
    const contentType = typeof given === 'string' ? checkedType(given) : given
    if (typeof contentType === 'string' && this.#headers !== undefined) {
      this.#headers.set('Content-Type', contentType)
      this.#contentType = undefined
    } else {
      this.#headers?.delete('content-type')
      this.#contentType = contentType
    }
  }

  /** The body. */
  get body(): ResponseBody {
    return this.#body
  }

  set body(body: ResponseBody) {
    this.#body = body
  }

  /**
   * Appends a chunk to the body.
   *
   * @throws TypeError - the body is a stream, an iterator or a Blob.
   */
  write(chunk: Chunk): void {
    this.#body = appended(this.#body, chunk)
  }

  /**
   * Adds a cookie, with `Path=/; HttpOnly; SameSite=Lax` by default. It does not replace a cookie with the same name:
   * delete `Set-Cookie` from the headers first.
   *
   * @throws TypeError - the name or an attribute is invalid.
   */
  setCookie(name: string, value: string, options?: CookieOptions): void {
    this.headers.append('Set-Cookie', formatCookie(name, value, options))
  }

  /**
   * Deletes a cookie in the browser. Path and domain must equal those with which it was set; a name that begins with
   * `__Host-`, `__Secure-` or `__Http-` needs `secure: true`.
   *
   * @throws TypeError - the name or an attribute is invalid.
   */
  deleteCookie(name: string, options?: CookieOptions): void {
    this.setCookie(name, '', { ...options, maxAge: 0, expires: new Date(0) })
  }

  /** The entity tag, in quotes. Assigning adds missing quotes; `undefined` removes it. */
  get etag(): EntityTag | undefined {
    return this.#headers?.get('etag')
  }

  set etag(etag: EntityTag | undefined) {
    if (etag === undefined) this.#headers?.delete('etag')
    else this.headers.set('ETag', toEntityTag(etag))
  }

  /** Date of the last change of the resource. Assign `undefined` to remove it. */
  get lastModified(): Date | undefined {
    const text = this.#headers?.get('last-modified')
    return text === undefined ? undefined : parseHttpDate(text)
  }

  set lastModified(date: Date | undefined) {
    if (date === undefined) this.#headers?.delete('last-modified')
    else this.headers.set('Last-Modified', formatHttpDate(date))
  }

  /** The Cache-Control. Assign text or directives, such as `{ public: true, maxAge: 60 }`; `undefined` removes it. */
  get cacheControl(): string | undefined {
    return this.#headers?.get('cache-control')
  }

  set cacheControl(value: string | CacheDirectives | undefined) {
    if (value === undefined) this.#headers?.delete('cache-control')
    else this.headers.set('Cache-Control', typeof value === 'string' ? value : formatCacheControl(value))
  }

  /**
   * Sets the entity tag to a hash of the body.
   *
   * @param options.weak - whether to set a weak tag. Defaults to false.
   * @throws TypeError - the body is neither text nor bytes.
   */
  addEntityTag(options: { weak?: boolean } = {}): this {
    const body = this.#body
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
      throw new TypeError('addEntityTag() requires a body of text or bytes. Set etag for any other body.')
    }
    this.etag = entityTagOf(body, options.weak)
    return this
  }

  /**
   * Changes the status to 304 Not Modified or 412 Precondition Failed if the preconditions of the request require it
   * (RFC 9110 §13). Only a response with status 200 to a GET or HEAD is changed: before a PUT or DELETE, call
   * `request.preconditions`.
   */
  makeConditional(request: ConditionalRequest): this {
    if (this.#status !== 200 || (request.method !== 'GET' && request.method !== 'HEAD')) return this
    const result = request.preconditions({ etag: this.etag, lastModified: this.lastModified })
    if (result === 'proceed') return this
    this.status = result === 'failed' ? 412 : 304
    if (result === 'failed') {
      for (const name of BODY_FIELDS) this.#headers?.delete(name)
      this.#contentType = null
    }
    this.#body = emptyBodyFor(this.#body)
    return this
  }

  /**
   * Returns another response with the header fields of this one. Cookies and the names in `Vary` are added; any other
   * field is added only if the other response lacks it. Fields that describe the body (Content-Type, Content-Length, …)
   * are omitted. An error does not receive ETag and Last-Modified, except 412, nor the Location of a success.
   *
   * @returns a copy, or the other response itself if there is nothing to add. The other response is not changed,
   *   because it may be sent to several clients.
   */
  mergeInto(other: Response): Response {
    if (this.#headers === undefined || this.#headers.size === 0 || other === this) return other
    const merged = other.copy()
    for (const [name, value] of this.#headers) {
      const key = name.toLowerCase()
      if (BODY_FIELDS.has(key)) continue
      if (other.#status >= 400) {
        if (key === 'location' && this.#status < 400) continue
        if (other.#status !== 412 && (key === 'etag' || key === 'last-modified')) continue
      }
      if (key === 'set-cookie') merged.headers.append(name, value)
      else if (key === 'vary') addTokens(merged.headers, name, value)
      else if (!other.#has(key)) merged.headers.append(name, value)
    }
    return merged
  }

  #has(name: string): boolean {
    return this.#headers?.has(name) ?? false
  }

  /**
   * Returns a response with the same status and body, and header fields of its own. A body that is a stream or an
   * iterator can be sent with one of the two only.
   *
   * @example
   * ```ts
   * import { Response, WSGIController } from 'propylon'
   *
   * const page = new Response('<h1>About us</h1>').addEntityTag()
   *
   * export class AboutController extends WSGIController {
   *   index() {
   *     return page.copy().makeConditional(this.request)
   *   }
   * }
   * ```
   */
  copy(): Response {
    const copy = new Response(this.#body)
    copy.#status = this.#status
    copy.#statusLine = this.#statusLine
    copy.#contentType = this.#contentType
    if (this.#headers !== undefined) copy.#headers = new HeaderList(this.#headers)
    return copy
  }

  /** The response as a WSGI application. */
  get wsgi(): WSGIApplication {
    return (environ, start_response) => this.send(environ, start_response)
  }

  /**
   * Sends the response. Like {@link wsgi}, without creating a function.
   *
   * The server sets the Content-Length of a body in memory and drops the body of a HEAD.
   */
  send(environ: Environ, start_response: StartResponse): Body {
    const body = this.#body
    let sent: Body
    try {
      if (this.#status !== 200 && isBodyless(this.#status)) {
        const pairs = this.#headers?.toPairs().filter(isFieldWithoutBody) ?? []
        start_response(this.#statusLine, pairs)
        return emptyBodyFor(body)
      }
      if (body instanceof LateBody) return sendLate(this, body, environ, start_response)
      sent = toGatewayBody(body)
      start_response(this.#statusLine, this.#pairs())
    } catch (error) {
      // The server never receives the body, for instance after `requestTimeout`.
      closeBody(body).catch(() => {})
      throw error
    }
    return sent
  }

  #pairs(): HeaderPair[] {
    const headers = this.#headers
    const body = this.#body
    const type = this.#contentType === undefined ? defaultContentType(body) : this.#contentType
    const own: HeaderPair[] =
      typeof type === 'string' && headers?.has('content-type') !== true ? [['Content-Type', type]] : []
    const pairs = headers === undefined ? own : [...headers.toPairs(), ...own]
    if (this.#status === 401 && !this.#has('www-authenticate')) {
      pairs.push(['WWW-Authenticate', DEFAULT_CHALLENGE])
    }
    if (body instanceof Blob) {
      return [...pairs.filter(isNotContentLength), ['Content-Length', String(body.size)]]
    }
    return headers?.has('content-length') && isInMemory(body) ? pairs.filter(isNotContentLength) : pairs
  }
}

/**
 * A body that is written while the response waits to be sent: its text is known later, and with it the content type.
 */
export class LateBody implements AsyncIterable<Chunk> {
  readonly content: Promise<{ readonly body: string; readonly contentType: string }>

  /** @param content - must not be rejected. */
  constructor(content: LateBody['content']) {
    this.content = content
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Chunk> {
    yield (await this.content).body
  }
}

/** Sends a response once its body is known: `start_response` is called then. */
async function* sendLate(
  response: Response,
  { content }: LateBody,
  environ: Environ,
  start_response: StartResponse,
): AsyncGenerator<Chunk> {
  const { body, contentType } = await content
  const complete = response.copy()
  complete.body = body
  complete.contentType = contentType
  yield* complete.send(environ, start_response)
}

/** Returns a content type with the charset of a text type. Throws if it cannot be a header. */
const checkedType = oncePerText((given) => {
  const contentType = withCharset(given)
  checkHeader('Content-Type', contentType)
  return contentType
})

function addTokens(headers: HeaderList, name: string, list: string): void {
  for (const token of list.match(/[^\s,]+/g) ?? []) headers.addToken(name, token)
}

/**
 * Returns true for a response of the platform. The global is read only if the value has a member of its class: the
 * first access makes Node load its HTTP client, which takes 40 ms and 9 MiB.
 */
export function isWebResponse(value: unknown): value is globalThis.Response {
  return typeof memberOf(value, 'bodyUsed') === 'boolean' && isInstance(value, globalThis.Response)
}

/**
 * The body of a response: text (sent as UTF-8), bytes, null for none, an array of chunks, a generator, an async
 * generator, a web stream, or a Blob.
 */
export type ResponseBody =
  | string
  | Uint8Array
  | null
  | Iterable<Chunk>
  | AsyncIterable<Chunk>
  | ReadableStream<Chunk>
  | Blob

/** Returns true for a body that is complete in memory, so that the server can count its bytes. */
export function isInMemory(body: ResponseBody): boolean {
  return body === null || typeof body === 'string' || body instanceof Uint8Array || Array.isArray(body)
}

/**
 * Returns the content type of a body without one: HTML for text and iterables, as in WSGI frameworks, and
 * `application/octet-stream` for bytes, so that browsers do not render uploads as pages.
 */
function defaultContentType(body: ResponseBody): string | undefined {
  if (body === null) return undefined
  if (typeof body === 'string') return HTML
  if (body instanceof Uint8Array || body instanceof ReadableStream) return BYTES
  return body instanceof Blob ? body.type || BYTES : HTML
}

const HTML = 'text/html; charset=utf-8'
const BYTES = 'application/octet-stream'

/** Header fields that describe a body. They are not merged into a response with another body. */
const BODY_FIELDS: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'content-language',
  'content-location',
  'content-range',
  'content-disposition',
  'content-digest',
  'transfer-encoding',
])

/** Returns true unless the field is Content-Length. */
function isNotContentLength([name]: HeaderPair): boolean {
  return name.toLowerCase() !== 'content-length'
}

/** Returns true for a field that a response without a body may have. Content-Location is metadata of a 304 too. */
function isFieldWithoutBody([name]: HeaderPair): boolean {
  const key = name.toLowerCase()
  return key === 'content-location' || !BODY_FIELDS.has(key)
}

/** Converts a body to a gateway body. */
export function toGatewayBody(body: ResponseBody): Body {
  if (typeof body === 'string') return body === '' ? [] : [body]
  if (body === null) return []
  if (body instanceof Uint8Array) return body.byteLength === 0 ? [] : [body]
  if (body instanceof Blob) return streamBody(body.stream())
  if (body instanceof ReadableStream) return streamBody(body)
  return body
}

/** Returns a body without chunks whose `close()` closes `body`. For statuses without content. */
function emptyBodyFor(body: ResponseBody): Body {
  return isStreamed(body) ? { *[Symbol.iterator]() {}, close: () => closeBody(body) } : []
}

type Streamed = (Iterable<Chunk> | AsyncIterable<Chunk>) & Closeable & { return?(): unknown }

/** Returns true for a body that is produced while it is sent: it can be sent only once and must be closed. */
function isStreamed(body: ResponseBody): body is Streamed {
  return !isInMemory(body) && !(body instanceof Blob)
}

/** Closes a body that will not be read further. */
export async function closeBody(body: ResponseBody): Promise<void> {
  if (!isStreamed(body)) return
  if (body instanceof ReadableStream) {
    if (!body.locked) await body.cancel()
    return
  }
  if (body.close !== undefined) await body.close()
  else if (body.return !== undefined) await body.return()
}

/**
 * Returns a body with a chunk behind it.
 *
 * @throws TypeError - the body is a stream, an iterator or a Blob.
 */
function appended(body: ResponseBody, chunk: Chunk): ResponseBody {
  if (body === null || body === '') return chunk
  if (typeof body === 'string' && typeof chunk === 'string') return body + chunk
  if (typeof body === 'string' || body instanceof Uint8Array) return [body, chunk]
  if (Array.isArray(body)) return [...body, chunk]
  throw new TypeError('write() requires a body of text, bytes or an array, but the body is a stream or a Blob.')
}
