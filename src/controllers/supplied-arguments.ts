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

/** An argument that nothing supplies, in words: what is wrong, and its correction. */
export interface UnsuppliedArgument {
  readonly message: string
  readonly fix: string
}

/**
 * Describes an argument that no route supplies.
 *
 * @param label - class and method: `UsersController.show`.
 * @param meant - the name that was probably meant.
 * @param controller - name of the controller in routes, for a hook: it runs for all of them.
 */
export function unsuppliedArgument(
  label: string,
  name: string,
  meant: string | undefined,
  controller?: string,
): UnsuppliedArgument {
  const method = label.slice(label.indexOf('.') + 1)
  const route = controller === undefined ? 'no route to it' : `no route to ${controller}`
  const converter = `static args = { ${method}: { ${name}: … } }`
  return {
    message: `${label}() takes the argument "${name}", which ${route} supplies.`,
    fix: `${meant === undefined ? 'Add' : `Did you mean "${meant}"? Otherwise add`} {${name}} to the path of a route, declare a converter to take it from the query (${converter}), or remove the parameter.`,
  }
}
