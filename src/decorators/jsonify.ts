/** Sends what an action returns as JSON. */
import type { WSGIController } from '../controllers/wsgi-controller.ts'
import { HTTPException } from '../http/exceptions.ts'
import { Response } from '../http/response.ts'
import { type Action, type ActionDecorator, andThen, makeDecorator } from './action-decorator.ts'

/** What has a form in JSON, or is an answer of its own. */
export type Jsonable = string | number | boolean | null | object

/**
 * Sends what an action returns as JSON: text, numbers, booleans and null too, which actions otherwise cannot return or
 * which mean something else. Objects may have `toJSON`. The content type is `application/json`, unless the action has
 * set one.
 *
 * A Response (the framework's or the platform's), an HTTPException and a WSGI application pass as they are.
 *
 * @throws TypeError when the action returns what JSON has no form for: undefined, a bigint, a symbol, a cycle.
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
export const jsonify: ActionDecorator<Action<Jsonable | Promise<Jsonable>>> = makeDecorator(
  'jsonify',
  (action) => {
    const send = (controller: WSGIController, result: unknown): unknown => {
      if (isAnswer(result)) return result
      const text = JSON.stringify(result)
      if (text === undefined) {
        throw new TypeError(
          `jsonify: ${controller.constructor.name}.${action} returned ${typeof result}, which has no JSON form. Return null for nothing`,
        )
      }
      const { response } = controller
      if (!response.headers.has('content-type')) response.contentType = 'application/json'
      return text
    }
    return (controller, args, proceed) =>
      andThen(proceed(controller, args), (result) => send(controller, result))
  },
)

function isAnswer(result: unknown): boolean {
  if (typeof result === 'function') return true
  if (typeof result !== 'object' || result === null) return false
  if (result instanceof Response || result instanceof HTTPException) return true
  return result instanceof globalThis.Response || ('wsgi' in result && typeof result.wsgi === 'function')
}
