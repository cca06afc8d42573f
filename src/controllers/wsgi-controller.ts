/**
 * `WSGIController`: the base class of controllers.
 *
 * @module
 */

import { toEntityTag, type Validators } from '../http/conditional.ts'
import { HTTPNotModified, HTTPPreconditionFailed } from '../http/exceptions.ts'
import { translate } from '../http/languages/translation.ts'
import { Request } from '../http/request.ts'
import type { Response } from '../http/response.ts'
import type { Session } from '../http/sessions/session.ts'
import type { RenderOptions } from '../http/templating/engine.ts'
import type { RegisteredRoutes } from '../routing/register.ts'
import type { UrlGenerator } from '../routing/url.ts'
import type { Body, Environ, StartResponse } from '../wsgi/types.ts'
import { APPLICATION_KEY, type Application, CONTEXT_KEY, type TemplateContext } from './application.ts'
import { runCall, serveAction } from './call.ts'
import { CallState, type Controller, type Protocol, RUN, STATE, stateOf } from './call-state.ts'
import { defineFrameworkClass } from './class-methods.ts'
import { NoRequestError } from './controller-errors.ts'
import type { MessageArguments, MessageKey } from './message-types.ts'
import type { NamedArguments } from './method-binding.ts'
import { startResponseForAction } from './start-response.ts'
import { templateValues } from './template-values.ts'
import { inStage } from './tracing/channels.ts'

/**
 * Base class of application controllers. Each request is served by a new instance.
 *
 * A request runs `__before__`, the action that the match names, and `__after__`. Each receives the arguments that its
 * parameters name: values of the match, `environ` and `start_response`. `__after__` runs after every action, also after
 * a redirect or an unexpected error (its argument `error`), but not if `__before__` ended the request. Actions are the
 * methods of the application's own classes without a leading underscore.
 *
 * @see docs/guides/controllers.md
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 *
 * export class HelloController extends WSGIController {
 *   index() {
 *     return 'Hello World'
 *   }
 *
 *   greet(id = 'stranger') {
 *     this.response.contentType = 'text/plain'
 *     return `Hello, ${id}!`
 *   }
 * }
 * ```
 */
export class WSGIController implements Controller {
  /**
   * Values that `validate` made of the form. `formResult(controller, schema)` returns them with the schema's type; so
   * does a class that declares it: `declare formResult: UserForm`.
   */
  declare formResult?: unknown;

  [STATE]: CallState | undefined = undefined
  #request: Request | undefined
  #url: UrlGenerator<RegisteredRoutes> | undefined

  /** The request that this instance serves. */
  get request(): Request {
    this.#request ??= Request.of(stateOf(this).environ)
    return this.#request
  }

  /** The controller's own response. Its headers and cookies are added to whatever the action returns. */
  get response(): Response {
    return stateOf(this).ownResponse()
  }

  set response(response: Response) {
    stateOf(this).response = response
  }

  /** The template context: templates read it as `it.c`. */
  get c(): TemplateContext {
    const state = stateOf(this)
    if (state.context === undefined) {
      state.context = Object.create(null) as TemplateContext
      state.environ[CONTEXT_KEY] = state.context
    }
    return state.context
  }

  /**
   * The visitor's session. It is saved when the action has returned, unless that threw an unexpected error.
   *
   * @throws Error - the application has no sessions.
   */
  get session(): Session {
    const state = stateOf(this)
    state.session ??= this.app.openSession(state.environ)
    return state.session
  }

  /** Generates URLs: `this.url('user', { id: 'joe' })`. */
  get url(): UrlGenerator<RegisteredRoutes> {
    this.#url ??= this.app.urlGenerator(stateOf(this).environ)
    return this.#url
  }

  /**
   * Returns a message in the language of the request: `this.t('loan.done', { name })`. Its values are written as
   * text, which templates escape. A key that does not exist is returned itself, and logged once.
   *
   * The response has `Content-Language` and `Vary`.
   *
   * @throws Error - the application has no messages.
   *
   * @example
   * ```ts
   * import { WSGIController } from 'propylon'
   *
   * export class LoansController extends WSGIController {
   *   create() {
   *     this.session.flash('notice', this.t('loan.done', { name: 'Ann' })) // en.json: "loan.done": "Lent to {name}."
   *   }
   * }
   * ```
   */
  t<Key extends MessageKey>(key: Key, ...[values]: MessageArguments<Key>): string {
    return translate(stateOf(this).environ, key, values)
  }

