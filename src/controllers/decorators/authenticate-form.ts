/** Protects actions against cross-site request forgery. */

import { isSafe } from '../../http/cross-site.ts'
import { worded } from '../../http/error-texts.ts'
import { HTTPForbidden } from '../../http/exceptions.ts'
import { FrameworkText } from '../../http/languages/texts.ts'
import { TOKEN_FIELD } from '../../http/own-fields.ts'
import type { WSGIController } from '../wsgi-controller.ts'
import { type ActionDecorator, andThen, makeDecorator } from './action-decorator.ts'
import { isTokenOf, secretOf, TOKEN_HEADER } from './authentication-token.ts'

/**
 * Guards an action against cross-site request forgery: the form's field `_authentication_token`, or the header
 * `X-CSRF-Token`, must be a token of the visitor's session (see {@link authenticationToken}). Otherwise the response is
 * 403 with the reason, and the application's log gets a warning.
 *
 * Every method needs the token, GET and HEAD too: if they passed without, a link from another site would run the action.
 * Show the form from another action, or send POST alone to the guarded one with `dispatchOn({ POST: '_send' })`.
 *
 * If the header is present, the field is ignored. The token is never read from the query, which ends up in logs and in
 * other sites' Referer.
 *
 * @throws Error - the application has no sessions. Thrown when the action is called.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { authenticateForm, decorate, restrict } from 'propylon/decorators'
 *
 * export class TransferController extends WSGIController {
 *   send() {
 *     return 'Sent.'
 *   }
 *
 *   static {
 *     decorate(this, { send: [restrict('POST'), authenticateForm] })
 *   }
 * }
 * ```
 */
export const authenticateForm: ActionDecorator = makeDecorator(
  'authenticateForm',
  () => (controller, args, proceed) => {
    const { request } = controller
    const secret = secretOf(controller.session)
    const sent = request.header(TOKEN_HEADER) ?? request.form().then((form) => form.get(TOKEN_FIELD))
    return andThen<string | undefined>(sent, (given) => {
      const reason = mismatch(secret, given)
      if (reason !== undefined) refuse(controller, reason)
      return proceed(controller, args)
    })
  },
)

/** Returns the reason why a token is refused, or undefined if it is valid. */
function mismatch(secret: string | undefined, token: string | undefined): FrameworkText | undefined {
  if (token === undefined || token === '') return new FrameworkText('propylon.refused.noToken')
  if (secret === undefined) return new FrameworkText('propylon.refused.noSecret')
  return isTokenOf(secret, token) ? undefined : new FrameworkText('propylon.refused.otherToken')
}

function refuse({ request, app }: WSGIController, reason: FrameworkText): never {
  const path = JSON.stringify(request.path).slice(1, -1)
  const advice = isSafe(request.method)
    ? '. Every method needs a token: show the form from an action without authenticateForm'
    : ''
  app.logger.warn(`${request.method} ${path} was refused by authenticateForm: ${reason}${advice}`)
  throw worded(HTTPForbidden, 'propylon.refused.form', { reason })
}
