/** Responses of the platform, such as the result of `fetch`. */
import { isInstance, memberOf } from '../base/thrown.ts'

/**
 * Returns true for a response of the platform. The global is read only if the value has a member of its class: the first access
 * makes Node load its HTTP client, which takes 40 ms and 9 MiB.
 */
export function isWebResponse(value: unknown): value is globalThis.Response {
  return typeof memberOf(value, 'bodyUsed') === 'boolean' && isInstance(value, globalThis.Response)
}
