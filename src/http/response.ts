/**
 * What a controller answers with.
 *
 * @module
 */

import { checkHeader, isHopByHop } from '../wsgi/response-head.ts'
import { isBodyless, readStatus, statusLine } from '../wsgi/status.ts'
import type { Body, Chunk, Environ, HeaderPair, StartResponse, WSGIApplication } from '../wsgi/types.ts'
import { defaultContentType, emptyBodyFor, isInMemory, type ResponseBody, toGatewayBody } from './body.ts'
import { type CacheDirectives, formatCacheControl } from './cache-control.ts'
import { type ConditionalRequest, type EntityTag, entityTagOf, toEntityTag } from './conditional.ts'
import { type CookieOptions, formatCookie } from './cookies.ts'
import { formatHttpDate, parseHttpDate } from './date.ts'
import { HeaderList, type HeadersLike } from './headers.ts'
import { parseMediaType } from './media-type.ts'

/** Settings of a new {@link Response}. */
export interface ResponseInit {
  /** A number, or `NNN Reason`; default 200. */
  status?: number | string
  headers?: HeadersLike
  /** The Content-Type, sent as it is given; default by the body's kind; `null` for none. It wins over one in `headers`. */
  contentType?: string | null
  /** The charset parameter of the content type. It labels bodies of bytes: text always goes out as UTF-8. */
  charset?: string
}

