import { Request } from '../http/request.ts'
import { Response } from '../http/response.ts'
import type { Session } from '../http/session.ts'
import type { RegisteredRoutes } from '../routing/types.ts'
import type { UrlGenerator } from '../routing/url.ts'
import type { Environ } from '../wsgi/types.ts'
import { APPLICATION_KEY, type Application } from './application.ts'
import { NoRequestError } from './errors.ts'

/** What a controller has at hand while it serves a request. Each thing is made when it is first asked for. */
export abstract class RequestScope {
  #environ: Environ | undefined
  #request: Request | undefined
  #response: Response | undefined
  #context: Record<string, unknown> | undefined
  #session: Session | undefined
  #url: UrlGenerator<RegisteredRoutes> | undefined

  /**
   * The values that `validate` has made of the form. `formResult(controller, schema)` gives them with the schema's type;
   * so does a class that declares them: `declare formResult: UserForm`.
   */
  declare formResult?: unknown

  /** The request that this instance serves. */
  get request(): Request {
    this.#request ??= Request.of(this._served())
    return this.#request
  }

  /** The response in the making: its headers and cookies belong to whatever the action returns. */
  get response(): Response {
    this.#response ??= new Response()
    return this.#response
  }

  set response(response: Response) {
    this.#response = response
  }

  /** The template context: what is put here is there in templates as `it.c`. */
  get c(): Record<string, unknown> {
    this.#context ??= Object.create(null) as Record<string, unknown>
    return this.#context
  }

  /**
   * The visitor's session.
   *
   * @throws Error when the application has no session secret.
   */
  get session(): Session {
    this.#session ??= this.app.openSession(this.request)
    return this.#session
  }

  /** Generates URLs: `this.url('user', { id: 'joe' })`. */
  get url(): UrlGenerator<RegisteredRoutes> {
    this.#url ??= this.app.urlGenerator(this._served())
    return this.#url
  }

  /** The application that dispatched the request. */
  get app(): Application {
    const app = this._served()[APPLICATION_KEY]
    if (app === undefined) throw new NoRequestError(this.constructor.name)
    return app as Application
  }

  /**
   * Renders a template, named by its path below the templates directory.
   *
   * The template has `values` in `it`, and beside them `c`, `request`, `url` and, where the application keeps sessions,
   * `session`. The result is text, or a promise of it where the template waits for something.
   */
  render(template: string, values: Readonly<Record<string, unknown>> = {}): string | Promise<string> {
    const { app, c, request, url } = this
    const session = app.keepsSessions ? this.session : undefined
    return app.templates.render(template, { c, request, session, url, ...values })
  }

  /** Begins to serve a request. */
  protected _serve(environ: Environ): void {
    this.#environ = environ
  }

  /** The environ of the request that is served. */
  protected _served(): Environ {
    if (this.#environ === undefined) throw new NoRequestError(this.constructor.name)
    return this.#environ
  }

  /** The response, if anybody has asked for it. For decorators. */
  _standingResponse(): Response | undefined {
    return this.#response
  }

  /** The session, if anybody has asked for it. For decorators. */
  _openedSession(): Session | undefined {
    return this.#session
  }
}