  /** The application that dispatched the request. */
  get app(): Application {
    const app = stateOf(this).environ[APPLICATION_KEY]
    if (app === undefined) throw new NoRequestError(this.constructor.name)
    return app as Application
  }

  /**
   * Renders a template, named by its path below the templates directory.
   *
   * The template reads `values` as properties of `it`, together with `c`, `request`, `url`, `asset`, `t` and, where the
   * application has sessions, `session`. With `secureHeaders()`, `nonce` is the attribute of inline scripts and styles.
   *
   * @param options - `{ block: 'rows' }` renders one block of the template: `<% block('rows', () => { %> … <% }) %>`.
   * @returns the text, as a promise if the template awaits something.
   */
  render(
    template: string,
    values: Readonly<Record<string, unknown>> = {},
    options?: RenderOptions,
  ): string | Promise<string> {
    const { app } = this
    const state = stateOf(this)
    const { environ } = state
    state.rendered = true
    const all = { ...templateValues(app, environ, this), ...values }
    const run = () => app.templates.render(template, all, options)
    return inStage('render', environ, run, () => ({ template }))
  }

  /**
   * Ends the request if its preconditions require it (RFC 9110 §13): with 304 Not Modified if the client's copy of a
   * page is current, or with 412 Precondition Failed if the client wants to change another version. Call it before
   * the page is rendered or anything is changed. `__after__` runs.
   *
   * The validators of a GET or HEAD are set on `this.response`. The validators of other methods belong to the version
   * that the action replaces, so only a 412 has them.
   *
   * @param current - the validators of the resource. A missing quote is added to `etag`; `W/"…"` is a weak one, which
   *   If-Match never matches. `exists: false` says that there is no such resource yet.
   * @throws HTTPNotModified, HTTPPreconditionFailed - the answer.
   * @throws TypeError - the entity tag contains characters that a tag cannot contain.
   *
   * @example
   * ```ts
   * import { abort, WSGIController } from 'propylon'
   *
   * const pages = new Map([['FrontPage', { version: 3, modified: new Date(), text: 'Welcome' }]])
   *
   * export class PagesController extends WSGIController {
   *   show(title: string) {
   *     const page = pages.get(title) ?? abort(404)
   *     this.fresh({ etag: `v${page.version}`, lastModified: page.modified })
   *     return this.render('page', { page })
   *   }
   *
   *   delete(title: string) {
   *     const page = pages.get(title) ?? abort(404)
   *     this.fresh({ etag: `v${page.version}` })
   *     pages.delete(title)
   *   }
   * }
   * ```
   */
  fresh(current: Validators): void {
    const { request } = this
    const etag = current.etag === undefined ? undefined : toEntityTag(current.etag)
    const result = request.preconditions({ ...current, etag })
    if (result === 'failed' || request.method === 'GET' || request.method === 'HEAD') {
      const { response } = this
      if (etag !== undefined) response.etag = etag
      if (current.lastModified !== undefined) response.lastModified = current.lastModified
    }
    if (result === 'not-modified') throw new HTTPNotModified()
    if (result === 'failed') throw new HTTPPreconditionFailed()
  }

  /**
   * Serves a request: the controller as a WSGI application. A base class of an application may override it to wrap
   * every request.
   */
  __call__(environ: Environ, start_response: StartResponse): Body | Promise<Body> {
    const state = beginCall(this, environ, start_response)
    state.method = state.description.action(state.action)
    return serveAction(state)
  }

  /** Runs the hooks and an action, which a protocol supplies. */
  [RUN]<T>(protocol: Protocol<T>): T | Promise<T> {
    return runCall(stateOf(this), protocol)
  }

  /**
   * Returns the arguments available to actions and hooks: the match, `environ` and `start_response`. Override it to add
   * or replace arguments. An override may return a promise.
   */
  _get_method_args(): NamedArguments | Promise<NamedArguments> {
    const state = stateOf(this)
    const args: NamedArguments = Object.assign(Object.create(null), state.match)
    args.environ = state.environ
    args.start_response = startResponseForAction(state)
    return args
  }
}

defineFrameworkClass(WSGIController)

/** Gives a controller the state of a new request. */
export function beginCall(controller: WSGIController, environ: Environ, start_response: StartResponse): CallState {
  const state = new CallState(controller, environ, start_response)
  controller[STATE] = state
  return state
}
