import { type Controller, stateOf } from './call-state.ts'
import { callMethod } from './lifecycle.ts'

/**
 * Calls a method of the application's own classes by name. It may be private, and receives its own arguments.
 *
 * @param user - the function that names the method, for the error.
 * @throws TypeError - there is no such method.
 */
export function callNamed(controller: Controller, name: string, user: string): unknown {
  const { metadata } = stateOf(controller)
  const method = metadata.method(name)
  if (method !== undefined) return callMethod(controller, method)
  throw new TypeError(`${user}: ${metadata.name} has no method "${name}". Define it, or correct the name.`)
}
