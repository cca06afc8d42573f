/** The state of a controller while it serves a request. */

import { isPromise } from '../base/promise.ts'
import { ENVIRON, Response } from '../http/response.ts'
import type { Session } from '../http/sessions/session.ts'
import type { RenderOptions } from '../http/templating/engine.ts'
import type { Chunk, Environ, HeaderPair, StartResponse } from '../wsgi/types.ts'
import type { Application, PageContext, TemplateContext } from './application.ts'
import type { ControllerClass } from './class-methods.ts'
import { NoRequestError } from './controller-errors.ts'
import { type ControllerDescription, describeController } from './describe.ts'
import type { MethodBinding, NamedArguments } from './method-binding.ts'

/**
 * Key in the environ for the action in logs and traces, if it is not the action of the match: the method of a remote
 * call, or null while it is not known.
 */
export const ACTION_KEY = 'propylon.action'

/** The property under which a controller holds its {@link CallState}. */
export const STATE: unique symbol = Symbol('propylon.state')

/** The method of a controller that runs its hooks and an action, which differ by protocol. */
export const RUN: unique symbol = Symbol('propylon.run')

/** One kind of call: how to run its action, and how to make an answer of type `T`. */
export interface Protocol<T> {
  /** Runs the action. */
  run(state: CallState): unknown
  /** Makes the answer from the action's result. */
  answer(state: CallState, result: unknown): T
  /** Makes the answer for an expected error, such as an HTTP exception. Throws any other error. */
  answerError(state: CallState, error: unknown): T
}

/** The members of a controller that the lifecycle uses. */
export interface Controller extends PageContext {
  [STATE]: CallState | undefined
  [RUN]<T>(protocol: Protocol<T>): T | Promise<T>
  readonly app: Application
  render(
    template: string,
    values?: Readonly<Record<string, unknown>>,
    options?: RenderOptions,
  ): string | Promise<string>
  _get_method_args(): NamedArguments | Promise<NamedArguments>
}

/** State of a controller while it serves a request. */
export class CallState {
  readonly controller: Controller
  /** The environ as applications see it. */
  readonly environ: Environ
  readonly description: ControllerDescription
  readonly match: NamedArguments
  /** Name of the action in the matched route. Defaults to `index`. */
  action: string
  /** The method of the action. Undefined if there is none, and for procedures. */
  method: MethodBinding | undefined = undefined
  start_response: StartResponse
  /** The controller's own response. Undefined until it is first accessed. */
  response: Response | undefined = undefined
  /** JSON of a result that the class declares: the body of the response, unless something has changed it since. */
  json: string | undefined = undefined
  /** The template context. Undefined until it is first accessed. */
  context: TemplateContext | undefined = undefined
  /** The session. Undefined until it is first accessed. */
  session: Session | undefined = undefined
  /** Arguments that the protocol offers in addition to the values of the match. */
  callArguments: NamedArguments | undefined = undefined
  /** Converted arguments of the methods with converters: the action and the hooks. */
  converted: ConvertedArguments | undefined = undefined
  /** The converted body by the `body()` that declares it. Undefined until it is read. */
  body: ConvertedBody | undefined = undefined
  /** Whether the Accept header has chosen between a redirect or a form for browsers and JSON for programs. */
  isForReader = false
  /** Set once the action has called `start_response` itself. Its result is the body then. */
  started: Started | undefined = undefined
  /** Whether the action has rendered a template. Its result is forgotten if it returns nothing and sets no body. */
  rendered = false
  /** Whether the action has returned nothing although it rendered a template. */
  forgot = false
  /** The generator that the action returned. It begins before the response is sent. */
  generator: GeneratorBody | undefined = undefined
  /** Callbacks of {@link whenFinished}; null once the response is finished. */
  finishing: FinishedCallback[] | null | undefined = undefined

  constructor(controller: Controller, environ: Environ, start_response: StartResponse) {
    this.controller = controller
    this.environ = environ
    this.start_response = start_response
    this.description = describeController(controller.constructor as ControllerClass)
    this.match = environ['wsgiorg.routing_args']?.[1] ?? NO_MATCH
    const { action } = this.match
    this.action = typeof action === 'string' ? action : 'index'
  }

  /** Returns the controller's own response, created on first use. */
  ownResponse(): Response {
    if (this.response === undefined) {
      this.response = new Response()
      this.response[ENVIRON] = this.environ
    }
    return this.response
  }

  /** Reads the action again, which `__before__` may change. */
  readAction(): void {
    const { action } = this.match
    const name = typeof action === 'string' ? action : 'index'
    if (name === this.action) return
    this.action = name
    this.method = this.description.action(this.action)
  }
}

/** The value that a `body()` made of the body of a request. */
export interface ConvertedBody {
  readonly declaration: object
  readonly value: unknown
}

/** Converted arguments of a method. */
interface ConvertedArguments {
  readonly method: MethodBinding
  readonly values: NamedArguments
  /** Those of the method whose arguments were converted before. */
  readonly earlier: ConvertedArguments | undefined
}

/** A call of `start_response` by an action. */
export interface Started {
  /** The head, if it is sent later, once the session is saved. */
  readonly head: DelayedHead | undefined
}

/** Arguments of a call of `start_response` that is made later. */
interface DelayedHead {
  readonly status: string
  readonly headers: HeaderPair[]
  readonly excInfo: unknown
  /** Chunks that were passed to the `write` callable. */
  readonly chunks: Chunk[]
}

/** A generator of the chunks of a body. */
export type GeneratorBody = Generator<Chunk, unknown> | AsyncGenerator<Chunk, unknown>

const NO_MATCH: NamedArguments = Object.freeze(Object.create(null))

/**
 * Returns the state of a controller.
 *
 * @throws NoRequestError - the controller is not serving a request.
 */
export function stateOf(controller: Controller): CallState {
  const state = controller[STATE]
  if (state === undefined) throw new NoRequestError(controller.constructor.name)
  return state
}

/**
 * Receives the finished response: `__after__` has run, headers are merged and the session is saved. Undefined if an
 * application sends the response or the request failed. The response is sent once the promise is settled.
 */
export type FinishedCallback = (response: Response | undefined) => void | Promise<void>

/** Registers a callback for the finished response. Calls it at once, with undefined, if the response is finished. */
export function whenFinished(controller: Controller, callback: FinishedCallback): void {
  const state = stateOf(controller)
  if (state.finishing === null) void callback(undefined)
  else if (state.finishing === undefined) state.finishing = [callback]
  else state.finishing.push(callback)
}

/** Calls the callbacks of {@link whenFinished}, once. Returns a promise only if one of them does. */
export function finish(state: CallState, response: Response | undefined): Promise<unknown> | undefined {
  const callbacks = state.finishing
  state.finishing = null
  if (callbacks === undefined || callbacks === null) return undefined
  const pending = callbacks.map((callback) => callback(response)).filter(isPromise)
  return pending.length === 0 ? undefined : Promise.all(pending)
}
