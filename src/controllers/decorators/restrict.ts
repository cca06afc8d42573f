/** Restricts actions to certain request methods. */

import { HTTPMethodNotAllowed } from '../../http/exceptions.ts'
import { Response } from '../../http/response.ts'
import { ANSWERS_OPTIONS } from '../statics.ts'
import { type ActionDecorator, type Guard, makeDecorator } from './action-decorator.ts'

/** A request method in upper case. */
export type MethodName = Uppercase<string>

const METHOD = /^[A-Z][A-Z0-9-]*$/

/**
 * Restricts an action to certain request methods. Any other gets 405 with `Allow`. OPTIONS gets 204 with `Allow`,
 * unless it is one of the methods. HEAD is allowed if GET is.
 *
 * @param methods - request methods in upper case, at least one.
 * @throws TypeError - there is none, or one is invalid.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { decorate, restrict } from 'propylon/decorators'
 *
 * export class AccountController extends WSGIController {
 *   close(id: string) {
 *     return `${id} is closed`
 *   }
 *
 *   static {
 *     decorate(this, { close: [restrict('POST', 'DELETE')] })
 *   }
 * }
 * ```
 */
export function restrict(...methods: [MethodName, ...MethodName[]]): ActionDecorator {
  if (methods.length === 0)
    throw new TypeError("restrict() received no method. Give one or more, such as restrict('POST').")
  for (const method of methods) {
    if (typeof method !== 'string' || !METHOD.test(method)) {
      throw new TypeError(`restrict() received ${JSON.stringify(method)}. Give a request method in upper case.`)
    }
  }
  const allowed: ReadonlySet<string> = new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods)
  const allow = [...new Set([...allowed, 'OPTIONS'])].sort().join(', ')
  const text = `restrict(${methods.map((method) => `'${method}'`).join(', ')})`
  const guard: Guard = (controller, args, proceed) => {
    const { method } = controller.request
    if (allowed.has(method)) return proceed(controller, args)
    if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow: allow } })
    throw new HTTPMethodNotAllowed(undefined, { Allow: allow })
  }
  const decorator: ActionDecorator = makeDecorator('restrict', () => guard, { text })
  return (method, context) => Object.assign(decorator(method, context), { [ANSWERS_OPTIONS]: true })
}
