import { HTTPException, HTTPMethodNotAllowed, HTTPNotFound } from '../../http/exceptions.ts'
import { Response } from '../../http/response.ts'
import { errorText, isDisconnect } from '../../wsgi/errors.ts'
import type { Body, Environ, StartResponse } from '../../wsgi/types.ts'
import { defineFrameworkClass, isPrivate } from '../actions.ts'
import { planOf } from '../plan.ts'
import { readCall } from '../rpc/call-body.ts'
import { sendCompressed } from '../rpc/compression.ts'
import { refuseCrossSite } from '../rpc/cross-site.ts'
import { WSGIController } from '../wsgi-controller.ts'
import { JSONRPCError, JSONRPCErrorCode } from './error.ts'
import { idOf, parseMessage, type RPCRequest, type RPCResponse, readRequest } from './message.ts'
import { proceduresOf } from './methods.ts'
import { argumentsOf } from './params.ts'

/**
 * The base class of JSON-RPC 2.0 services: each public method of the application's class is a procedure of that very
 * name.
 *
 * Parameters come by position, or by name as the method names them (or the members of its one destructured parameter);
 * what does not fit is refused before anything runs. `__before__` and `__after__` run round each call and may ask for
 * `action` (the method's name) and `params`. A `JSONRPCError`, thrown or returned, is an error; `abort` and `redirect`
 * stay HTTP, but within a batch become the error -32000; any other error is logged and becomes -32603, which tells
 * nothing outside of debug mode. Notifications are run and never answered; batches are answered in order.
 *
 * Over HTTP: calls are POSTed; 411 without a body, 413 over `max_body_length`, 415 for unknown content encodings, 403
 * for pages of other sites, 204 where there is nothing to answer.
 *
 * @example
 * ```ts
 * import { JSONRPCController } from 'propylon'
 *
 * export class MathController extends JSONRPCController {
 *   subtract(minuend: number, subtrahend: number) {
 *     return minuend - subtrahend
 *   }
 * }
 * ```
 */
export class JSONRPCController extends WSGIController {
  /** The length of a request in bytes, compressed or not, over which it is refused with 413. Default 4 MiB. */
  static max_body_length = 4_194_304

  /** How many calls a batch may hold. */
  static batchLimit = 500

  static override allow: readonly string[] = ['OPTIONS', 'POST']

  #request: RPCRequest | undefined

