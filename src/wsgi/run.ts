/**
 * Running an application without a server.
 *
 * @module
 */

import { concatBytes, toBytes } from '../base/bytes.ts'
import { andThen } from '../base/promise.ts'
import { toApplication } from './application.ts'
import { createEnviron } from './environ.ts'
import type { ErrorReporting } from './error-reporting.ts'
import { Exchange } from './exchange.ts'
import { fieldPairs } from './response-head.ts'
import type { Chunk, Environ, HeaderPair, WSGIApplication, WSGICallable } from './types.ts'

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
  const { read, ...response } = await runUnread(toApplication(app), complete(environ))
  const bytes = async () => toBytes(await read())
  const text = async () => new TextDecoder().decode(await bytes())
  return { ...response, bytes, text }
}

/** A response whose body can be read as the application has given it. */
export interface UnreadResult extends Pick<RunResult, 'status' | 'headers' | 'body'> {
  /** Reads the rest of the body: as text if the application returned one text, otherwise as bytes. */
  read(): Chunk | Promise<Chunk>
}

/** Runs an application as {@link run} does. */
export function runUnread(app: WSGIApplication, environ: Environ): UnreadResult | Promise<UnreadResult> {
  const errors = new CollectedErrors()
  const exchange = new Exchange(environ, errors)
  return andThen(
    () => exchange.run(app),
    () => unread(exchange, errors),
    (error) => errors.fail(error),
  )
}

function unread(exchange: Exchange, errors: CollectedErrors): UnreadResult {
  const { code, reason, fields } = exchange.head
  const close = async () => {
    await exchange.close()
    errors.raise()
  }
  const body = { [Symbol.asyncIterator]: () => pull(exchange, errors), close }
  const read = () => {
    const { whole, closed } = exchange
    if (whole === undefined) return gathered(body)
    const end = () => {
      errors.raise()
      return closed ? '' : whole
    }
    const closing = exchange.close()
    return closing === undefined ? end() : closing.then(end)
  }
  return { status: `${code} ${reason}`, headers: fieldPairs(fields), body, read }
}

async function gathered(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return concatBytes(chunks)
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

  /** Throws the error given, with those that have been reported since. */
  fail(error: unknown): never {
    const errors = [error, ...this.#errors.splice(0)]
    if (errors.length === 1) throw error
    throw new AggregateError(errors, 'Multiple errors while producing the response.', { cause: error })
  }

  /** Throws the errors that have been reported since, if there are any. */
  raise(): void {
    if (this.#errors.length > 0) this.fail(this.#errors.shift())
  }
}

async function* pull(exchange: Exchange, errors: CollectedErrors): AsyncGenerator<Uint8Array, void, undefined> {
  let failure: { readonly error: unknown } | undefined
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
    failure = { error }
  } finally {
    await exchange.close()
    if (failure === undefined) errors.raise()
    else errors.fail(failure.error)
  }
}