/** Fields that describe the body they came with and so never pass to another one. */
const OF_THE_BODY: ReadonlySet<string> = new Set([
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

/** Fields that a response without content does not have. */
const OF_CONTENT = [
  'content-type',
  'content-length',
  'content-encoding',
  'content-language',
  'content-range',
] as const

/**
 * The challenge of a 401 that has none: RFC 9110 §15.5.2 requires one. A browser opens its password dialog for Basic
 * and Digest, so the default is Bearer, which requires a parameter (RFC 6750 §3).
 */
const DEFAULT_CHALLENGE = 'Bearer realm="application"'

/**
 * A response: status, header fields, cookies and a body. It is a WSGI application itself.
 *
 * Strings and bytes go out in one piece with their Content-Length; iterables and streams are pulled chunk by chunk.
 * A response whose body is at hand (text, bytes, array, Blob) can be sent any number of times, also at the same time.
 *
 * @throws RangeError from the constructor and `status` when the status is not in 100 to 599.
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
  #body: ResponseBody
  #status = 200
  #statusLine = '200 OK'
  // Until somebody asks for the header list, the content type is kept here: most responses have no other field.
  #contentType: string | null | undefined = undefined
  #headers: HeaderList | undefined = undefined

  constructor(body: ResponseBody = null, init?: ResponseInit) {
    this.#body = body
    if (init === undefined) return
    if (init.status !== undefined) this.status = init.status
    if (init.headers !== undefined) this.#headers = new HeaderList(init.headers)
    if (init.contentType !== undefined) this.contentType = init.contentType
    if (init.charset !== undefined) this.charset = init.charset
  }

  /** Makes one of the platform's response (what `fetch` answers). Its body can be sent once. */
  static from(response: globalThis.Response): Response {
    const { status, statusText, headers } = response
    const made = new Response(response.body, {
      status: statusText === '' ? status : `${status} ${statusText}`,
      headers,
    })
    if (!headers.has('content-type')) made.contentType = null
    if (response.url === '') return made
    // What fetch() answered has been decoded and came over a connection of its own.
    for (const [name] of made.headers) if (isHopByHop(name)) made.headers.delete(name)
    if (made.headers.delete('content-encoding')) made.headers.delete('content-length')
    return made
  }

  /** The status as a number. It takes a number or `NNN Reason`. */
  get status(): number {
    return this.#status
  }

  set status(status: number | string) {
    const line = statusLine(status)
    this.#statusLine = line
    this.#status = readStatus(line).code
  }

  /** The status with its reason, for instance `200 OK`. */
  get statusLine(): string {
    return this.#statusLine
  }

  /**
   * The header fields. The server adds Content-Length, and Content-Type and, with status 401,
   * `WWW-Authenticate: Bearer realm="application"` unless they were set.
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

  /** The Content-Type: what was set, else the default of the body's kind; `null` for none. Set to `undefined`: the default. */
  get contentType(): string | null {
    const given = this.#headers?.get('content-type') ?? this.#contentType
    return given === undefined ? (defaultContentType(this.#body) ?? null) : given
  }

  set contentType(contentType: string | null | undefined) {
    if (typeof contentType === 'string' && this.#headers !== undefined) {
      this.#headers.set('Content-Type', contentType)
      this.#contentType = undefined
    } else {
      // As the list does: so that nothing can be injected at sending.
      if (typeof contentType === 'string') checkHeader('Content-Type', contentType)
      this.#headers?.delete('content-type')
      this.#contentType = contentType
    }
  }

  /** The charset parameter of the content type. */
  get charset(): string | undefined {
    return parseMediaType(this.contentType ?? '')?.parameters.charset
  }

  set charset(charset: string) {
    const essence = parseMediaType(this.contentType ?? 'text/html')?.essence ?? 'text/html'
    this.contentType = `${essence}; charset=${charset}`
  }

  /** The body. */
  get body(): ResponseBody {
    return this.#body
  }

  set body(body: ResponseBody) {
    this.#body = body
  }

  /**
   * Adds to the end of the body.
   *
   * @throws TypeError when the body is made while it is sent.
   */
  write(chunk: Chunk): void {
    const body = this.#body
    if (body === null || body === '') this.#body = chunk
    else if (typeof body === 'string' && typeof chunk === 'string') this.#body = body + chunk
    else if (typeof body === 'string' || body instanceof Uint8Array) this.#body = [body, chunk]
    else if (Array.isArray(body)) this.#body = [...body, chunk]
    else throw new TypeError('nothing can be written to a body that is made while it is sent')
  }

  /**
   * Sets a cookie (`Path=/; HttpOnly; SameSite=Lax` unless told otherwise). Setting a name again adds a second field:
   * delete `Set-Cookie` first to begin anew.
   *
   * @throws TypeError when the name or an attribute is not what a cookie may have.
   */
  setCookie(name: string, value: string, options?: CookieOptions): void {
    this.headers.append('Set-Cookie', formatCookie(name, value, options))
  }

  /** Makes the browser forget a cookie; path and domain must be those it was set with. */
  deleteCookie(name: string, options?: CookieOptions): void {
    this.setCookie(name, '', { ...options, maxAge: 0, expires: new Date(0) })
  }

  /** The entity tag, with its quotes. A bare name is quoted; `undefined` removes it. */
  get etag(): EntityTag | undefined {
    return this.#headers?.get('etag')
  }

  set etag(etag: EntityTag | undefined) {
    if (etag === undefined) this.#headers?.delete('etag')
    else this.headers.set('ETag', toEntityTag(etag))
  }

  /** When the resource was last changed; `undefined` removes it. */
  get lastModified(): Date | undefined {
    const text = this.#headers?.get('last-modified')
    return text === undefined ? undefined : parseHttpDate(text)
  }

  set lastModified(date: Date | undefined) {
    if (date === undefined) this.#headers?.delete('last-modified')
    else this.headers.set('Last-Modified', formatHttpDate(date))
  }

  /** Cache-Control as text. It takes text or directives, for instance `{ public: true, maxAge: 60 }`. */
  get cacheControl(): string | undefined {
    return this.#headers?.get('cache-control')
  }

  set cacheControl(value: string | CacheDirectives | undefined) {
    if (value === undefined) this.#headers?.delete('cache-control')
    else this.headers.set('Cache-Control', typeof value === 'string' ? value : formatCacheControl(value))
  }

  /**
   * Sets the entity tag to the hash of a body that is at hand.
   *
   * @throws TypeError when the body is made while it is sent.
   */
  addEntityTag(options: { weak?: boolean } = {}): this {
    const body = this.#body
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
      throw new TypeError('only a body of text or bytes can be hashed')
    }
    this.etag = entityTagOf(body, options.weak)
    return this
  }

  /**
   * Answers 304 Not Modified, or 412 Precondition Failed, when the request's conditions say so (RFC 9110 §13). Only a
   * GET or HEAD answered with 200 is changed: for a PUT or DELETE ask `request.preconditions` before anything
   * is done.
   */
  makeConditional(request: ConditionalRequest): this {
    if (this.#status !== 200 || (request.method !== 'GET' && request.method !== 'HEAD')) return this
    const result = request.preconditions({ etag: this.etag, lastModified: this.lastModified })
    if (result === 'proceed') return this
    this.status = result === 'failed' ? 412 : 304
    if (result === 'failed') {
      for (const name of OF_THE_BODY) this.#headers?.delete(name)
      this.#contentType = null
    }
    this.#body = emptyBodyFor(this.#body)
    return this
  }

  /**
   * Puts this response's header fields under another's: cookies and the names in `Vary` are added, any other field is set
   * only where the other lacks it, and what describes this body (Content-Type, Content-Length, …) or, under an error, this representation
   * (ETag, Last-Modified) is left out.
   *
   * @returns the other response itself when there is nothing to add, else a copy of it, so that a response kept for
   *   many clients never gathers one client's cookies.
   */
  mergeInto(other: Response): Response {
    if (this.#headers === undefined || this.#headers.size === 0 || other === this) return other
    const merged = other.#copy()
    for (const [name, value] of this.#headers) {
      const key = name.toLowerCase()
      if (OF_THE_BODY.has(key)) continue
      if (other.#status >= 400 && other.#status !== 412 && (key === 'etag' || key === 'last-modified'))
        continue
      if (key === 'set-cookie') merged.headers.append(name, value)
      else if (key === 'vary') addTokens(merged.headers, name, value)
      else if (!other.#has(key)) merged.headers.append(name, value)
    }
    return merged
  }

  #has(name: string): boolean {
    return this.#headers?.has(name) ?? false
  }

  #copy(): Response {
    const copy = new Response(this.#body)
    copy.#status = this.#status
    copy.#statusLine = this.#statusLine
    copy.#contentType = this.#contentType
    if (this.#headers !== undefined) copy.#headers = new HeaderList(this.#headers)
    return copy
  }

  /** This response as a WSGI application, a function that can be passed on. */
  get wsgi(): WSGIApplication {
    return (environ, start_response) => this.send(environ, start_response)
  }

  /**
   * Calls `start_response` and returns the body, as {@link wsgi} does, without creating a function.
   *
   * Content-Length is left to the server, which counts a body that is one piece and drops the body of a HEAD.
   */
  send(_environ: Environ, start_response: StartResponse): Body {
    if (isBodyless(this.#status)) return this.#sendWithoutContent(start_response)
    const pairs = this.#pairs()
    if (this.#status === 401 && !this.#has('www-authenticate')) {
      pairs.push(['WWW-Authenticate', DEFAULT_CHALLENGE])
    }
    start_response(this.#statusLine, pairs)
    return toGatewayBody(this.#body)
  }

  #pairs(): HeaderPair[] {
    const headers = this.#headers
    const body = this.#body
    const defaultType =
      this.#contentType === undefined ? defaultContentType(body) : (this.#contentType ?? undefined)
    if (headers === undefined && !(body instanceof Blob)) {
      return defaultType === undefined ? [] : [['Content-Type', defaultType]]
    }
    const pairs = headers?.toPairs() ?? []
    if (defaultType !== undefined && !this.#has('content-type')) pairs.push(['Content-Type', defaultType])
    if (body instanceof Blob)
      return [...pairs.filter(isNotContentLength), ['Content-Length', String(body.size)]]
    return isInMemory(body) ? pairs.filter(isNotContentLength) : pairs
  }

  #sendWithoutContent(start_response: StartResponse): Body {
    const pairs: HeaderPair[] = []
    for (const pair of this.#headers?.toPairs() ?? []) {
      if (!OF_CONTENT.some((name) => name === pair[0].toLowerCase())) pairs.push(pair)
    }
    if (this.#status === 205) pairs.push(['Content-Length', '0'])
    start_response(this.#statusLine, pairs)
    return emptyBodyFor(this.#body)
  }
}

function addTokens(headers: HeaderList, name: string, list: string): void {
  for (const token of list.match(/[^\s,]+/g) ?? []) headers.addToken(name, token)
}

function isNotContentLength([name]: HeaderPair): boolean {
  return name.length !== 14 || name.toLowerCase() !== 'content-length'
}
