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
import type { Body, Chunk, Closeable, Environ, StartResponse, WSGIApplication } from '../../wsgi/types.ts'

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
    const accept = (body: Body): Body => (Array.isArray(body) ? body : new PagedBody(body, page, report))
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

/** A body that is replaced by the page of its error, if the error occurs before its first chunk. */
class PagedBody implements AsyncIterable<Chunk>, Closeable {
  readonly #page: SendPage
  readonly #report: (error: unknown) => void
  #source: BodySource
  #hasBegun = false
  #isClosed = false

  /** @throws TypeError - the body is not iterable. */
  constructor(body: Body, page: SendPage, report: (error: unknown) => void) {
    this.#source = new BodySource(body)
    this.#page = page
    this.#report = report
  }

  [Symbol.asyncIterator](): AsyncIterator<Chunk> {
    return { next: () => this.#next() }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#source.close(this.#report)
  }

  async #next(): Promise<IteratorResult<Chunk>> {
    let chunk: Chunk | undefined
    try {
      chunk = await this.#source.pull()
    } catch (error) {
      if (this.#hasBegun || this.#isClosed) throw error
      chunk = await this.#replace(error)
    }
    this.#hasBegun = true
    return chunk === undefined ? { done: true, value: undefined } : { done: false, value: chunk }
  }

  /** Returns the first chunk of the page. */
  async #replace(error: unknown): Promise<Chunk | undefined> {
    this.#hasBegun = true
    await this.#source.close(this.#report)
    const page = new BodySource(await this.#page(error))
    this.#source = page
    if (this.#isClosed) await this.close()
    return page.pull()
  }
}
