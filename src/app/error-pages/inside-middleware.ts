/**
 * Errors that become responses where they are thrown, so that the middleware of an application sees their status and
 * headers.
 *
 * @module
 */
import { andThen, isPromise } from '../../base/promise.ts'
import { isDisconnect, isInstance } from '../../base/thrown.ts'
import { HTTPException } from '../../http/http-exception.ts'
import { BodySource } from '../../wsgi/body.ts'
import type { ErrorReporting } from '../../wsgi/error-reporting.ts'
import type { Body, Chunk, Environ, StartResponse, WSGIApplication } from '../../wsgi/types.ts'

/** Sends the response of an exception that was thrown outside of a controller. */
export type SendException = (
  exception: HTTPException,
  environ: Environ,
  start_response: StartResponse,
) => Body | Promise<Body>

/** Returns an application that sends HTTP exceptions which are thrown before the body was returned. */
export function sendingExceptions(app: WSGIApplication, send: SendException): WSGIApplication {
  return (environ, start_response) =>
    andThen(
      () => app(environ, start_response),
      (body) => body,
      (error) => sendThrown(error, environ, start_response, send),
    )
}

/** Sends an HTTP exception in place of the application that threw it. Throws any other error again. */
export function sendThrown(
  error: unknown,
  environ: Environ,
  start_response: StartResponse,
  send: SendException,
): Body | Promise<Body> {
  if (!isInstance(error, HTTPException)) throw error
  // The application may have called start_response. PEP 3333 requires excInfo for a second call.
  const restart: StartResponse = (status, headers) => start_response(status, headers, error)
  return send(error, environ, restart)
}

/**
 * Returns an application that sends the page of an unexpected error itself, so that the middleware around it receives
 * the page as a response. As long as no chunk was sent, the page replaces a response that has begun: `start_response`
 * is called again, with the error as `excInfo`. Later errors and disconnects are thrown.
 *
 * @param reportingOf - returns the error handling of a request, or undefined for one whose errors are thrown.
 */
export function withErrorPages(
  app: WSGIApplication,
  reportingOf: (environ: Environ) => ErrorReporting | undefined,
): WSGIApplication {
  return (environ, start_response) => {
    const reporting = reportingOf(environ)
    if (reporting === undefined) return app(environ, start_response)
    let hasWritten = false
    const start: StartResponse = (...head) => {
      const write = start_response(...head)
      return (chunk) => {
        hasWritten = true
        write(chunk)
      }
    }
    const page: SendPage = (error) => {
      if (hasWritten || isDisconnect(error)) throw error
      const answer = reporting.handleError(error, environ)
      // A thrown null or undefined would not be an excInfo.
      const excInfo = error ?? new Error(`The application threw ${error}.`)
      const restart: StartResponse = (status, headers, other) => start_response(status, headers, other ?? excInfo)
      return isPromise(answer) ? answer.then((later) => later(environ, restart)) : answer(environ, restart)
    }
    const report = (error: unknown): void => reporting.reportError(error, environ)
    // The chunks of an array exist already, so that only other bodies can fail.
    const accept = (body: Body): Body => (Array.isArray(body) ? body : pagedBody(body, page, report))
    try {
      const body = app(environ, start)
      return isPromise(body) ? body.then(accept).catch(page) : accept(body)
    } catch (error) {
      return page(error)
    }
  }
}

/** Sends the page of an error. Throws the error if it is too late for a page or the client has disconnected. */
type SendPage = (error: unknown) => Body | Promise<Body>

/**
 * Returns a body that is replaced by the page of its error, if the error occurs before its first chunk.
 *
 * @throws TypeError - the body is not iterable.
 */
function pagedBody(body: Body, page: SendPage, report: (error: unknown) => void): Body {
  let source = new BodySource(body)
  let hasBegun = false
  let isClosed = false
  const close = async (): Promise<void> => {
    isClosed = true
    await source.close(report)
  }
  const next = async (): Promise<IteratorResult<Chunk>> => {
    let chunk: Chunk | undefined
    try {
      chunk = await source.pull()
    } catch (error) {
      if (hasBegun || isClosed) throw error
      hasBegun = true
      await source.close(report)
      source = new BodySource(await page(error))
      if (isClosed) await close()
      chunk = await source.pull()
    }
    hasBegun = true
    return chunk === undefined ? { done: true, value: undefined } : { done: false, value: chunk }
  }
  return { [Symbol.asyncIterator]: () => ({ next }), close }
}
