/**
 * The codes at the end of messages.
 *
 * @module
 */

/**
 * Returns the message of an error with its code, which has a section in `docs/reference/error-codes.md`.
 *
 * @example
 * ```ts
 * withCode('There is no route named "hom".', 'E_ROUTE_UNKNOWN') // 'There is no route named "hom". [E_ROUTE_UNKNOWN]'
 * ```
 */
export function withCode(message: string, code: string): string {
  return `${message}${message.endsWith('\n') ? '' : ' '}[${code}]`
}

/** Returns a message without its code. Undefined if it does not end with the code. */
export function withoutCode(message: string, code: unknown): string | undefined {
  if (typeof code !== 'string' || !message.endsWith(`[${code}]`)) return undefined
  return message.slice(0, -code.length - 2).trimEnd()
}
