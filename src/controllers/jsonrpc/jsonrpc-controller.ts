import { HTTPException } from '../../http/exceptions.ts'
import { errorSummary, isDisconnect, isInstance } from '../../wsgi/thrown.ts'
import type { Body, Environ, StartResponse } from '../../wsgi/types.ts'
import { runCall, stateOf } from '../lifecycle.ts'
import { defineFrameworkClass, metadataOf } from '../metadata.ts'
import { type Responder, useResponse } from '../responder.ts'
import { readCall } from '../rpc/call-body.ts'
import { MAX_METHOD_NAME } from '../rpc/method-name.ts'
import { serveService } from '../rpc/serve-service.ts'
import { allowedMethods, DEFAULT_ALLOW } from '../statics.ts'
import { beginCall, WSGIController } from '../wsgi-controller.ts'
import {
  BatchedCallProtocol,
  CallProtocol,
  type CheckedCall,
  failure,
  jsonResponse,
  noContent,
} from './call-protocol.ts'
import { JSONRPCError, JSONRPCErrorCode } from './error.ts'
import { type Id, idOf, isNotification, parseMessage, type RPCRequest, readRequest } from './message.ts'
import { proceduresOf } from './methods.ts'
import { argumentsOf } from './params.ts'

/**
 * Base class of JSON-RPC 2.0 services. Each public method of the application's class is a procedure of the same name.
 *
 * Parameters are passed by position, or by the names of the method's parameters. Parameters that do not fit are refused
 * before anything runs. `__before__` and `__after__` run around each call and can take the arguments `action` (the
 * method's name) and `params`.
 *
 * A method throws or returns a `JSONRPCError` to fail. `abort` and `redirect` are answered by HTTP, or by the error
 * -32000 within a batch. Other errors are logged and become the error -32603, which has details in debug mode, for trusted hosts.
 * Notifications are not answered. The calls of a batch run one after the other.
 *
 * Calls are sent by POST. Answers by HTTP: 411 without a body, 413 for a body over `max_body_length`, 415 for an unknown
 * content encoding, 204 if no call expects an answer.
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
  /** Maximum length of a request body in bytes, both compressed and decompressed. Defaults to 4 MiB. */
  static max_body_length = 4_194_304

  /** Maximum number of calls in a batch. */
  static batchLimit = 500

  static readonly [DEFAULT_ALLOW]: readonly string[] = ['OPTIONS', 'POST']

  override __call__(environ: Environ, start_response: StartResponse): Body | Promise<Body> {
    beginCall(this, environ, start_response)
    return serveService(this, {
      allow: allowedMethods(this.#settings),
      answerCall: () => this.#answerCall(),
      servePage: undefined,
    })
  }

  async #answerCall(): Promise<Responder> {
    try {
      const body = await readCall(this.request, this.#settings.max_body_length)
      let message: unknown
      try {
        message = parseMessage(body)
        this.#checkBatch(message)
      } catch (error) {
        return jsonResponse(this, failure(null, this.#errorOf(error)))
      }
      return Array.isArray(message) ? await this.#answerBatch(message) : await this.#answerSingle(message)
    } catch (error) {
      if (isInstance(error, HTTPException)) return useResponse(this, error)
      throw error
    }
  }

  async #answerSingle(message: unknown): Promise<Responder> {
    let request: RPCRequest | undefined
    try {
      request = readRequest(message)
      return await runCall(this, new CallProtocol(this.#lookUp(request)))
    } catch (error) {
      if (isDisconnect(error) || (isInstance(error, HTTPException) && !isNotification(request))) throw error
      const reported = this.#errorOf(error, request)
      return isNotification(request)
        ? noContent(this)
        : jsonResponse(this, this.#failure(idOf(message), reported))
    }
  }

  async #answerBatch(messages: readonly unknown[]): Promise<Responder> {
    const answers: string[] = []
    for (const message of messages) {
      let request: RPCRequest | undefined
      let answer: string | undefined
      try {
        request = readRequest(message)
        answer = await runCall(this, new BatchedCallProtocol(this.#lookUp(request)))
      } catch (error) {
        if (isDisconnect(error)) throw error
        const reported = this.#errorOf(error, request)
        if (!isNotification(request)) answer = this.#failure(idOf(message), reported)
      }
      if (answer !== undefined) answers.push(answer)
    }
    return answers.length === 0 ? noContent(this) : jsonResponse(this, `[${answers.join(',')}]`)
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

  #failure(id: Id, error: JSONRPCError): string {
    try {
      return failure(id, error)
    } catch (unsendable) {
      // The `data` of the error has no JSON form.
      return failure(id, this.#errorOf(unsendable))
    }
  }

  /**
   * Finds the method of a request and checks its parameters.
   *
   * @throws JSONRPCError - there is no such method, or the parameters do not fit.
   */
  #lookUp(request: RPCRequest): CheckedCall {
    const { method: name, params, id } = request
    stateOf(this).callArguments = { action: name, params }
    const procedure = name.length > MAX_METHOD_NAME ? undefined : proceduresOf(this.#settings).get(name)
    if (procedure === undefined) {
      throw new JSONRPCError(JSONRPCErrorCode.methodNotFound, 'Method not found')
    }
    const args = argumentsOf(params, procedure.arity, () => metadataOf(this.#settings).action(name))
    return { id, method: procedure.method, args }
  }

  /** Converts an error to a JSON-RPC error. Logs unexpected errors; their text is sent to trusted hosts in debug mode. */
  #errorOf(error: unknown, request?: RPCRequest): JSONRPCError {
    if (isInstance(error, JSONRPCError)) return error
    if (isInstance(error, HTTPException)) return new JSONRPCError(JSONRPCErrorCode.httpError, error.message)
    const { app } = this
    app.reportError(error, this.request.environ, request?.method)
    const data = app.showsErrors(this.request.environ) ? errorSummary(error) : undefined
    return new JSONRPCError(JSONRPCErrorCode.internalError, 'Internal error', data, { cause: error })
  }

  get #settings(): typeof JSONRPCController {
    return this.constructor as typeof JSONRPCController
  }
}

defineFrameworkClass(JSONRPCController)
