/** Returns true if `value` is a promise or another thenable, which the caller has to await. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/**
 * Returns a promise for a thenable, whose `then` may return nothing and begins its query with each call. Any other
 * value is returned itself.
 */
export function promised(value: unknown): unknown {
  return isPromise(value) ? Promise.resolve(value) : value
}

/**
 * Runs a step whose errors can only be reported.
 *
 * @param report - receives the error that the step throws or rejects with.
 * @returns a promise if the step is asynchronous. It never rejects unless `report` throws.
 */
export function settle(step: () => unknown, report: (error: unknown) => void): Promise<void> | undefined {
  try {
    const result = step()
    // The `then` of an application's object may throw later, or return something else than a promise.
    return isPromise(result) ? Promise.resolve(result).then(() => undefined, report) : undefined
  } catch (error) {
    report(error)
    return undefined
  }
}

/** Calls `run` and passes its result to `next` or its error to `fail`, without a promise unless `run` returns one. */
export function andThen<Value, T>(
  run: () => Value | Promise<Value>,
  next: (value: Value) => T | Promise<T>,
  fail: (error: unknown) => T | Promise<T>,
): T | Promise<T> {
  let value: Value | Promise<Value>
  let isLater: boolean
  try {
    value = run()
    // Throws for a revoked Proxy.
    isLater = isPromise(value)
  } catch (error) {
    return fail(error)
  }
  // The `then` of a query builder may return nothing, so it is wrapped in a real promise.
  return isLater ? Promise.resolve(value).then(next, fail) : next(value as Value)
}
