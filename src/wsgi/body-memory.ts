/**
 * The memory that request bodies take, bounded for all requests of a server together.
 *
 * @module
 */
import { withCode } from '../base/error-code.ts'
import { isInstance, memberOf } from '../base/thrown.ts'

/** Seconds after which a client may try again (`Retry-After`). */
export const RETRY_AFTER = 1

/**
 * Thrown when a request body would take more memory than the server has for all of them. The response is 503.
 *
 * Raise `maxBufferedBytes` of `serve()`, lower the limits of bodies, or read them piece by piece: `request.parts()`,
 * `request.body`.
 *
 * @example
 * ```ts
 * import { BodyMemoryError, type WSGIApplication } from 'propylon/wsgi'
 *
 * const count: WSGIApplication = async (environ, start_response) => {
 *   try {
 *     const body = await environ['wsgi.input'].read()
 *     start_response('200 OK', [['Content-Type', 'text/plain']])
 *     return [`${body.length} bytes`]
 *   } catch (error) {
 *     if (!(error instanceof BodyMemoryError)) throw error
 *     start_response('503 Service Unavailable', [['Retry-After', '1']])
 *     return []
 *   }
 * }
 * ```
 */
export class BodyMemoryError extends Error {
  /** Identifies this error across copies of the package. */
  readonly code = 'BODY_MEMORY_EXHAUSTED'

  /** @param max - the bound, in bytes. */
  constructor(max: number) {
    const message =
      `The request bodies in memory would exceed ${max} bytes. Try again later, raise maxBufferedBytes, or read the ` +
      'body piece by piece.'
    super(withCode(message, 'BODY_MEMORY_EXHAUSTED'))
    this.name = 'BodyMemoryError'
  }
}

/** Returns true for a {@link BodyMemoryError}, also of another copy of the package. */
export function isBodyMemoryError(error: unknown): boolean {
  return isInstance(error, Error) && memberOf(error, 'code') === 'BODY_MEMORY_EXHAUSTED'
}

/** Counts the bytes of request bodies that are in memory. */
export class BodyMemory {
  readonly #max: number
  #held = 0

  /**
   * @param max - in bytes; Infinity for no bound.
   * @throws RangeError if it is negative or not a number.
   */
  constructor(max: number) {
    if (!(max >= 0)) {
      throw new RangeError(`maxBufferedBytes is ${max}. Pass a number of bytes from 0, or Infinity for no bound.`)
    }
    this.#max = max
  }

  /** @throws BodyMemoryError if there is no room; nothing is counted then. */
  take(bytes: number): void {
    if (this.#held + bytes > this.#max) throw new BodyMemoryError(this.#max)
    this.#held += bytes
  }

  release(bytes: number): void {
    this.#held -= bytes
  }
}
