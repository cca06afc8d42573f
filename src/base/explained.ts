/**
 * The references of messages to the documentation.
 *
 * @module
 */

/**
 * Returns the message of an error with the command that shows the paragraph about its code, in `docs/reference/error-codes.md`
 * of the installed version.
 *
 * @example
 * ```ts
 * explained('There is no route named "hom"', 'E_ROUTE_UNKNOWN') // '… (npx propylon docs E_ROUTE_UNKNOWN)'
 * ```
 */
export function explained(message: string, code: string): string {
  return `${message}${message.endsWith('\n') ? '' : ' '}(npx propylon docs ${code})`
}
