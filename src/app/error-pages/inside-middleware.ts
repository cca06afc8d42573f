/**
 * Error pages that the middleware of an application sees: they are sent between it and the dispatcher.
 *
 * @module
 */

import { isPromise } from '../../base/promise.ts'
import { isDisconnect } from '../../base/thrown.ts'
import { BodySource } from '../../wsgi/body-source.ts'
import type { ErrorReporting } from '../../wsgi/error-reporting.ts'
import { setTransparent } from '../../wsgi/transparent.ts'
import type {
  Body,
  Chunk,
  Closeable,
  Environ,
  StartResponse,
  Write,
  WSGIApplication,
} from '../../wsgi/types.ts'

/**
 * Returns an application that sends the page of an unexpected error itself, so that the middleware around it receives
 * the page as a response. As long as no chunk was sent, the page replaces a response that has begun: `start_response` is
 * called again, with the error as `excInfo`. Later errors and disconnects are thrown.
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
    return new PagedCall(reporting, environ, start_response).run(app)
  }
  setTransparent(paged, app)
  return paged
}

/** One call of an application whose errors become pages. */
class PagedCall {
  readonly #reporting: ErrorReporting
  readonly #environ: Environ
  readonly #start: StartResponse
  #hasWritten = false

  constructor(reporting: ErrorReporting, environ: Environ, start_response: StartResponse) {
    this.#reporting = reporting
    this.#environ = environ
    this.#start = start_response
  }

  run(app: WSGIApplication): Body | Promise<Body> {
    try {
      const body = app(this.#environ, (...head) => this.#begin(...head))
      if (!isPromise(body)) return this.#accept(body)
      return body.then((later) => this.#accept(later)).catch((error: unknown) => this.page(error))
    } catch (error) {
      return this.page(error)
    }
  }

  /** Sends the page of an error. Throws the error if it is too late for a page or the client has disconnected. */
  page(error: unknown): Body | Promise<Body> {
    if (this.#hasWritten || isDisconnect(error)) throw error
    const page = this.#reporting.handleError(error, this.#environ)
    // A thrown null or undefined would not be an excInfo.
    const excInfo = error ?? new Error(`The application threw ${error}.`)
    const restart: StartResponse = (status, headers, other) => this.#start(status, headers, other ?? excInfo)
    return isPromise(page)
      ? page.then((later) => later(this.#environ, restart))
      : page(this.#environ, restart)
  }

  report(error: unknown): void {
    this.#reporting.reportError(error, this.#environ)
  }

  #begin(...head: Parameters<StartResponse>): Write {
    const write = this.#start(...head)
    return (chunk) => {
      this.#hasWritten = true
      write(chunk)
    }
  }

  /** The chunks of an array exist already, so that only other bodies can fail. */
  #accept(body: Body): Body {
    return Array.isArray(body) ? body : new PagedBody(body, this)
  }
}

/** A body that is replaced by the page of its error, if the error occurs before its first chunk. */
class PagedBody implements AsyncIterable<Chunk>, Closeable {
  readonly #call: PagedCall
  #source: BodySource
  #hasBegun = false
  #isClosed = false

  /** @throws TypeError - the body is not iterable. */
  constructor(body: Body, call: PagedCall) {
    this.#source = new BodySource(body)
    this.#call = call
  }

  [Symbol.asyncIterator](): AsyncIterator<Chunk> {
    return { next: () => this.#next() }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#source.close((error) => this.#call.report(error))
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
    await this.#source.close((another) => this.#call.report(another))
    const page = new BodySource(await this.#call.page(error))
    this.#source = page
    if (this.#isClosed) await this.close()
    return page.pull()
  }
}
