/** One request to a service, as its faces use it. */

import type { StandardSchemaV1 } from '@standard-schema/spec'
import { Batch } from '../../app/mcp/jsonrpc.ts'
import { requireLimit } from '../../base/limit.ts'
import { isPromise } from '../../base/promise.ts'
import { errorSummary, isDisconnect, isInstance } from '../../base/thrown.ts'
import { runCall } from '../../controllers/call.ts'
import { ACTION_KEY, type Controller, type Protocol, stateOf } from '../../controllers/call-state.ts'
import { type Responder, replaceResponse, respond, respondToError } from '../../controllers/represent.ts'
import { validateValue } from '../../http/converters/converter.ts'
import { errorMediaType } from '../../http/error-document.ts'
import { HTTPException } from '../../http/exceptions.ts'
import type { Response } from '../../http/response.ts'
import { HTTPLengthRequired } from '../../http/status-exceptions.ts'
import { ForbiddenCharacterError } from '../xmlrpc/errors.ts'
import { type CheckedCall, checkCall, type SentParameters } from './check-call.ts'
import { findProcedure, type Procedure, type Service, serviceOf } from './procedures.ts'
import {
  CallRefusal,
  type Failure,
  failureReturned,
  failureThrown,
  type HTTPAnswer,
  unknownProcedure,
} from './rpc-failure.ts'
import type { ServiceClass, ServiceController } from './service-controller.ts'

/** A request to an RPC controller. */
export class ServiceRequest {
  readonly controller: ServiceController
  /** The class of the controller, which has the settings of the service. */
  readonly settings: ServiceClass

  constructor(controller: ServiceController) {
    this.controller = controller
    this.settings = controller.constructor as ServiceClass
  }

  get service(): Service {
    return serviceOf(this.settings)
  }

  /**
   * Maximum number of calls in a batch.
   *
   * @throws RangeError - `batchLimit` is not a number, or below 0.
   */
  get batchLimit(): number {
    const { batchLimit, name } = this.settings
    requireLimit(`${name}.batchLimit`, batchLimit)
    return batchLimit
  }

  /**
   * Reads and decompresses the body of a call. It can be read again.
   *
   * @throws HTTPUnsupportedMediaType - the content encoding is neither gzip nor deflate.
   * @throws HTTPLengthRequired - the body is missing or empty.
   * @throws HTTPRequestEntityTooLarge - the body is longer than the limit, compressed or decompressed.
   * @throws HTTPBadRequest - the body is incomplete, or its compressed data is invalid.
   */
  async body(): Promise<Uint8Array> {
    const { request } = this.controller
    const isEmpty = request.contentLength === 0
    const body = isEmpty ? undefined : await request.bytes(this.settings.max_body_length)
    if (body === undefined || body.length === 0) {
      throw new HTTPLengthRequired('The request has no body: send a call.')
    }
    return body
  }

  /** Returns the procedure with a public name. */
  find(name: string): Procedure | undefined {
    const procedure = this.findWithSystem(name)
    return procedure !== undefined && this.service.procedures.has(procedure.name) ? procedure : undefined
  }

  /** Returns the procedure with a public name, or the system method: `system.listMethods`. */
  findWithSystem(name: string): Procedure | undefined {
    return findProcedure(this.controller, this.service, name)
  }

  /**
   * Checks a call, runs it with its hooks and writes its end.
   *
   * @param methodName - the name that the client sent.
   * @throws an error of a client that has disconnected, or of `dialect.failure`.
   */
  async call<T>(methodName: string, sent: SentParameters, dialect: Dialect<T>): Promise<T> {
    try {
      const procedure = dialect.find(methodName)
      if (procedure === undefined) throw unknownProcedure(methodName)
      const checked = checkCall(methodName, procedure, sent)
      const call = isPromise(checked) ? await checked : checked
      const state = stateOf(this.controller)
      state.callArguments = { action: procedure.name, methodName, params: sent.values }
      state.environ[ACTION_KEY] = procedure.name
      const answer = runCall(state, callProtocol(call, dialect))
      return isPromise(answer) ? await answer : answer
    } catch (error) {
      return dialect.failure(this.failureOf(error, methodName))
    }
  }

  /**
   * Answers the entries of a batch, one after the other. Other requests run in between. Afterwards the arguments of
   * hooks and the action in logs are restored.
   *
   * @param answer - answers an entry. Its answer counts in the {@link Batch}.
   * @throws RangeError - `batchBytes` is not a number, or below 0.
   */
  async batch<Entry, Answer>(
    entries: readonly Entry[],
    answer: (entry: Entry, batch: Batch) => Promise<Answer>,
  ): Promise<Answer[]> {
    const { batchBytes, name } = this.settings
    requireLimit(`${name}.batchBytes`, batchBytes)
    const state = stateOf(this.controller)
    const { callArguments, environ } = state
    const action = environ[ACTION_KEY] ?? null
    const answers = await new Batch(batchBytes, environ).run(entries, answer)
    state.callArguments = callArguments
    environ[ACTION_KEY] = action
    return answers
  }

