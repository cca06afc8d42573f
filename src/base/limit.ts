import { describeValue } from './describe.ts'

/**
 * Checks a limit. A comparison with NaN is false, so that such a limit would let everything through.
 *
 * @param name - of the limit, for the message.
 * @throws RangeError - it is not a number, or below 0.
 */
export function requireLimit(name: string, limit: number): void {
  if (limit >= 0) return
  throw new RangeError(`${name} is ${describeValue(limit)}. Give a number, 0 or above.`)
}
