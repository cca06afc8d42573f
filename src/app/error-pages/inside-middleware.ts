/**
 * Error pages that the middleware of an application sees: they are sent between it and the dispatcher.
 *
 * @module
 */
import { isPromise } from '../../base/promise.ts'
import { isDisconnect } from '../../base/thrown.ts'
import { setTransparent } from '../../wsgi/application.ts'
import { BodySource } from '../../wsgi/body.ts'
import type { ErrorReporting } from '../../wsgi/error-reporting.ts'
import type { Body, Chunk, Environ, StartResponse, WSGIApplication } from '../../wsgi/types.ts'

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
  const paged: WSGIApplication = (environ, start_response) => {
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
  setTransparent(paged, app)
  return paged
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
