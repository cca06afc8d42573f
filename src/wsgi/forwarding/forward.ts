/** Forwards requests to another server: the part that the ways to send them share. */
import { describeValue } from '../../base/describe.ts'
import { errorMessage, isDisconnect } from '../../base/thrown.ts'
import { toApplication } from '../application.ts'
import { cancellationOf } from '../cancellation.ts'
import { rawPathInfo } from '../request-url.ts'
import { statusLine } from '../response-head.ts'
import type { Body, Environ, HeaderPair, StartResponse, WSGIApplication, WSGICallable } from '../types.ts'
import { forwardedFields, hasReturned } from './fields.ts'
import { type ForwardedBody, forwardedBody } from './forwarded-body.ts'
import { targetOf, type Upstream, upstreamAt } from './upstream.ts'

/** Options of `forwardTo`. */
export interface ForwardOptions {
  /**
   * Time for which the other server may do nothing until the head of its response has arrived, in milliseconds: neither accept the
   * connection, nor take bytes of the request, nor respond. The response is 504 then. Its body may take any time. Default 30,000.
   */
  readonly timeout?: number
}

/** A request for another server. */
export interface ForwardedRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly fields: HeaderPair[]
  readonly body: ForwardedBody | undefined
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  readonly timeout: number
  readonly environ: Environ
}

/** The response of another server. */
export interface ForwardedResponse {
  /** `NNN Reason`. */
  readonly status: string
  readonly fields: HeaderPair[]
  readonly body: Body
}

/** Sends a request. Rejects with {@link UpstreamTimeout} after the time-out, and with any other error if the server cannot be used. */
export type Send = (upstream: Upstream, request: ForwardedRequest) => Promise<ForwardedResponse>

/** The other server did nothing for the time of the option `timeout`. */
export class UpstreamTimeout extends Error {}

/** The other server has not proved that it understands a body without Content-Length. */
export class LengthRequired extends Error {}

/** Returns the application for `forwardTo`. */
export function forwarding(
  target: string | URL | WSGICallable,
  { timeout = 30_000 }: ForwardOptions,
  send: Send,
): WSGIApplication {
  if (!Number.isInteger(timeout) || timeout < 1 || timeout > 2 ** 31 - 1) {
    throw new RangeError(
      `forwardTo() received the timeout ${describeValue(timeout)}. Give it milliseconds, from 1.`,
    )
  }
  const isUrl = typeof target === 'string' || target instanceof URL
  return isUrl ? proxyOf(upstreamAt(target), timeout, send) : toApplication(target)
}

function proxyOf(upstream: Upstream, timeout: number, send: Send): WSGIApplication {
  return async (environ, start_response) => {
    if (hasReturned(upstream, environ)) {
      return refuse(508, `${upstream.origin} forwards its requests to itself`, environ, start_response)
    }
    const { signal } = cancellationOf(environ)
    const body = await forwardedBody(environ)
    const request = {
      method: environ.REQUEST_METHOD,
      target: targetOf(upstream, environ),
      fields: forwardedFields(upstream, environ),
      body,
      signal,
      timeout,
      environ,
    }
    let response: ForwardedResponse | undefined
    try {
      response = await send(upstream, request)
      start_response(response.status, response.fields)
      return response.body
    } catch (error) {
      await response?.body.close?.()
      // The client has left, or requestTimeout has passed.
      if (signal.aborted || isDisconnect(error)) throw error
      if (error instanceof LengthRequired) return refuse(411, undefined, environ, start_response)
      const status = error instanceof UpstreamTimeout ? 504 : 502
      return refuse(status, `${upstream.origin}: ${errorMessage(error)}`, environ, start_response)
    }
  }
}

/** Answers in place of the other server. */
function refuse(
  code: number,
  reason: string | undefined,
  environ: Environ,
  start_response: StartResponse,
): Body {
  const status = statusLine(code)
  if (reason !== undefined) {
    environ['wsgi.errors'].write(
      `forwardTo: ${environ.REQUEST_METHOD} ${rawPathInfo(environ)}: ${status}: ${reason}\n`,
    )
  }
  start_response(status, [['Content-Type', 'text/plain; charset=utf-8']])
  return [`${status}\n`]
}