  override __call__(environ: Environ, start_response: StartResponse): Body | Promise<Body> {
    this._serve(environ)
    const { action } = this.request.routeParams
    if (typeof action === 'string' && isPrivate(action))
      return new HTTPNotFound().send(environ, start_response)
    if (environ.REQUEST_METHOD !== 'POST') {
      const headers = { Allow: this.#settings.allow.join(', ') }
      return new HTTPMethodNotAllowed(undefined, headers).send(environ, start_response)
    }
    return sendCompressed(environ, start_response, (start) => this.#respond(environ, start))
  }

  /** The arguments on offer to hooks: those of the route, and of the call `action` and `params`. */
  override _get_method_args(): Record<string, unknown> {
    const args = super._get_method_args()
    if (this.#request === undefined) return args
    return Object.assign(args, { action: this.#request.method, params: this.#request.params })
  }

  async #respond(environ: Environ, start_response: StartResponse): Promise<Body> {
    let response: Response
    try {
      response = await this.#answerTo(environ)
    } catch (error) {
      if (!(error instanceof HTTPException)) throw error
      response = error.toResponse(environ)
    }
    const sent = this._standingResponse()?.mergeInto(response) ?? response
    const session = this._openedSession()
    if (session !== undefined) this.app.saveSession(session, sent)
    return sent.send(environ, start_response)
  }

  async #answerTo(environ: Environ): Promise<Response> {
    refuseCrossSite(environ)
    const body = await readCall(this.request, this.#settings.max_body_length)
    let message: unknown
    try {
      message = parseMessage(body)
      this.#checkBatch(message)
    } catch (error) {
      return json(failure(null, this.#errorOf(error)))
    }
    if (!Array.isArray(message)) {
      const answer = await this.#answerOne(message, false)
      return answer === undefined ? new Response(null, { status: 204 }) : json(answer)
    }
    const answers: string[] = []
    for (const each of message) {
      const answer = await this.#answerOne(each, true)
      if (answer !== undefined) answers.push(answer)
    }
    return answers.length === 0 ? new Response(null, { status: 204 }) : json(`[${answers.join(',')}]`)
  }

  #checkBatch(message: unknown): void {
    if (!Array.isArray(message)) return
    const { batchLimit } = this.#settings
    if (message.length === 0 || message.length > batchLimit) {
      throw new JSONRPCError(
        JSONRPCErrorCode.invalidRequest,
        `Invalid Request: a batch holds 1 to ${batchLimit} calls, not ${message.length}`,
      )
    }
  }

  /** The answer to a request as JSON; undefined for a notification. */
  async #answerOne(message: unknown, inBatch: boolean): Promise<string | undefined> {
    this.#request = undefined
    let answered = true
    try {
      const request = readRequest(message)
      answered = request.id !== undefined
      const result = await this.#perform(request)
      if (result instanceof JSONRPCError) throw result
      return answered ? success(idOf(message), result) : undefined
    } catch (error) {
      if (isDisconnect(error)) throw error
      if (error instanceof HTTPException && answered && !inBatch) throw error
      const told = this.#errorOf(error)
      return answered ? this.#failure(idOf(message), told) : undefined
    }
  }

  #failure(id: RPCResponse['id'], error: JSONRPCError): string {
    try {
      return failure(id, error)
    } catch (unsendable) {
      // What the error would tell has no JSON form.
      return failure(id, this.#errorOf(unsendable))
    }
  }

  async #perform(request: RPCRequest): Promise<unknown> {
    const { method: name, params } = request
    const procedure = proceduresOf(this.#settings).get(name)
    if (procedure === undefined) {
      throw new JSONRPCError(JSONRPCErrorCode.methodNotFound, 'Method not found')
    }
    const plan = planOf(this.#settings)
    const args = argumentsOf(params, procedure.arity, () => plan.action(name))
    this.#request = request
    if (plan.before !== undefined) await this._inspect_call(plan.before)
    let result: unknown
    try {
      result = await procedure.method.apply(this, [...args])
    } catch (error) {
      const expected = error instanceof HTTPException || error instanceof JSONRPCError
      if (plan.after !== undefined) await this._inspect_call(plan.after, expected ? undefined : error)
      throw error
    }
    if (plan.after !== undefined) await this._inspect_call(plan.after)
    if (result instanceof HTTPException) throw result
    return result
  }

  #errorOf(error: unknown): JSONRPCError {
    if (error instanceof JSONRPCError) return error
    if (error instanceof HTTPException) return new JSONRPCError(JSONRPCErrorCode.httpError, error.message)
    const { app } = this
    const name = this.#request === undefined ? '' : ` (${JSON.stringify(this.#request.method)})`
    app.logger.error(`POST ${JSON.stringify(this.request.path)}${name}\n${errorText(error)}`)
    const data = app.debug ? String(error) : undefined
    return new JSONRPCError(JSONRPCErrorCode.internalError, 'Internal error', data, { cause: error })
  }

  get #settings(): typeof JSONRPCController {
    return this.constructor as typeof JSONRPCController
  }
}

defineFrameworkClass(JSONRPCController)

function success(id: RPCResponse['id'], result: unknown): string {
  const text = JSON.stringify(result ?? null)
  if (text === undefined) throw new TypeError(`a ${typeof result} has no JSON form`)
  return `{"jsonrpc":"2.0","result":${text},"id":${JSON.stringify(id)}}`
}

function failure(id: RPCResponse['id'], { code, message, data }: JSONRPCError): string {
  const response: RPCResponse = { jsonrpc: '2.0', error: { code, message, data }, id }
  return JSON.stringify(response)
}

function json(text: string): Response {
  return new Response(text, { contentType: 'application/json' })
}