  /**
   * Returns the failure of a call that threw `error`. Logs an unexpected error; its text is sent in debug mode to
   * trusted hosts only. The answer is 503 if the application says that a server cannot be used.
   *
   * @throws the error of a client that has disconnected.
   */
  failureOf(error: unknown, methodName?: string): Failure {
    if (isDisconnect(error)) throw error
    if (isInstance(error, CallRefusal)) return error.failure
    const failure = failureThrown(error)
    if (failure !== undefined) return failure
    const { app, request } = this.controller
    app.reportError(error, request.environ, methodName)
    if (app.showsErrors(request.environ)) return { kind: 'unexpected', detail: errorSummary(error) }
    const answer = app.unavailability(error)
    return answer === undefined ? { kind: 'unexpected', detail: unsendable(error) } : { kind: 'http', answer }
  }

  /** Writes text to the controller's own response. */
  write(text: string, contentType: string): Response {
    const { response } = this.controller
    response.body = text
    response.contentType = contentType
    return response
  }

  /** Answers with an HTTP response in place of a result. */
  respond(answer: HTTPAnswer): Responder {
    const state = stateOf(this.controller)
    return answer instanceof HTTPException ? respondToError(state, answer) : respond(state, answer)
  }

  /** Answers an exception by a problem document (RFC 9457), whatever the client accepts. */
  problem(exception: HTTPException): Response {
    const { controller } = this
    const { environ } = controller.request
    return replaceResponse(
      stateOf(controller),
      exception.toResponse({ ...environ, HTTP_ACCEPT: 'application/problem+json' }),
    )
  }

  /** Answers an exception as {@link problem} does. Throws it if the client prefers HTML. */
  refuse(exception: HTTPException): Response {
    if (errorMediaType(this.controller.request.environ.HTTP_ACCEPT) === 'text/html') throw exception
    return this.problem(exception)
  }
}

/** Returns the text for a result that XML cannot carry: the place in the result, which the caller knows anyway. */
function unsendable(error: unknown): string | undefined {
  const isResult = isInstance(error, ForbiddenCharacterError) && error.path.startsWith('result')
  return isResult ? `XML-RPC cannot send the result. ${error.message}` : undefined
}

/** The steps of a method that reports its progress, an async generator: the events that it yields, then its result. */
export type LongCall = AsyncGenerator<unknown, unknown, undefined>

/**
 * The part of a face that differs by protocol: finding procedures, and writing results and failures as answers of
 * type `T`.
 */
export interface Dialect<T> {
  /** Returns the procedure for a name that a client sent, which may be of any length. */
  find(name: string): Procedure | undefined
  /** Writes the result. An error that it throws is an unexpected error of the call. */
  result(value: unknown, call: CheckedCall): T
  /**
   * Writes the events and the result of a method that reports its progress, after its hooks have run. Undefined if
   * the client is not to see the events. Left out by protocols that have none.
   */
  stream?(steps: LongCall, call: CheckedCall): T | undefined
  /** Writes the failure of a call in place of its result. */
  failure(failure: Failure): T
}

/** Returns the protocol of a call whose answer a face writes. */
function callProtocol<T>(call: CheckedCall, dialect: Dialect<T>): Protocol<T> {
  /** Returns the answer with the events of a method, or runs it to its end if the client is not to see them. */
  const long = (controller: Controller, steps: LongCall) => {
    const answer = dialect.stream?.(steps, call)
    return answer === undefined ? resultOf(steps, controller.request.signal) : new Streamed(answer)
  }
  return {
    run({ controller }) {
      const { procedure, args, returns } = call
      const result: unknown = procedure.method.apply(controller, [...args])
      const schema = typeof returns === 'string' ? undefined : returns
      if (isLongCall(result)) return long(controller, schema === undefined ? result : convertedLast(result, schema))
      return schema === undefined ? result : converted(result, schema)
    },
    answer(_state, result) {
      if (result instanceof Streamed) return result.answer
      const failure = failureReturned(result)
      return failure === undefined ? dialect.result(result, call) : dialect.failure(failure)
    },
    answerError(_state, error) {
      const failure = failureThrown(error)
      if (failure === undefined) throw error
      return dialect.failure(failure)
    },
  }
}

/** An answer whose method still runs. */
class Streamed<T> {
  readonly answer: T

  constructor(answer: T) {
    this.answer = answer
  }
}

async function* convertedLast(steps: LongCall, schema: StandardSchemaV1): LongCall {
  return converted(yield* steps, schema)
}

/**
 * Converts a result by the schema that its signature declares.
 *
 * @throws TypeError - the schema refuses it, which is an error of the method.
 */
async function converted(returned: unknown, schema: StandardSchemaV1): Promise<unknown> {
  const result: unknown = await returned
  if (failureReturned(result) !== undefined) return result
  const { issues, ...success } = await validateValue(schema, result)
  if (issues === undefined) return 'value' in success ? success.value : undefined
  const texts = issues.map(({ message }) => message).join('; ')
  throw new TypeError(`The result does not conform to its schema: ${texts}`)
}

function isLongCall(returned: unknown): returned is LongCall {
  return Object.prototype.toString.call(returned) === '[object AsyncGenerator]'
}

/**
 * Runs a method to its end, for clients that do not see its events.
 *
 * @throws the reason of `signal`, which ends the method at its next event.
 */
async function resultOf(call: LongCall, signal: AbortSignal): Promise<unknown> {
  let next = await call.next()
  while (next.done !== true) {
    if (signal.aborted) {
      await call.return(undefined)
      signal.throwIfAborted()
    }
    next = await call.next()
  }
  return next.value
}
