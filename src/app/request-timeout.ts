/** The option `requestTimeout` of an application. */

import { isPromise } from '../base/promise.ts'
import { memberOf } from '../base/thrown.ts'
import type { Application } from '../controllers/application.ts'
import { HTTPServiceUnavailable } from '../http/exceptions.ts'
import { cancellationOf } from '../wsgi/cancellation.ts'
import { onClose } from '../wsgi/closing.ts'
import type { Body, Environ, StartResponse, WSGIApplication } from '../wsgi/types.ts'

type ErrorResponses = Pick<Application, 'exceptionResponse' | 'reportError'>

/** Longest time of a timer, in milliseconds. */
const MAX_MILLISECONDS = 2 ** 31 - 1

/**
 * Limits the time of requests: aborts `request.signal`, and sends 503 if the application has sent
 * nothing. A response that has begun goes on, unless the application ends it at the signal. Event streams have no limit.
 *
 * Responses that are complete when the application returns cost nothing: there is no timer for them.
 *
 * @throws RangeError - `milliseconds` is not positive, or too large for a timer.
 */
export function withTimeout(
  app: WSGIApplication,
  milliseconds: number,
  application: ErrorResponses,
): WSGIApplication {
  if (!(milliseconds > 0 && milliseconds <= MAX_MILLISECONDS)) {
    throw new RangeError(
      `FrameworkApp: requestTimeout is ${milliseconds}. Pass milliseconds from 1 to ${MAX_MILLISECONDS}, or omit it for no limit.`,
    )
  }
  return (environ, start_response) => {
    const timed = new TimedCall(environ, start_response, milliseconds, application)
    const body = app(environ, timed.start)
    if (isPromise(body)) return timed.wait(body)
    return timed.watch(body)
  }
}

class TimedCall {
  readonly #environ: Environ
  readonly #start_response: StartResponse
  readonly #milliseconds: number
  readonly #application: ErrorResponses
  #timer: ReturnType<typeof setTimeout> | undefined
  #hasWritten = false
  #isEventStream = false
  /** The reason of the signal, once the time has passed. */
  #timeout: DOMException | undefined
  /** Answers for the application that has not returned. */
  #giveUp: (() => void) | undefined

  constructor(
    environ: Environ,
    start_response: StartResponse,
    milliseconds: number,
    application: ErrorResponses,
  ) {
    this.#environ = environ
    this.#start_response = start_response
    this.#milliseconds = milliseconds
    this.#application = application
  }

  /** The start_response of the application. */
  readonly start: StartResponse = (status, headers, excInfo) => {
    if (this.#giveUp === undefined && this.#timeout !== undefined) throw this.#timeout
    this.#isEventStream = headers.some(
      ([name, value]) => /^content-type$/i.test(name) && /^text\/event-stream\b/i.test(value),
    )
    const write = this.#start_response(status, headers, excInfo)
    return (chunk) => {
      this.#hasWritten = true
      write(chunk)
    }
  }

  /** Waits for the application, at most until the time has passed. */
  wait(pending: Promise<Body>): Promise<Body> {
    this.#begin()
    return new Promise((resolve, reject) => {
      this.#giveUp = () => {
        const page = this.#application.exceptionResponse(new HTTPServiceUnavailable(), this.#environ)
        const replace: StartResponse = (status, headers) =>
          this.#start_response(status, headers, this.#timeout)
        resolve(page.send(this.#environ, replace))
      }
      pending.then(
        (body) => {
          if (this.#giveUp === undefined) return this.#discard(body)
          this.#giveUp = undefined
          resolve(this.watch(body))
        },
        (error: unknown) => {
          this.#end()
          if (this.#giveUp === undefined) return this.#report(error)
          this.#giveUp = undefined
          reject(error)
        },
      )
    })
  }

  /** Limits the time of a body that is not complete yet. */
  watch(body: Body): Body {
    if (Array.isArray(body) || this.#isEventStream) {
      this.#end()
      return body
    }
    this.#begin()
    return onClose(body, () => this.#end())
  }

  #begin(): void {
    if (this.#timer !== undefined || this.#timeout !== undefined) return
    this.#timer = setTimeout(() => this.#expire(), this.#milliseconds)
  }

  #end(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #expire(): void {
    if (this.#isEventStream && this.#giveUp === undefined) return
    const timeout = new DOMException(
      `The request took longer than ${this.#milliseconds} ms (requestTimeout).`,
      'TimeoutError',
    )
    this.#timeout = timeout
    this.#timer = undefined
    const giveUp = this.#hasWritten ? undefined : this.#giveUp
    if (giveUp !== undefined) {
      this.#giveUp = undefined
      giveUp()
    }
    cancellationOf(this.#environ).abort(timeout)
  }

  /** Closes a body that comes too late. */
  #discard(body: Body): void {
    const closing = async () => body.close?.()
    closing().catch((error: unknown) => this.#report(error))
  }

  #report(error: unknown): void {
    // Functions of Node reject with an AbortError that the reason of the signal has caused.
    if (error !== this.#timeout && memberOf(error, 'cause') !== this.#timeout)
      this.#application.reportError(error, this.#environ)
  }
}
