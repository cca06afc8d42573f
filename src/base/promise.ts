/** Returns true if `value` is a promise or another thenable, which the caller has to await. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
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

/** A computation of {@link drive}, which waits by {@link wait}. */
export type Steps<T> = Generator<unknown, T, unknown>

/** Returns a value. If it is a promise, waits for it. */
export function* wait<T>(value: T | Promise<T>): Steps<T> {
  // drive() sends the value of the promise.
  return isPromise(value) ? ((yield value) as T) : value
}

/** Runs a computation. Returns a promise only if the computation waits for one. */
export function drive<T>(steps: Steps<T | Promise<T>>): T | Promise<T> {
  const step = steps.next()
  return step.done === true ? step.value : resume(steps, step)
}

async function resume<T>(
  steps: Steps<T | Promise<T>>,
  pending: IteratorResult<unknown, T | Promise<T>>,
): Promise<T> {
  let step = pending
  while (step.done !== true) {
    try {
      step = steps.next(await step.value)
    } catch (error) {
      // A computation that has thrown the error itself throws it again.
      step = steps.throw(error)
    }
  }
  return step.value
}
