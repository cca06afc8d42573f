/**
 * The responses of tests.
 *
 * @module
 */

import type { Environ, HeaderPair } from '../../wsgi/types.ts'
import { NO_BODY } from './bodies.ts'
import { HtmlDocument, type HtmlElement } from './document.ts'
import { Form } from './form.ts'
import {
  type ExpectedStatus,
  fitsStatus,
  type HeaderFields,
  type NextRequest,
  type RequestOptions,
  type TestRequest,
} from './request.ts'

/** The parts of a response. */
export interface TestResponseInit {
  readonly request: TestRequest
  readonly environ: Environ
  readonly statusLine: string
  readonly headerPairs: readonly HeaderPair[]
  readonly body: Uint8Array
  readonly errors: string
  /** Sends a request. Header fields of its options replace those that a browser adds. */
  send(request: NextRequest, added?: HeaderFields): Promise<TestResponse>
}

const MAX_REDIRECTS = 20
const SHOWN_LENGTH = 2000

/**
 * A complete response. Its body has been read and closed.
 *
 * @example
 * ```ts
 * import { TestApp } from 'propylon/testing'
 *
 * const app = new TestApp((_environ, start_response) => {
 *   start_response('200 OK', [['Content-Type', 'application/json']])
 *   return ['{"name":"ann"}']
 * })
 * const response = await app.get('/users/ann')
 * response.statusLine // '200 OK'
 * response.contentType // 'application/json'
 * response.json() // { name: 'ann' }
 * ```
 */
export class TestResponse {
  /** The request that was sent. */
  readonly request: TestRequest
  /** The environ after the request, for instance with `wsgiorg.routing_args`. */
  readonly environ: Environ
  /** The status code, for instance `404`. */
  readonly status: number
  /** The reason, for instance `Not Found`. */
  readonly statusText: string
  /** Status code and reason, for instance `404 Not Found`. */
  readonly statusLine: string
  /** The header fields. `headers.getSetCookie()` returns the cookies. */
  readonly headers: Headers
  /** The header fields as the application sent them. */
  readonly headerPairs: readonly HeaderPair[]
  /** The body's bytes. */
  readonly body: Uint8Array
  /** The text that the application wrote to `wsgi.errors`. */
  readonly errors: string
  readonly #send: TestResponseInit['send']
  #text: string | undefined
  #html: HtmlDocument | undefined
  #forms: Form<TestResponse>[] | undefined

  constructor(init: TestResponseInit) {
    this.request = init.request
    this.environ = init.environ
    this.statusLine = init.statusLine
    this.status = Number(init.statusLine.slice(0, 3))
    this.statusText = init.statusLine.slice(4)
    this.headerPairs = init.headerPairs
    this.headers = new Headers(init.headerPairs.map(([name, value]): HeaderPair => [name, value]))
    this.body = init.body
    this.errors = init.errors
    this.#send = init.send
  }

  /** The media type in lower case, without parameters, or `''`. */
  get contentType(): string {
    return (this.headers.get('content-type') ?? '').replace(/;.*$/s, '').trim().toLowerCase()
  }

