/**
 * Arguments of actions and hooks that no route has to supply.
 *
 * @module
 */

const FROM_REQUEST = ['environ', 'start_response', 'error', 'signal'] as const

/** An argument that comes from the request instead of the match. */
export type RequestArgument = (typeof FROM_REQUEST)[number]

/** Arguments that come from the request instead of the match. */
export const REQUEST_ARGUMENTS: ReadonlySet<string> = new Set(FROM_REQUEST)

/** Arguments that the match has whatever the path of its route. */
export const MATCH_ARGUMENTS: ReadonlySet<string> = new Set(['controller', 'action', 'format', 'subDomain'])

/** Arguments that a call of an RPC method has. */
const CALL_ARGUMENTS: ReadonlySet<string> = new Set(['methodName', 'params'])

/** All arguments that the framework supplies. */
export const SUPPLIED_ARGUMENTS: ReadonlySet<string> = new Set([
  ...REQUEST_ARGUMENTS,
  ...MATCH_ARGUMENTS,
  ...CALL_ARGUMENTS,
])
