import { errorText } from '../base/thrown.ts'
import type { Logger } from '../controllers/application.ts'
import { type HTTPException, HTTPServiceUnavailable } from '../http/exceptions.ts'

/** Seconds after which a client may try again. */
const RETRY_AFTER = 5

/** Returns the exception in place of an unexpected error, or undefined for the usual one. */
export type Unavailability = (error: unknown) => HTTPException | undefined

/** Returns a function that makes a 503 of the errors for which the option `unavailable` returns true. */
export function unavailability(
  option: ((error: unknown) => boolean) | undefined,
  logger: Logger,
): Unavailability {
  if (option === undefined) return () => undefined
  return (error) => {
    try {
      if (!option(error)) return undefined
    } catch (failure) {
      logger.error(`unavailable failed\n${errorText(failure)}`, { err: failure })
      return undefined
    }
    return new HTTPServiceUnavailable(undefined, { 'Retry-After': String(RETRY_AFTER) })
  }
}
