/**
 * Returns the result of an operation.
 *
 * @throws Error, as a rejection - it takes more than a number of milliseconds. It is not cancelled.
 */
export async function within<T>(milliseconds: number, operation: () => Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`It took over ${milliseconds} ms.`)), milliseconds)
  try {
    return await Promise.race([operation(), late])
  } finally {
    clearTimeout(timer)
  }
}
