/**
 * Runs an application in process, without a socket.
 *
 * @module
 */

import { checkNames } from '../../base/suggest.ts'
import { memberOf } from '../../base/thrown.ts'
import type { SessionName, SessionValueOf } from '../../http/sessions/data.ts'
import { toApplication } from '../../wsgi/application.ts'
import { createEnviron } from '../../wsgi/environ.ts'
import { type ErrorReporting, errorReporting, servedApplication } from '../../wsgi/error-reporting.ts'
import { lint } from '../../wsgi/lint.ts'
import { answersMalformed, MALFORMED_KEY, refusal, UNDECODABLE_PATH } from '../../wsgi/refusal.ts'
import { decodePath, targetPath } from '../../wsgi/request-url.ts'
import { type RunResult, run } from '../../wsgi/run.ts'
import type { Environ, ErrorStream, WSGIApplication, WSGICallable } from '../../wsgi/types.ts'
import { type EncodedBody, encodeBody, encodeJson, NO_BODY, type RequestBody } from './bodies.ts'
import { CookieJar } from './cookies.ts'
import { eventsOf, TestConnection, type TestEvent } from './events.ts'
import {
  type Address,
  addressOf,
  type BodyOptions,
  type HeaderFields,
  mergeHeaders,
  type NextRequest,
  type RequestOptions,
  type TestRequest,
  type TestRequestInit,
} from './request.ts'
import { TestResponse } from './response.ts'

/** Options of a {@link TestApp}. */
export interface TestAppOptions {
  /** Header fields of every request. */
  headers?: HeaderFields | undefined
  /** Environ values of every request. */
  environ?: Readonly<Record<string, unknown>> | undefined
  /** Whether to check the application with `lint()`. Default `true`. */
  lint?: boolean | undefined
  /**
   * Treatment of an unexpected error of the application. `'throw'`, the default, rejects the call with it. `'page'`
   * returns the page that a server would send in production, whether the application is in debug mode or not; so it
   * does for other errors, such as 404. `'debug'` returns the page with the details that debug mode shows. The last
   * two log the error.
   */
  errors?: 'throw' | 'page' | 'debug' | undefined
  /** The application's address. Default `http://localhost`. Cookies with `Secure` require https. */
  baseUrl?: string | URL | undefined
}

/** Options of {@link TestApp.events}. */
export interface EventsOptions extends RequestOptions {
  /** Id of the last event that the client received before it reconnected. */
  lastEventId?: string | undefined
}

const EMPTY_BODY: EncodedBody = { content: new Uint8Array(0), contentType: undefined }

/**
 * A browser for tests: sends requests to an application, keeps its cookies and parses its pages.
 *
 * Responses of any status are returned. An error that the application throws rejects the call, unless the option
 * `errors` says otherwise. A missing action or controller is 404 in debug mode too.
 *
 * @see docs/guides/testing.md
 * @example
 * ```ts
 * import assert from 'node:assert/strict'
 * import { TestApp } from 'propylon/testing'
 *
 * const app = new TestApp((environ, start_response) => {
 *   start_response('200 OK', [['Content-Type', 'text/plain']])
 *   return [`Hello, ${environ.PATH_INFO.slice(1)}!`]
 * })
 * const response = await app.get('/world')
 * assert.equal(response.status, 200)
 * assert.equal(response.text, 'Hello, world!')
 * ```
 */
export class TestApp {
  /** The cookies that the application has set. */
  readonly cookies: CookieJar
  readonly #app: WSGICallable
  readonly #application: WSGIApplication
  readonly #answersMalformed: boolean
  readonly #reporting: Required<ErrorReporting>
  readonly #options: TestAppOptions
  readonly #baseUrl: URL

