/**
 * Running an application without a server.
 *
 * @module
 */

import { concatBytes, toBytes } from '../base/bytes.ts'
import { isPromise } from '../base/promise.ts'
import { toApplication } from './application.ts'
import { createEnviron } from './environ.ts'
import type { ErrorReporting } from './error-reporting.ts'
import { Exchange } from './exchange.ts'
import { headerPairs } from './response-head.ts'
import type { Environ, HeaderPair, WSGICallable } from './types.ts'

/** Response of an application. */
export interface RunResult {
  /** `NNN Reason`. */
  readonly status: string
  /** Headers in the order in which a server sends them, with Content-Length if the length is known. */
  readonly headers: HeaderPair[]
  /** Body, read while it is iterated. `close()`, or the end of the loop, closes it as a client that disconnects. */
  readonly body: AsyncIterable<Uint8Array> & { close(): Promise<void> }
  /** Reads the rest of the body as bytes. */
  bytes(): Promise<Uint8Array>
  /** Reads the rest of the body as text. */
  text(): Promise<string>
}

/**
 * Runs an application as a server does (PEP 3333): reads the body in chunks and calls `close()` once. Read the body to
 * its end or close it, so that the application releases its resources.
 *
 * @param environ - the environ. Variables that a server must provide and that are missing are added, as for `GET /`.
 * @throws the error of the application before its first chunk. Later errors are thrown by the body.
 * @example
 * ```ts
 * import { createEnviron, run, type WSGIApplication } from 'propylon/wsgi'
 *
 * const hello: WSGIApplication = (environ, start_response) => {
 *   start_response('200 OK', [['Content-Type', 'text/plain']])
 *   return ['Hello World']
 * }
 * const result = await run(hello, createEnviron({ url: '/' }))
 * console.log(result.status, await result.text()) // '200 OK', 'Hello World'
 * ```
 */
export async function run(app: WSGICallable, environ: Partial<Environ>): Promise<RunResult> {
  const errors = new CollectedErrors()
  const exchange = new Exchange(complete(environ), errors)
  try {
    await exchange.run(toApplication(app))
  } catch (error) {
    errors.raise(error)
  }
  return new Result(exchange, errors)
}

/** The variables that a server must provide, as for `GET /`. */
const REQUIRED = Object.entries(createEnviron()).filter(
  ([key]) => key !== 'HTTP_HOST' && key !== 'REMOTE_ADDR' && key !== 'REQUEST_URI',
)

/** Adds the variables that PEP 3333 requires and that are missing. */
function complete(environ: Partial<Environ>): Environ {
  for (const [key, value] of REQUIRED) if (!Object.hasOwn(environ, key)) environ[key] = value
  return environ as Environ
}

/** Keeps what a server would log, so that it can be thrown. */
class CollectedErrors implements ErrorReporting {
  readonly #errors: unknown[] = []

  handleError(error: unknown): never {
    throw error
  }

  reportError(error: unknown): void {
    this.#errors.push(error)
  }

  /** Throws the error given and those that have been reported since, if there are any. */
  raise(...thrown: unknown[]): void {
    const errors = [...thrown, ...this.#errors.splice(0)]
    if (errors.length > 1)
      throw new AggregateError(errors, 'Multiple errors while producing the response.', { cause: errors[0] })
    for (const error of errors) throw error
  }
}

class Result implements RunResult {
  readonly status: string
  readonly headers: HeaderPair[]
  readonly body: AsyncIterable<Uint8Array> & { close(): Promise<void> }
  readonly #exchange: Exchange
  readonly #errors: CollectedErrors

  constructor(exchange: Exchange, errors: CollectedErrors) {
    const { head } = exchange
    this.#exchange = exchange
    this.#errors = errors
    this.status = `${head.code} ${head.reason}`
    this.headers = headerPairs(head)
    const close = async () => {
      await exchange.close()
      errors.raise()
    }
    this.body = { [Symbol.asyncIterator]: () => pull(exchange, errors), close }
  }

  async bytes(): Promise<Uint8Array> {
    const { whole, closed } = this.#exchange
    if (whole !== undefined && !closed) {
      const closing = this.#exchange.close()
      if (isPromise(closing)) await closing
      this.#errors.raise()
      return toBytes(whole)
    }
    const chunks: Uint8Array[] = []
    for await (const chunk of this.body) chunks.push(chunk)
    return concatBytes(chunks)
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes())
  }
}

async function* pull(exchange: Exchange, errors: CollectedErrors): AsyncGenerator<Uint8Array, void, undefined> {
  const thrown: unknown[] = []
  try {
    if (exchange.whole !== undefined && !exchange.closed) {
      if (exchange.whole.length > 0) yield toBytes(exchange.whole)
      return
    }
    for (;;) {
      const chunk = await exchange.next()
      if (chunk === undefined) return
      yield toBytes(chunk)
    }
  } catch (error) {
    thrown.push(error)
  } finally {
    await exchange.close()
    errors.raise(...thrown)
  }
}
