/**
 * The head of a request: its target, its header fields, and what they say.
 *
 * @module
 */

import { encodePath, hostOf, normalizePath, pathAndQueryOf, rawScriptName, urlOf } from '../wsgi/request-url.ts'
import type { Environ } from '../wsgi/types.ts'
import { statedLength } from './body/body.ts'
import {
  type EntityTagList,
  evaluatePreconditions,
  type PreconditionResult,
  parseEntityTags,
  type Validators,
} from './conditional.ts'
import { parseCookies } from './cookies.ts'
import { requireTranslation } from './languages/translation.ts'
import { changedLimits, DEFAULT_LIMITS, type RequestLimits } from './limits.ts'
import { type MediaType, parseMediaType } from './media-type.ts'
import { accepts, acceptsLanguage } from './negotiation.ts'
import { parseQuery, type QueryParams } from './query.ts'
import { decodeUtf8, RequestHeaders } from './request-headers.ts'

/** Environ key of the method that the client sent, if the `_method` of a form has replaced it. */
export const ORIGINAL_METHOD_KEY = 'propylon.original_method'

/**
 * The property of a request that counts reads of the members of its environ that belong to its visitor. `cached`
 * reads it.
 */
export const READS: unique symbol = Symbol('propylon.request.reads')

/**
 * The method of a request that returns its cookies without counting the read. Sessions call it: they record their own
 * use.
 */
export const COOKIES: unique symbol = Symbol('propylon.request.cookies')

/** Origin of URLs without one. */
const NO_SITE = 'http://site.invalid'

const NO_PARAMS: Readonly<Record<string, string | null>> = Object.freeze(Object.create(null))

/** The head of a request: method, URL and header fields, parsed on first access. {@link Request} adds the body. */
export class RequestHead {
  /** The environ of the request. */
  readonly environ: Environ
  /**
   * Number of reads of the members of the environ that belong to the visitor.
   *
   * @internal
   */
  readonly [READS] = { HTTP_COOKIE: 0, REMOTE_ADDR: 0 }
  #limits: RequestLimits = DEFAULT_LIMITS
  #headers: RequestHeaders | undefined = undefined
  #parsedType: { readonly text: string; readonly type: MediaType | undefined } | undefined = undefined
  #query: QueryParams | undefined = undefined
  #cookies: Readonly<Record<string, string>> | undefined = undefined

  /**
   * @param limits - limits that differ from the defaults of {@link RequestLimits}.
   * @throws RangeError - a limit is not a number, or below 0.
   */
  constructor(environ: Environ, limits?: Partial<RequestLimits>) {
    this.environ = environ
    if (limits !== undefined) this.#limits = changedLimits(DEFAULT_LIMITS, limits)
  }

  /**
   * Limits on the body and query. Assigning changes the given ones: `request.limits = { body: 4_194_304 }`.
   *
   * @throws RangeError - an assigned limit is not a number, or below 0.
   */
  get limits(): RequestLimits {
    return this.#limits
  }

  set limits(changes: Partial<RequestLimits>) {
    this.#limits = changedLimits(this.#limits, changes)
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
   * Returns the path and query of a URL if it leads to this application, and otherwise undefined: a place to go to
   * that a client has sent, such as `next` of a login, must not lead to another site.
   *
   * @param url - a path from the root of the host, with the mount point, as `this.url()` returns it, or an absolute
   *   URL with the scheme, the host and the port of the request.
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
    const isBelow = spelled(pathname).startsWith(`${rawScriptName(this.environ)}/`)
    // A path like //host/ would be another host to the browser.
    return isBelow && origin === site && !pathname.startsWith('//') ? pathname + search : undefined
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
   * The path, including the mount point, and the query, percent-encoded as in the URL. It is the place to return to,
   * for instance after a login: `path` is decoded, so it may lead elsewhere.
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
   * The host in lower case, with the port unless it is the default of the scheme. Without a Host field it is the name
   * of the server. Forwarding headers are ignored.
   */
  get host(): string {
    return hostOf(this.environ)
  }

  /** The scheme of the URL that the client used. */
  get scheme(): 'http' | 'https' {
    return this.environ['wsgi.url_scheme']
  }

  /** Whether the scheme is https. */
  get isSecure(): boolean {
    return this.scheme === 'https'
  }

  /** The address of the client or the nearest proxy, or `''` if the server does not provide it. */
  get remoteAddr(): string {
    this[READS].REMOTE_ADDR += 1
    return this.environ.REMOTE_ADDR ?? ''
  }

  /** The header fields. */
  get headers(): RequestHeaders {
    this.#headers ??= new RequestHeaders(this.environ, this[READS])
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
    const text = this.environ.CONTENT_TYPE
    if (text === undefined || text === '') return undefined
    if (this.#parsedType?.text !== text) this.#parsedType = { text, type: parseMediaType(text) }
    return this.#parsedType.type
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
    this.#query ??= parseQuery(this.environ.QUERY_STRING, { maxFields: this.#limits.fields })
    return this.#query
  }

  /** Cookies by name. The first of a name wins. The record has no prototype. */
  get cookies(): Readonly<Record<string, string>> {
    this[READS].HTTP_COOKIE += 1
    return this[COOKIES]()
  }

  /** Returns the cookies, and does not count it as a read. */
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
  accept<Type extends string>(...types: Type[]): Type | undefined {
    return accepts(this.headers.get('accept'), types)
  }

  /**
   * The language of the messages. It comes from the route argument, cookie or session value `language`, or from the
   * header Accept-Language, as the option `languageFrom` of the application says. The default is the first language.
   * The response then has `Content-Language` and `Vary`.
   *
   * @throws Error - the application has no messages.
   *
   * @example
   * ```ts
   * import { WSGIController } from 'propylon'
   *
   * export class HomeController extends WSGIController {
   *   index() {
   *     return new Intl.DateTimeFormat(this.request.language).format(new Date())
   *   }
   * }
   * ```
   */
  get language(): string {
    return requireTranslation(this.environ).language(this.environ)
  }

  /** Returns the language that the client prefers (RFC 9110 §12.5.4), or `undefined` if it accepts none. */
  acceptsLanguage<Language extends string>(...languages: Language[]): Language | undefined {
    return acceptsLanguage(this.headers.get('accept-language'), languages)
  }

  /** Entity tags of If-Match. */
  get ifMatch(): EntityTagList | undefined {
    return tagsOf(this.headers.get('if-match'))
  }

  /** Entity tags of If-None-Match. */
  get ifNoneMatch(): EntityTagList | undefined {
    return tagsOf(this.headers.get('if-none-match'))
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
}

/**
 * Returns the path of a URL as {@link encodePath} spells it. `URL` keeps some characters that need percent-encoding.
 */
function spelled(pathname: string): string {
  return normalizePath(pathname.replace(/[^%]+/g, encodePath))
}

function tagsOf(header: string | undefined): EntityTagList | undefined {
  return header === undefined ? undefined : parseEntityTags(header)
}
