/** Sends the result of an action as JSON. */

import { isWebResponse } from '../../http/response.ts'
import { isCallable } from '../../wsgi/application.ts'
import { stateOf } from '../call-state.ts'
import type { WSGIController } from '../wsgi-controller.ts'
import { type Action, type ActionDecorator, andThen, makeDecorator } from './action-decorator.ts'

/** A value that JSON can represent, or a response. */
export type Jsonable = string | number | boolean | null | object

/**
 * Sends the result of an action as JSON, also text, numbers, booleans and null. Objects may have `toJSON`. The
 * content type is `application/json`, unless the action has set one. An action in `static results` is sent as that
 * record says.
 *
 * A Response (the framework's or the platform's), an HTTPException and a WSGI application are sent unchanged.
 *
 * @throws TypeError - JSON cannot represent the result: undefined, a bigint, a symbol or a cycle. Thrown by the action.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { decorate, jsonify } from 'propylon/decorators'
 *
 * export class CountController extends WSGIController {
 *   index() {
 *     return 42
 *   }
 *
 *   static {
 *     decorate(this, { index: [jsonify] })
 *   }
 * }
 * ```
 */
export const jsonify: ActionDecorator<Action<Jsonable | Promise<Jsonable>>> = makeDecorator('jsonify', (action) => {
  const send = (controller: WSGIController, result: unknown): unknown => {
    // A response of the platform, or an application, such as a Response or an HTTPException.
    if (isCallable(result) || isWebResponse(result)) return result
    if (stateOf(controller).description.action(action)?.result?.schema !== undefined) return result
    const text = JSON.stringify(result)
    if (text === undefined) {
      throw new TypeError(
        `jsonify: ${controller.constructor.name}.${action} returned ${typeof result}, which JSON cannot represent. Return null for an empty result.`,
      )
    }
    const { response } = controller
    if (!response.headers.has('content-type')) response.contentType = 'application/json'
    return text
  }
  return (controller, args, proceed) => andThen(proceed(controller, args), (result) => send(controller, result))
})
