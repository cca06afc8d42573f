/**
 * The base classes of exceptions that are responses.
 *
 * @module
 */

import { STATUS_REASONS } from '../wsgi/reason-phrase.ts'
import { readStatus, statusOf } from '../wsgi/response-head.ts'
import type { Body, Environ, StartResponse, WSGIApplication } from '../wsgi/types.ts'
import { describeLanguage, errorTexts, frameworkExplanation } from './error-texts.ts'
import { errorMediaTypeFor } from './formats.ts'
import { HeaderList, type HeadersLike } from './headers.ts'
import { represent } from './problems.ts'
import { Response } from './response.ts'

/** Options of an {@link HTTPException}. */
export interface HTTPExceptionOptions {
  /** Status line with the same code and another reason: `400 Bad Request -- no name given`. */
  statusLine?: string
  /** The original error. It is not sent to clients. */
  cause?: unknown
  /** Extension members of the problem document (RFC 9457 §3.2). May replace `type`, `title` and `instance`. */
  json?: Readonly<Record<string, unknown>>
}

/**
 * An error that ends a request with a response. An action may throw or return it. It is also a WSGI application.
 *
 * The body is HTML if the client accepts `text/html` by name, a problem document (RFC 9457) if it accepts a JSON type,
 * and plain text otherwise, unless the option `problems` of FrameworkApp says otherwise. Each contains the status
 * line. All text is escaped. `Vary: Accept` is set. The stack of an exception below 500 has no frames.
 *
 * @throws RangeError - the status is not within 300 to 599, or the status line has another code.
 *
 * @example
 * ```ts
 * import { HTTPException } from 'propylon'
 *
 * throw new HTTPException(419, 'The page expired.', { 'Retry-After': '0' })
 * ```
 */
export class HTTPException extends Error {
  override readonly name: string = 'HTTPException'
  /** The status code. */
  readonly status: number
  /** The status with its reason, for instance `404 Not Found`. */
  readonly statusLine: string
  /** The message for the client. */
  readonly detail: string | undefined
  /** The header fields of the response. Content-Type, Content-Length and Vary are added when it is sent. */
  readonly headers: HeaderList
  /** Extension members of the problem document. */
  readonly json: Readonly<Record<string, unknown>> | undefined

  constructor(status: number, detail?: string, headers?: HeadersLike, options: HTTPExceptionOptions = {}) {
    const { line, code } = statusOf(options.statusLine ?? status)
    if (!(status >= 300 && status <= 599)) {
      throw new RangeError(`An HTTP exception has a status from 300 to 599, not ${status}.`)
    }
    if (code !== status) throw new RangeError(`The status line ${line} does not begin with ${status}.`)
    const { cause } = options
    const { stackTraceLimit } = Error
    // A scanner causes many 404, and a stack costs twice as much as the rest of the response.
    if (status < 500) Reflect.set(Error, 'stackTraceLimit', 0)
    super(
      detail === undefined || detail === '' ? line : `${line}: ${detail}`,
      cause === undefined ? undefined : { cause },
    )
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit)
    this.status = status
    this.statusLine = line
    this.detail = detail === '' ? undefined : detail
    this.headers = new HeaderList(headers)
    this.json = options.json
  }

  /** The registered reason of the status, for instance `Not Found`, or else the reason in the status line. */
  get title(): string {
    return STATUS_REASONS.get(this.status) ?? readStatus(this.statusLine).reason
  }

  /** A sentence that explains the status; `''` for an unregistered one. */
  get explanation(): string {
    return ''
  }

  /** Returns a new response to the request of `environ`. */
  toResponse(environ: Environ): Response {
    const response = new Response(null, { status: this.statusLine, headers: this.headers })
    if (this.status === 304) return response
    const texts = errorTexts(this, environ)
    describeLanguage(texts, environ, response.headers)
    response.headers.addToken('Vary', 'Accept')
    const type = errorMediaTypeFor(environ)
    const document = {
      ...texts,
      // The status line of a problem document is the one that was sent.
      ...(type === 'application/problem+json' && { statusLine: this.statusLine }),
      status: this.status,
      location: this.headers.get('location'),
      json: this.json,
      nonce: environ['propylon.nonce'],
    }
    return represent(response, document, environ, type)
  }

  /** The exception as a WSGI application. */
  get wsgi(): WSGIApplication {
    return (environ, start_response) => this.send(environ, start_response)
  }

  /** Sends the response. Like {@link wsgi}, without creating a function. */
  send(environ: Environ, start_response: StartResponse): Body {
    return this.toResponse(environ).send(environ, start_response)
  }
}

/**
 * An exception whose class has the status. Applications may extend it or a subclass, with a `static status` and a
 * `static explanation` of their own.
 *
 * @example
 * ```ts
 * import { RegisteredException } from 'propylon'
 *
 * export class HTTPPageExpired extends RegisteredException {
 *   static override readonly status: number = 419
 *   static override readonly explanation: string = 'The page has expired.'
 * }
 * ```
 */
export class RegisteredException extends HTTPException {
  static readonly status: number = 500
  static readonly explanation: string = ''

  override readonly name: string
  readonly #explanation: string

  /**
   * @param detail - a message for the client.
   * @param headers - header fields of the response.
   */
  constructor(detail?: string, headers?: HeadersLike, options?: HTTPExceptionOptions) {
    super(new.target.status, detail, headers, options)
    this.name = new.target.name
    this.#explanation = new.target.explanation
  }

  override get explanation(): string {
    return this.#explanation
  }
}

/** Base class of 3xx responses. They have a `Location` header, which `redirect()` sets. */
export class HTTPRedirection extends RegisteredException {
  static override readonly status: number = 300
}

/**
 * Base class of 4xx and 5xx errors.
 *
 * @example
 * ```ts
 * import { HTTPError } from 'propylon'
 *
 * function isFailure(error: unknown): boolean {
 *   return error instanceof HTTPError
 * }
 * ```
 */
export class HTTPError extends RegisteredException {}

/** Base class of 4xx errors. The status defaults to 400. */
export class HTTPClientError extends HTTPError {
  static override readonly status: number = 400
  static override readonly explanation: string = frameworkExplanation('The request could not be understood.')
}

/** Base class of 5xx errors. The status defaults to 500. */
export class HTTPServerError extends HTTPError {
  static override readonly explanation: string = frameworkExplanation('An unexpected error occurred on the server.')
}
