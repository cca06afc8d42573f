/** Steps of streamed bodies. */
import { isPromise } from '../../base/promise.ts'
import type { Body } from '../../wsgi/types.ts'

/** Calls a step of a body and returns its result. */
type Around = <Result>(step: () => Result) => Result

/**
 * Returns a body whose iterator runs by `around`, so that the stream of a request runs in the context of the request.
 *
 * @param report - receives the error of a step, which is thrown as well.
 */
export function aroundSteps(body: Body, around: Around, report: (error: unknown) => void): Body {
  if (typeof body !== 'object' || body === null) return body
  const close = { close: () => around(() => body.close?.()) }
  const run = <Result>(step: () => Result): Result => {
    try {
      const result = around(step)
      if (isPromise(result)) result.then(undefined, report)
      return result
    } catch (error) {
      report(error)
      throw error
    }
  }
  if (Symbol.asyncIterator in body) {
    return {
      [Symbol.asyncIterator]: () =>
        withSteps(
          run(() => body[Symbol.asyncIterator]()),
          run,
        ),
      ...close,
    }
  }
  if (Symbol.iterator in body) {
    return {
      [Symbol.iterator]: () =>
        withSteps(
          run(() => body[Symbol.iterator]()),
          run,
        ),
      ...close,
    }
  }
  // The server reports a value that is not a body.
  return body
}

/** The members of an iterator that a server uses. */
interface Steps<Next, Return> {
  next(): Next
  return?(): Return
}

function withSteps<Next, Return>(iterator: Steps<Next, Return>, run: Around): Steps<Next, Return> {
  const { return: end } = iterator
  const next = () => run(() => iterator.next())
  return end === undefined ? { next } : { next, return: () => run(() => end.call(iterator)) }
}
