/**
 * The error that is a response.
 *
 * @module
 */

import { parseStatus, STATUS_REASONS, statusLine } from '../wsgi/status.ts'
import type { Body, Environ, StartResponse, WSGIApplication } from '../wsgi/types.ts'
import {
  type ErrorDocument,
  errorMediaType,
  renderHtml,
  renderProblem,
  renderText,
} from './error-document.ts'
import { HeaderList, type HeadersLike } from './headers.ts'
import { Response } from './response.ts'

/** What else an {@link HTTPException} may be given. */
export interface HTTPExceptionOptions {
  /** The status line in place of the registered one, with the same code: `400 Bad Request -- no name given`. */
  statusLine?: string
  /** The error behind this one. Clients never see it. */
  cause?: unknown
  /** A remark that stands in the HTML page as a comment. */
  comment?: string
  /** Members of the JSON form beside the registered ones (RFC 9457 §3.2); `type`, `title` and `instance` may be among them. */
  json?: Readonly<Record<string, unknown>>
}

/**
 * An error that ends a request with a response of its own. Throw it or return it: it is a WSGI application too.
 *
 * The body is HTML when the client accepts `text/html` by name, a problem document (RFC 9457) when it accepts a JSON
 * type, plain text otherwise. All three hold the status line; all text is escaped. `Vary: Accept` is set.
 *
 * @throws RangeError from the constructor when the status is not in 300 to 599, or the status line has another code.
 *
 * @example
 * ```ts
 * import { HTTPException } from 'propylon'
 *
 * throw new HTTPException(419, 'The page lay open for too long.', { 'Retry-After': '0' })
 * ```
 */
export class HTTPException extends Error {
  override readonly name: string = 'HTTPException'
  /** The status code. */
  readonly status: number
  /** The status with its reason, for instance `404 Not Found`. */
  readonly statusLine: string
  /** What went wrong this time, for the client to read. */
  readonly detail: string | undefined
  /** The header fields of the response; Content-Type, Content-Length and Vary are added when it is sent. */
  readonly headers: HeaderList
  /** A remark for the HTML page. */
  readonly comment: string | undefined
  /** Extension members of the JSON form. */
  readonly json: Readonly<Record<string, unknown>> | undefined

  constructor(status: number, detail?: string, headers?: HeadersLike, options: HTTPExceptionOptions = {}) {
    const line = statusLine(options.statusLine ?? status)
    if (!(status >= 300 && status <= 599)) {
      throw new RangeError(`an HTTP exception has a status from 300 to 599, not ${status}`)
    }
    if (parseStatus(line)[0] !== status)
      throw new RangeError(`the status line ${line} is not one of ${status}`)
    super(detail === undefined || detail === '' ? line : `${line}: ${detail}`, errorOptions(options))
    this.status = status
    this.statusLine = line
    this.detail = detail === '' ? undefined : detail
    this.headers = new HeaderList(headers)
    this.comment = options.comment
    this.json = options.json
  }

  /** The registered reason of the status, for instance `Not Found`; else the reason in the status line. */
  get title(): string {
    return STATUS_REASONS.get(this.status) ?? parseStatus(this.statusLine)[1]
  }

  /** What the status means, in one sentence; empty where nothing is known of it. */
  get explanation(): string {
    return ''
  }

  /** The response that this request gets, new each time. */
  toResponse(environ: Environ): Response {
    const response = new Response(null, { status: this.statusLine, headers: this.headers })
    if (this.status === 304) return response
    const document: ErrorDocument = {
      status: this.status,
      statusLine: this.statusLine,
      title: this.title,
      explanation: this.explanation,
      detail: this.detail,
      comment: this.comment,
      location: this.headers.get('location'),
      json: this.json,
    }
    const accept = environ.HTTP_ACCEPT
    const type = errorMediaType(typeof accept === 'string' ? accept : undefined)
    response.headers.addToken('Vary', 'Accept')
    if (type === 'text/html') {
      response.body = renderHtml(document)
      response.contentType = 'text/html; charset=utf-8'
    } else if (type === 'application/problem+json') {
      response.body = renderProblem(document)
      response.contentType = type
    } else {
      response.body = renderText(document)
      response.contentType = 'text/plain; charset=utf-8'
    }
    return response
  }

  /** This exception as a WSGI application, a function that can be passed on. */
  get wsgi(): WSGIApplication {
    return (environ, start_response) => this.send(environ, start_response)
  }

  /** What {@link wsgi} does, without making a function. */
  send(environ: Environ, start_response: StartResponse): Body {
    return this.toResponse(environ).send(environ, start_response)
  }
}

function errorOptions(options: HTTPExceptionOptions): ErrorOptions | undefined {
  return 'cause' in options ? { cause: options.cause } : undefined
}

/** The settings of one registered status, as its class states them. */
interface RegisteredStatus {
  readonly status: number
  readonly explanation: string
}

/**
 * An exception whose class knows its status. Application classes extend it, or one of its subclasses, and state
 * `static status` and `static explanation`.
 */
export class RegisteredException extends HTTPException {
  static readonly status: number = 500
  static readonly explanation: string = ''

  override readonly name: string
  readonly #registered: RegisteredStatus

  /**
   * @param detail - what went wrong this time, for the client to read.
   * @param headers - header fields of the response.
   */
  constructor(detail?: string, headers?: HeadersLike, options?: HTTPExceptionOptions) {
    super(new.target.status, detail, headers, options)
    this.name = new.target.name
    this.#registered = new.target
  }

  override get explanation(): string {
    return this.#registered.explanation
  }
}

/** A 3xx: the client finds what it wants elsewhere. `Location` is among the headers; {@link redirect} sets it. */
export class HTTPRedirection extends RegisteredException {
  static override readonly status: number = 300
}

/** A 4xx or 5xx. */
export class HTTPError extends RegisteredException {}

/** A 4xx: the request cannot be served as it is. Of itself a 400. */
export class HTTPClientError extends HTTPError {
  static override readonly status: number = 400
  static override readonly explanation: string = 'The request could not be understood.'
}

/** A 5xx: the server failed. Of itself a 500. */
export class HTTPServerError extends HTTPError {
  static override readonly explanation: string = 'The server met an error and could not finish the request.'
}
