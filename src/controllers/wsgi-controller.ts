import { HTTPException, HTTPNotFound } from '../http/exceptions.ts'
import { negotiateFormat } from '../http/formats.ts'
import { Response, sendResponse } from '../http/response.ts'
import type { Body, Environ, StartResponse, WSGIApplication } from '../wsgi/types.ts'
import { type ControllerClass, defineFrameworkClass, isPrivate } from './actions.ts'
import { FORMATS_KEY } from './application.ts'
import { type Invocation, invoke, type Offer } from './arguments.ts'
import { ActionNotFound, UnusableResultError } from './errors.ts'
import { addingHeadersOf } from './merge.ts'
import { type ControllerPlan, planOf } from './plan.ts'
import { RequestScope } from './request-scope.ts'
import { type Answer, startedBody, toAnswer } from './result.ts'

type Sent = Body | Promise<Body>

/**
 * The base class of application controllers: a new instance serves each request.
 *
 * The request's way: `__before__`, the action that the match names, `__after__`; each takes the arguments it names out
 * of the match (and `environ`, `start_response`). `__after__` runs however the action ended, also by a redirect or an
 * unexpected error (which it may ask for as `error`), but not when `__before__` ended the request. An action is a
 * method written in the application's own classes; a leading underscore keeps it from URLs.
 *
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
export class WSGIController extends RequestScope {
  /** States parameter names for builds that rename them: `static args = { show: ['id', 'format'] }`. */
  static args?: Readonly<Record<string, readonly string[]>>

  /** The methods that this controller answers, with OPTIONS; any other gets 405. All of them when absent. */
  static allow?: readonly string[]

  #start_response: StartResponse | undefined
  #plan: ControllerPlan | undefined
  /** Whether the action has called `start_response` itself, so that its result is the body. */
  #started = false

  /**
   * Serves a request: the controller as a WSGI application. A base class of an application may override it to wrap
   * every request of its controllers.
   */
  __call__(environ: Environ, start_response: StartResponse): Sent {
    this._serve(environ)
    this.#start_response = start_response
    if (isPrivate(this.#actionName())) return this.#send(new HTTPNotFound())
    const { before } = this.#planned()
    if (before === undefined) return this.#act()
    let result: unknown
    try {
      result = this._inspect_call(before)
    } catch (error) {
      return this.#end(error)
    }
    if (!isPromise(result)) return this.#act()
    return settled(result).then(
      () => this.#act(),
      (error: unknown) => this.#end(error),
    )
  }

  /**
   * The arguments on offer to actions and hooks, by name: the match, `environ` and `start_response`. Override it to
   * add to them or to replace them.
   */
  _get_method_args(): Record<string, unknown> {
    const args: Offer = Object.assign(Object.create(null), this.#match())
    args.environ = this._served()
    args.start_response = this.#startForAction()
    return args
  }

  /** Finds the action that the match names and calls it. Controllers that speak another protocol override it. */
  protected _dispatch_call(): unknown {
    const plan = this.#planned()
    const action = this.#actionName()
    const invocation = plan.action(action)
    if (invocation !== undefined) {
      if (invocation.takesFormat) this.#negotiateFormat()
      return this._inspect_call(invocation)
    }
    if (this.app.debug) throw new ActionNotFound(plan.name, action, plan.actionNames)
    throw new HTTPNotFound()
  }

  /** Calls a method of this controller with the arguments it takes by name. For decorators. */
  _inspect_call(invocation: Invocation, error?: unknown): unknown {
    const overridden = this._get_method_args !== WSGIController.prototype._get_method_args
    if (invocation.fromMatchAlone && !overridden) return invoke(invocation, this, this.#match())
    const args: unknown = this._get_method_args()
    if (typeof args !== 'object' || args === null) {
      throw new TypeError(`${this.#class().name}._get_method_args must return an object of arguments by name`)
    }
    const offer: Offer = Object.assign(Object.create(null), args)
    if (error !== undefined) offer.error = error
    return invoke(invocation, this, offer)
  }

  /** Makes the answer out of what the action returned. For decorators. */
  _answer(result: unknown): Answer {
    const answer = toAnswer(result, this._standingResponse())
    if (answer !== undefined) return answer
    throw new UnusableResultError(`${this.#class().name}.${this.#actionName()}`, result)
  }

  /** The path's suffix decides, which is in the match already; else the query; else Accept. */
  #negotiateFormat(): void {
    const formats = this._served()[FORMATS_KEY]
    if (!Array.isArray(formats)) return
    const negotiated = negotiateFormat(this.request, formats)
    this.response.headers.addToken('Vary', 'Accept')
    if (negotiated !== undefined) this.#match().format = negotiated
  }

  #act(): Sent {
    let result: unknown
    try {
      result = this._dispatch_call()
    } catch (error) {
      return this.#fail(error)
    }
    if (!isPromise(result)) return this.#succeed(result)
    return settled(result).then(
      (value: unknown) => this.#succeed(value),
      (error: unknown) => this.#fail(error),
    )
  }

  #succeed(result: unknown): Sent {
    let answer: Answer
    try {
      answer = this.#started ? this.#alreadyStarted(result) : this._answer(result)
    } catch (error) {
      return this.#fail(error)
    }
    return this.#conclude(answer)
  }

  /** An HTTP exception is an answer; any other error goes on once `__after__` has seen it. */
  #fail(error: unknown): Sent {
    if (error instanceof HTTPException) {
      this.#takeBack(error)
      return this.#conclude(error)
    }
    const { after } = this.#planned()
    if (after === undefined) throw error
    let result: unknown
    try {
      result = this._inspect_call(after, error)
    } catch (second) {
      return this.#failTwice(error, second)
    }
    if (!isPromise(result)) throw error
    return settled(result).then(
      () => Promise.reject(error),
      (second: unknown) => this.#failTwice(error, second),
    )
  }

  #failTwice(error: unknown, second: unknown): never {
    this.app.logger.error(`__after__ failed too: ${second instanceof Error ? second.stack : String(second)}`)
    throw error
  }

  #conclude(answer: Answer): Sent {
    const { after } = this.#planned()
    if (after === undefined) return this.#send(answer)
    const response = this.#responseOf(answer)
    if (response !== undefined) this.response = response
    let result: unknown
    try {
      result = this._inspect_call(after)
    } catch (error) {
      return this.#end(error)
    }
    const send = (): Sent => this.#send(response === undefined ? answer : this.response)
    return isPromise(result) ? settled(result).then(send, (error: unknown) => this.#end(error)) : send()
  }

  /** Ends the request for a hook that threw: with the HTTP exception, else by letting the error go on. */
  #end(error: unknown): Sent {
    if (!(error instanceof HTTPException)) throw error
    this.#takeBack(error)
    return this.#send(error)
  }

  /** What the action has begun by calling `start_response` itself gives way to the exception (PEP 3333: exc_info). */
  #takeBack(error: HTTPException): void {
    if (!this.#started) return
    const start = this.#start_response as StartResponse
    this.#start_response = (status, headers) => start(status, headers, error)
  }

  #send(answer: Answer): Sent {
    const session = this._openedSession()
    const response = this.#responseOf(answer)
    if (response === undefined) {
      if (session !== undefined) this.app.saveSession(session, this.response)
      return (answer as WSGIApplication)(this._served(), this.#start())
    }
    if (session !== undefined) this.app.saveSession(session, response)
    return sendResponse(response, this._served(), this.#start_response as StartResponse)
  }

  /** The answer as a response, with what `this.response` holds put under it; undefined for an application. */
  #responseOf(answer: Answer): Response | undefined {
    if (typeof answer === 'function') return undefined
    const response = answer instanceof Response ? answer : this.app.exceptionResponse(answer, this._served())
    return this._standingResponse()?.mergeInto(response) ?? response
  }

  #alreadyStarted(result: unknown): WSGIApplication {
    const body = startedBody(result)
    return () => body
  }

  /** A `start_response` under which this controller's cookies go out as well. */
  #start(): StartResponse {
    return addingHeadersOf(() => this._standingResponse(), this.#start_response as StartResponse)
  }

  /** The `start_response` that an action may call itself; it is noted, since then the result is the body. */
  #startForAction(): StartResponse {
    const start = this.#start()
    return (status, headers, excInfo) => {
      this.#started = true
      return start(status, headers, excInfo)
    }
  }

  #match(): Offer {
    return this._served()['wsgiorg.routing_args']?.[1] ?? noMatch
  }

  #actionName(): string {
    const { action } = this.#match()
    return typeof action === 'string' ? action : 'index'
  }

  #planned(): ControllerPlan {
    this.#plan ??= planOf(this.#class())
    return this.#plan
  }

  #class(): ControllerClass {
    return this.constructor as ControllerClass
  }
}

defineFrameworkClass(WSGIController)

const noMatch: Offer = Object.freeze(Object.create(null))

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/** The promise itself, or one for whatever else can be waited for, as query builders can: their `then` may return nothing. */
function settled<T>(promise: Promise<T>): Promise<T> {
  return Promise.resolve(promise)
}