  /**
   * @param app - a FrameworkApp, any object with `wsgi`, or a function.
   * @throws TypeError - `baseUrl` is not the root of an http or https site.
   */
  constructor(app: WSGICallable, options: TestAppOptions = {}) {
    checkNames('TestApp', options, 'headers environ lint errors baseUrl')
    this.#app = app
    this.#reporting = errorReporting(app)
    const throws = (options.errors ?? 'throw') === 'throw'
    const application = throws ? toApplication(app) : servedApplication(app, this.#reporting)
    this.#answersMalformed = answersMalformed(app)
    this.#application = options.lint === false ? application : lint(application)
    this.#options = options
    this.#baseUrl = new URL(options.baseUrl ?? 'http://localhost')
    if (!/^https?:$/.test(this.#baseUrl.protocol) || this.#baseUrl.pathname !== '/') {
      throw new TypeError(
        `baseUrl is ${this.#baseUrl.href}. Give the root of an http or https site, such as 'http://localhost'.`,
      )
    }
    this.cookies = new CookieJar(this.#baseUrl)
  }

  /** Sends a GET. */
  get(path: string, options?: RequestOptions): Promise<TestResponse> {
    return this.request('GET', path, options)
  }

  /** Sends a HEAD. */
  head(path: string, options?: RequestOptions): Promise<TestResponse> {
    return this.request('HEAD', path, options)
  }

  /** Sends an OPTIONS. */
  options(path: string, options?: RequestOptions): Promise<TestResponse> {
    return this.request('OPTIONS', path, options)
  }

  /** Sends a DELETE, without a body. */
  delete(path: string, options?: RequestOptions): Promise<TestResponse> {
    return this.request('DELETE', path, options)
  }

  /** Sends a POST: fields as a urlencoded form, FormData as multipart, text and bytes unchanged. */
  post(path: string, body?: RequestBody, options?: BodyOptions): Promise<TestResponse> {
    return this.request('POST', path, { ...options, body })
  }

  /** Sends a PUT, with a body as for {@link post}. */
  put(path: string, body?: RequestBody, options?: BodyOptions): Promise<TestResponse> {
    return this.request('PUT', path, { ...options, body })
  }

  /** Sends a PATCH, with a body as for {@link post}. */
  patch(path: string, body?: RequestBody, options?: BodyOptions): Promise<TestResponse> {
    return this.request('PATCH', path, { ...options, body })
  }

  /** Sends a POST of JSON. */
  postJson(path: string, value: unknown, options?: BodyOptions): Promise<TestResponse> {
    return this.request('POST', path, { ...options, json: value })
  }

  /** Sends a PUT of JSON. */
  putJson(path: string, value: unknown, options?: BodyOptions): Promise<TestResponse> {
    return this.request('PUT', path, { ...options, json: value })
  }

  /** Sends a PATCH of JSON. */
  patchJson(path: string, value: unknown, options?: BodyOptions): Promise<TestResponse> {
    return this.request('PATCH', path, { ...options, json: value })
  }

  /**
   * Sends a request.
   *
   * @param method - the method, in upper case.
   * @param path - a path with an optional query, or an absolute URL. Percent signs are sent unchanged.
   * @throws Error - `status` is given and the response has another one.
   * @throws the application's own error.
   */
  async request(method: string, path: string, init: TestRequestInit = {}): Promise<TestResponse> {
    const address = addressOf(path, this.#baseUrl, init.query)
    const given = init.json === undefined ? await encodeBody(init.body) : encodeJson(init.json)
    const { contentType = given.contentType } = init
    return this.#send(method, address, { ...given, contentType }, init, {})
  }

  /**
   * Puts values into the session, as a login does, without sending a request. The hooks of the application then find
   * them in the session of this client's requests.
   *
   * @throws TypeError, as a rejection - the application is not a FrameworkApp, or a value is not JSON.
   * @throws Error, as a rejection - the application has no sessions.
   *
   * @example
   * ```ts
   * import { FrameworkApp, Mapper, WSGIController } from 'propylon'
   * import { TestApp } from 'propylon/testing'
   *
   * class HomeController extends WSGIController {
   *   index() {
   *     return `Hello, ${this.session.get('user') ?? 'stranger'}!`
   *   }
   * }
   *
   * const app = new FrameworkApp({
   *   map: new Mapper().connect('/', { controller: 'home', action: 'index' }),
   *   controllers: { home: HomeController },
   *   session: { secret: 'a secret of at least thirty-two characters' },
   * })
   * const client = new TestApp(app)
   * await client.signIn({ user: 'ann' })
   * console.log((await client.get('/')).text) // 'Hello, ann!'
   * ```
   */
  async signIn(values: SignInValues): Promise<void> {
    const address = addressOf('/', this.#baseUrl)
    const { environ } = this.#begin('GET', address, NO_BODY, {}, {})
    for (const cookie of await setSession(this.#app, environ, values)) this.cookies.store(cookie, address.url)
  }

  /**
   * Sends a GET at once and returns the events of its response as they arrive. Leaving the loop disconnects, as a
   * browser does.
   *
   * @throws Error, in the loop - the response is not a stream of events.
   * @throws the application's own error, in the loop.
   *
   * @example
   * ```ts
   * import { eventStream, FrameworkApp, Mapper, WSGIController } from 'propylon'
   * import { TestApp } from 'propylon/testing'
   *
   * class NewsController extends WSGIController {
   *   index() {
   *     return eventStream(news(Number(this.request.lastEventId ?? 0)))
   *   }
   * }
   *
   * async function* news(last: number) {
   *   for (;;) yield { id: ++last, event: 'page', data: { title: `Page ${last}` } }
   * }
   *
   * const app = new FrameworkApp({
   *   map: new Mapper().connect('/news', { controller: 'news', action: 'index' }),
   *   controllers: { news: NewsController },
   * })
   * for await (const event of new TestApp(app).events('/news', { lastEventId: '6' })) {
   *   console.log(event) // { id: '7', event: 'page', data: '{"title":"Page 7"}' }
   *   break
   * }
   * ```
   */
  events(path: string, options: EventsOptions = {}): AsyncGenerator<TestEvent, void, undefined> {
    const { lastEventId } = options
    const connection = new TestConnection()
    const address = addressOf(path, this.#baseUrl, options.query)
    // The bytes of UTF-8, as browsers send them (HTML Standard §9.2.4).
    const id = lastEventId === undefined ? undefined : Buffer.from(lastEventId).toString('latin1')
    const extra = { ...options.environ, 'propylon.connection': connection }
    const { environ } = this.#begin('GET', address, NO_BODY, { ...options, environ: extra }, { 'last-event-id': id })
    const response = this.#run(this.#application, environ).then((result) => {
      this.#storeCookies(result.headers, address.url)
      return result
    })
    // Its error is thrown by the loop.
    response.catch(() => {})
    return eventsOf(response, connection)
  }

  async #send(
    method: string,
    address: Address,
    given: EncodedBody,
    options: RequestOptions,
    led: HeaderFields,
  ): Promise<TestResponse> {
    const { request, environ, errors } = this.#begin(method, address, given, options, led)
    const isRefused = environ[MALFORMED_KEY] !== undefined && !this.#answersMalformed
    const result = await this.#run(isRefused ? refusal(400) : this.#application, environ)
    const response = new TestResponse({
      request,
      environ,
      statusLine: result.status,
      headerPairs: result.headers,
      body: await result.bytes(),
      errors: errors.text,
      send: (next, added) => this.#lead(next, added),
    })
    this.#storeCookies(result.headers, address.url)
    return options.status === undefined ? response : response.mustHaveStatus(options.status)
  }

  /** Makes the environ of a request. */
  #begin(method: string, address: Address, given: EncodedBody, options: RequestOptions, led: HeaderFields) {
    const body = bodyFor(method, given)
    const headers = this.#headers(address, body, options, led)
    const request: TestRequest = { method, ...address, headers: new Headers(headers), body }
    const errors = new CollectedText()
    const extra = { ...this.#options.environ, ...options.environ }
    const url = address.url.origin + address.target
    const init = { method, url, headers, body: body.content, errors, extra }
    const environ = testEnviron(init, address)
    if (this.#options.errors === 'page') environ['propylon.hides_errors'] = true
    return { request, environ, errors }
  }

  #storeCookies(headers: RunResult['headers'], url: URL): void {
    for (const [name, value] of headers) if (name.toLowerCase() === 'set-cookie') this.cookies.store(value, url)
  }

  async #run(application: WSGIApplication, environ: Environ): Promise<RunResult> {
    try {
      return await run(application, environ)
    } catch (error) {
      const { errors = 'throw' } = this.#options
      if (errors === 'throw' && !isMissing(error)) throw error
      return run(await this.#reporting.handleError(error, environ), environ)
    }
  }

  #lead({ method, url, body, options }: NextRequest, added: HeaderFields = {}): Promise<TestResponse> {
    return this.#send(method, addressOf(url.href, url, options.query), body, options, added)
  }

  #headers(address: Address, body: EncodedBody, options: RequestOptions, led: HeaderFields) {
    const cookie = this.cookies.header(address.url)
    return mergeHeaders(
      cookie === '' ? undefined : { cookie },
      this.#options.headers,
      body.contentType === undefined ? undefined : { 'content-type': body.contentType },
      isStream(body.content) ? { 'transfer-encoding': 'chunked' } : undefined,
      led,
      options.headers,
    )
  }
}

/**
 * Returns true for the error of a missing action or controller, which debug mode throws and production answers with
 * 404.
 */
function isMissing(error: unknown): boolean {
  const code = memberOf(error, 'code')
  return code === 'ACTION_NOT_FOUND' || code === 'CONTROLLER_NOT_FOUND'
}

/** Returns the body to send. POST, PUT and PATCH have one even if it is empty, with `Content-Length: 0`. */
function bodyFor(method: string, given: EncodedBody): EncodedBody {
  if (given.content !== null) return given
  const { contentType } = given
  return { ...(/^(?:POST|PUT|PATCH)$/.test(method) ? EMPTY_BODY : NO_BODY), contentType }
}

function isStream(content: EncodedBody['content']): content is AsyncIterable<Uint8Array> {
  return content !== null && !(content instanceof Uint8Array)
}

/** Values of a session by name. */
export type SignInValues = { readonly [Name in SessionName]?: SessionValueOf<Name> }

/**
 * Sets values of the session of a request, and returns the cookies that the application answers with.
 *
 * @throws TypeError, as a rejection - the application is not a FrameworkApp, or a value is not JSON.
 * @throws Error, as a rejection - the application has no sessions.
 */
async function setSession(app: WSGICallable, environ: Environ, values: SignInValues): Promise<readonly string[]> {
  // Loaded here, so that importing propylon/testing does not load the framework.
  const { isFrameworkApp } = await import('../../app/is-framework-app.ts')
  const { Response } = await import('../../http/response.ts')
  if (!isFrameworkApp(app)) {
    throw new TypeError('signIn() requires the sessions of a FrameworkApp. Pass one to new TestApp().')
  }
  await app.loadSession(environ)
  const session = app.openSession(environ)
  // An application may declare the names of its values, and the compiler has no type for each of them.
  const names = Object.keys(values) as SessionName[]
  for (const name of names) {
    const value = values[name]
    if (value !== undefined) session.set(name, value)
  }
  const response = new Response()
  await app.saveSession(session, environ, response)
  return response.headers.getAll('set-cookie')
}

/** Returns the environ of a request. One whose path cannot be decoded is marked, as by servers. */
function testEnviron(init: Parameters<typeof createEnviron>[0], { url, target }: Address): Environ {
  const path = targetPath(target)
  if (decodePath(path) !== undefined) return createEnviron(init)
  return Object.assign(createEnviron({ ...init, url: url.origin }), {
    [MALFORMED_KEY]: UNDECODABLE_PATH,
    PATH_INFO: path,
    QUERY_STRING: target.split('?').slice(1).join('?'),
    REQUEST_URI: target,
  })
}

/** Collects what an application writes to `wsgi.errors`. */
class CollectedText implements ErrorStream {
  text = ''

  write(text: string): void {
    this.text += text
  }

  flush(): void {}
}