  /** The body as text, in the charset of the content type. Default UTF-8. */
  get text(): string {
    const charset = /;\s*charset="?([^";\s]+)/i.exec(this.headers.get('content-type') ?? '')?.[1]
    this.#text ??= new TextDecoder(charset ?? 'utf-8').decode(this.body)
    return this.#text
  }

  /**
   * Parses the body as JSON, regardless of the content type.
   *
   * @throws Error - the body is not JSON. The message contains the response.
   */
  json<T = unknown>(): T {
    try {
      return JSON.parse(this.text)
    } catch (cause) {
      throw new Error(`the body is not JSON\n${this.describe()}`, { cause })
    }
  }

  /**
   * The parsed page.
   *
   * @throws Error - the response is not HTML, or `parse5` is not installed.
   */
  get html(): HtmlDocument {
    if (!/^(?:text\/html|application\/xhtml\+xml)$/.test(this.contentType)) {
      throw new Error(`the response is not HTML\n${this.describe()}`)
    }
    this.#html ??= new HtmlDocument(this.text)
    return this.#html
  }

  /** The page's forms in document order. The same objects each time, so that values stay. */
  get forms(): readonly Form<TestResponse>[] {
    const context = { page: this.html, url: this.request.url, send: (next: NextRequest) => this.#lead(next) }
    this.#forms ??= this.html.findAll('form').map((element) => new Form<TestResponse>(element, context))
    return this.#forms
  }

  /**
   * Returns the only form of the page, or the one with an index (from 0), id, name or action (as written).
   *
   * @throws Error - no form matches, or several. The message lists the forms.
   */
  form(which?: number | string): Form<TestResponse> {
    const { forms } = this
    const existing = forms.map((form) => describeForm(form.element)).join(', ') || 'none'
    if (which === undefined) {
      const [only] = forms
      if (only === undefined || forms.length > 1) throw new Error(`the page has ${forms.length} forms: ${existing}`)
      return only
    }
    const form =
      typeof which === 'number'
        ? forms[which]
        : ['id', 'name', 'action']
            .map((name) => forms.find((candidate) => candidate.element.attribute(name) === which))
            .find((candidate) => candidate !== undefined)
    if (form === undefined) throw new Error(`the page has no form ${JSON.stringify(which)}; it has ${existing}`)
    return form
  }

  /**
   * Follows a link.
   *
   * @param link - its text (whole, or else a part of it), a pattern for its text, or a selector such as `#next`,
   *   `.next`, `a.next` or `[rel=next]`.
   * @throws Error - no link matches, or several with different URLs. The message lists the links.
   */
  async click(link: string | RegExp, options: RequestOptions = {}): Promise<TestResponse> {
    const found = this.#links(link)
    const [first] = found
    const places = new Set(found.map((element) => element.attribute('href')))
    if (first === undefined || places.size > 1) {
      const all = this.html
        .findAll('a[href]')
        .map((element) => `${JSON.stringify(element.text)} → ${element.attribute('href')}`)
      const what = first === undefined ? 'no link' : `${places.size} different links`
      throw new Error(
        `the page has ${what} ${link instanceof RegExp ? link : JSON.stringify(link)}; it has ${all.join(', ') || 'none'}`,
      )
    }
    const url = new URL(first.attribute('href') ?? '', this.html.baseUrl(this.request.url))
    if (!/^https?:$/.test(url.protocol))
      throw new Error(`the link leads to ${url.href}, which is not an http or https URL`)
    return this.#lead({ method: 'GET', url, body: NO_BODY, options })
  }

  #links(link: string | RegExp): HtmlElement[] {
    const links = this.html.findAll('a[href]')
    if (link instanceof RegExp) return links.filter((element) => element.text.search(link) !== -1)
    const whole = links.filter((element) => element.text === link)
    if (whole.length > 0) return whole
    if (!/^a?[#.[]/.test(link)) return links.filter((element) => element.text.includes(link))
    const chosen = this.html.findAll(link)
    return links.filter((element) => chosen.includes(element))
  }

  /**
   * Follows one redirect: 301, 302 and 303 with GET (HEAD stays HEAD), 307 and 308 with the same method and body.
   *
   * @throws Error - the response is not a redirect, or leads to another site.
   */
  async follow(options: RequestOptions = {}): Promise<TestResponse> {
    const location = this.#location
    if (location === null) throw new Error(`the response is not a redirect\n${this.describe()}`)
    const url = new URL(location, this.request.url)
    if (!isSameSite(url, this.request.url)) throw new Error(`the redirect leads to another site, ${url.href}`)
    const { method, body } = this.request
    const keeps = this.status === 307 || this.status === 308
    const next = keeps || method === 'HEAD' ? method : 'GET'
    if (keeps && body.content !== null && !(body.content instanceof Uint8Array)) {
      throw new Error('the redirect repeats the body, and a stream can be read only once')
    }
    return this.#send({ method: next, url, body: keeps ? body : NO_BODY, options })
  }

  /**
   * Follows redirects until a response is not one.
   *
   * @throws Error - there are more than 20.
   */
  async followAll(options: RequestOptions = {}): Promise<TestResponse> {
    const { status, ...others } = options
    let response: TestResponse = this
    for (let count = 0; response.#location !== null; count++) {
      if (count === MAX_REDIRECTS)
        throw new Error(`more than ${MAX_REDIRECTS} redirects, the last to ${response.#location}`)
      response = await response.follow(others)
    }
    if (status !== undefined) response.mustHaveStatus(status)
    return response
  }

  /** The target of a redirect. Null for any other response. */
  get #location(): string | null {
    return [301, 302, 303, 307, 308].includes(this.status) ? this.headers.get('location') : null
  }

  /**
   * Checks that the body contains texts or matches patterns.
   *
   * @returns the response.
   * @throws Error - a text is missing. The message contains the response.
   */
  mustContain(...texts: (string | RegExp)[]): this {
    const missing = texts.filter((text) => !contains(this.text, text))
    if (missing.length > 0) throw new Error(`the body lacks ${list(missing)}\n${this.describe()}`)
    return this
  }

  /** Checks that the body contains none of some texts: the opposite of {@link mustContain}. */
  mustNotContain(...texts: (string | RegExp)[]): this {
    const present = texts.filter((text) => contains(this.text, text))
    if (present.length > 0) throw new Error(`the body contains ${list(present)}\n${this.describe()}`)
    return this
  }

  /**
   * Checks the status.
   *
   * @returns the response.
   * @throws Error - the status is another one. The message contains the response.
   */
  mustHaveStatus(expected: ExpectedStatus): this {
    if (fitsStatus(this.status, expected)) return this
    const wanted = typeof expected === 'object' ? expected.join(' or ') : expected
    throw new Error(`the status is not ${wanted}\n${this.describe()}`)
  }

  /** Returns the response as text for an error message, with at most 2,000 characters of its body. */
  describe(): string {
    const headers = this.headerPairs.map(([name, value]) => `${name}: ${value}`).join('\n')
    const text = /^(?:text\/|application\/(?:\w+\+)?(?:json|xml)|$)/.test(this.contentType)
      ? this.text
      : `(${this.body.length} bytes)`
    const shown = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text
    return `${this.request.method} ${this.request.url.href}\n${this.statusLine}\n${headers}\n\n${shown}`
  }

  /** Sends a request with the headers that a browser adds: Referer, and Origin with a form's POST. */
  #lead(next: NextRequest): Promise<TestResponse> {
    const page = new URL(this.request.url)
    page.hash = ''
    const isPost = next.method === 'POST'
    return this.#send(next, { referer: page.href, ...(isPost && { origin: page.origin }) })
  }
}

function isSameSite(a: URL, b: URL): boolean {
  const [one, other] = [`.${a.hostname}`, `.${b.hostname}`]
  return /^https?:$/.test(a.protocol) && (one.endsWith(other) || other.endsWith(one))
}

function describeForm(form: HtmlElement): string {
  const attributes = ['id', 'name', 'action'].filter((name) => form.has(name))
  return `<form${attributes.map((name) => ` ${name}=${JSON.stringify(form.attribute(name))}`).join('')}>`
}

function contains(body: string, text: string | RegExp): boolean {
  return typeof text === 'string' ? body.includes(text) : body.search(text) !== -1
}

function list(texts: readonly (string | RegExp)[]): string {
  return texts.map((text) => (typeof text === 'string' ? JSON.stringify(text) : String(text))).join(', ')
}
