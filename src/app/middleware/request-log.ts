/**
 * The log of requests.
 *
 * @module
 */
import { printable } from '../../base/printable.ts'
import { andThen, isPromise, settle } from '../../base/promise.ts'
import { errorText, isDisconnect } from '../../base/thrown.ts'
import { onClose } from '../../wsgi/body.ts'
import { writeToConsole } from '../../wsgi/error-reporting.ts'
import { MALFORMED_KEY, malformedPath } from '../../wsgi/refusal.ts'
import { rawPathInfo, rawScriptName } from '../../wsgi/request-url.ts'
import { readStatus } from '../../wsgi/response-head.ts'
import type { Body, Environ, Middleware, StartResponse, WSGIApplication } from '../../wsgi/types.ts'
import { checkOptions, isFunction } from '../check-options.ts'

/** Options of {@link requestLog}. */
export interface RequestLogOptions {
  /**
   * Receives each line, with its line feed. It may return a promise. Its errors are written to the console. Default:
   * writes to the standard output.
   */
  readonly write?: (line: string) => unknown
}

/** The members of a line of {@link requestLog}, in this order. */
export interface RequestLogEntry {
  /** Time at which the request arrived, ISO 8601 in UTC. */
  readonly time: string
  /** The request's id, which the response has as X-Request-Id. */
  readonly id: string
  /** The method that the client sent. */
  readonly method: string
  /** The path from the root of the host, percent-encoded, without the query. */
  readonly path: string
  /** Status of the response. 499 if the connection ended before the response began. */
  readonly status: number
  /** Time until the response was complete or its client had disconnected, in milliseconds. */
  readonly ms: number
  /** Path of the route, such as `/users/{id}`. Null if the request was not routed. */
  readonly route: string | null
  readonly controller: string | null
  /** Name of the action; for a remote call the name of its method. */
  readonly action: string | null
  /** Address of the client. */
  readonly remote: string | null
}

/** Ids that clients and proxies may choose. Others could forge log lines or fill the log. */
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/** Status of a request whose client disconnected before the response began, as in nginx. */
const CLIENT_CLOSED_REQUEST = 499

/**
 * Logs each request as one line of JSON (see {@link RequestLogEntry}) when its response is complete or its client has
 * disconnected. Bodies, queries, cookies and all other header fields are not logged.
 *
 * Each request has an id: the `X-Request-Id` that it carries if that consists of 1 to 128 characters `A-Z a-z 0-9 . _
 * -`, otherwise a new UUID. The id is `environ['propylon.request_id']` and the `X-Request-Id` of the response.
 *
 * Place it first in the list of middleware, so that it sees what all others do.
 *
 * @throws TypeError - an option is unknown or has a wrong value.
 *
 * @example
 * ```ts
 * import { FrameworkApp, Mapper } from 'propylon'
 * import { requestLog } from 'propylon/middleware'
 *
 * export default new FrameworkApp({
 *   map: new Mapper(),
 *   controllers: {},
 *   middleware: [requestLog()],
 * })
 * ```
 */
export function requestLog(options: RequestLogOptions = {}): Middleware {
  checkOptions('requestLog()', options, { write: [isFunction, 'a function that receives each line'] })
  const { write = writeLine } = options
  return (app) => (environ, start_response) => logged(app, environ, start_response, write)
}

let isGuarded = false

/**
 * Writes to the standard output, or to the console of a runtime without one.
 *
 * When its reader has gone (`node app.js | head -1`), every write emits an `error` event (EPIPE), which ends the
 * process unless it has a listener. It cannot be reported anywhere else, so it is dropped.
 */
function writeLine(line: string): void {
  const output = typeof process === 'undefined' ? undefined : process.stdout
  if (typeof output?.on !== 'function') {
    console.log(line.trimEnd())
    return
  }
  if (!isGuarded) {
    isGuarded = true
    output.on('error', () => {})
  }
  output.write(line)
}

function logged(
  app: WSGIApplication,
  environ: Environ,
  start_response: StartResponse,
  write: (line: string) => unknown,
): Body | Promise<Body> {
  const time = new Date()
  const began = performance.now()
  const { HTTP_X_REQUEST_ID: sent, REQUEST_METHOD: method } = environ
  const id = sent !== undefined && REQUEST_ID.test(sent) ? sent : crypto.randomUUID()
  environ['propylon.request_id'] = id
  // The application changes the environ: mounts change the path, forms the method.
  const path =
    environ[MALFORMED_KEY] === undefined ? rawScriptName(environ) + rawPathInfo(environ) : malformedPath(environ)
  let status = 0
  let isLogged = false

  const log = (): void => {
    if (isLogged) return
    isLogged = true
    const { 'propylon.connection': connection, 'wsgiorg.routing_args': routing, REMOTE_ADDR } = environ
    const match = routing?.[1]
    // Null for a remote call of a method that does not exist.
    const { 'propylon.action': action = match?.action } = environ
    const isUnanswered = status === 0 || connection?.isAbandoned === true
    const entry: RequestLogEntry = {
      time: time.toISOString(),
      id,
      method,
      path,
      status: isUnanswered ? CLIENT_CLOSED_REQUEST : status,
      ms: Math.round((performance.now() - began) * 1000) / 1000,
      route: environ['propylon.route'] ?? null,
      controller: match?.controller ?? null,
      action: action ?? null,
      remote: REMOTE_ADDR || null,
    }
    const line = `${printable(JSON.stringify(entry))}\n`
    settle(
      () => write(line),
      (error) => writeToConsole(`${line}requestLog failed\n${errorText(error)}`),
    )
  }
  const start: StartResponse = (line, headers, excInfo) => {
    const others = headers.filter(([name]) => name.toLowerCase() !== 'x-request-id')
    const writeChunk = start_response(line, [...others, ['X-Request-Id', id]], excInfo)
    status = readStatus(line).code
    return writeChunk
  }
  const body = andThen(
    () => app(environ, start),
    (later) => onClose(later, log),
    (error) => {
      // The server answers the error outside of this middleware.
      status = isDisconnect(error) ? CLIENT_CLOSED_REQUEST : 500
      log()
      throw error
    },
  )
  // An action may go on, even for ever, when its client has left.
  if (isPromise(body)) environ['propylon.connection']?.onLost(log)
  return body
}
