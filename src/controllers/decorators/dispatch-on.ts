/** Dispatches to another method of the controller by the request method. */

import { getOrCreate } from '../../base/get-or-create.ts'
import { callNamed } from '../arguments.ts'
import type { WSGIController } from '../wsgi-controller.ts'
import { type Action, type ActionDecorator, type Guard, makeDecorator } from './action-decorator.ts'
import type { MethodName } from './restrict.ts'

/**
 * Calls another method of the controller for certain request methods. All other requests reach the decorated action.
 *
 * The other method receives its own arguments by name. It may be private (`_save`), so that no URL reaches it. Hooks
 * run once. A HEAD request is dispatched like GET, unless `targets` contains HEAD.
 *
 * The other method may call the decorated action, for instance to show the form again: this runs the action itself.
 *
 * @param targets - method names by request method. The compiler refuses names that the class does not have.
 * @throws TypeError - a request method is not in upper case, or a target is the decorated action itself.
 * @throws TypeError - the class has no such method. Thrown when the action is called.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { decorate, dispatchOn } from 'propylon/decorators'
 *
 * export class PageController extends WSGIController {
 *   edit(id: string) {
 *     return `<form method="post">${id} …</form>`
 *   }
 *
 *   _save(id: string) {
 *     return `${id} is saved`
 *   }
 *
 *   static {
 *     decorate(this, { edit: [dispatchOn({ POST: '_save' })] })
 *   }
 * }
 * ```
 */
export function dispatchOn<const Target extends string>(
  targets: Readonly<Record<MethodName, Target>>,
): ActionDecorator<Action, NoInfer<Target>> {
  const byMethod = new Map<string, string>(Object.entries<string>(targets))
  for (const [method, target] of byMethod) {
    if (method !== method.toUpperCase() || typeof target !== 'string') {
      throw new TypeError(
        `dispatchOn({ ${method}: ${JSON.stringify(target)} }) is invalid. Give method names by request method in upper case, such as { POST: 'create' }.`,
      )
    }
  }
  const get = byMethod.get('GET')
  if (get !== undefined && !byMethod.has('HEAD')) byMethod.set('HEAD', get)
  const entries = Object.entries<string>(targets).map(([method, target]) => `${method}: '${target}'`)
  const guardFor = (action: string): Guard => {
    for (const [method, target] of byMethod) {
      if (target === action)
        throw new TypeError(
          `dispatchOn({ ${method}: '${target}' }) decorates ${action} itself. Give the name of another method.`,
        )
    }
    /** Targets that have been called for each request. A controller serves one request. */
    const reached = new WeakMap<WSGIController, Set<string>>()
    return (controller, args, proceed) => {
      const target = byMethod.get(controller.request.method)
      if (target === undefined) return proceed(controller, args)
      const targets = getOrCreate(reached, controller, () => new Set<string>())
      if (targets.has(target)) return proceed(controller, args)
      targets.add(target)
      return callNamed(controller, target, 'dispatchOn')
    }
  }
  return makeDecorator<Action, NoInfer<Target>>('dispatchOn', guardFor, {
    text: `dispatchOn({ ${entries.join(', ')} })`,
    targets: [...byMethod.values()],
  })
}
