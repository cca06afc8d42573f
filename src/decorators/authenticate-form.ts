/** Refuses forms that another site has made. */
import type { WSGIController } from '../controllers/wsgi-controller.ts'
import { HTTPForbidden } from '../http/exceptions.ts'
import { isSameSecret } from '../http/secrets.ts'
import { type ActionDecorator, andThen, isSafe, makeDecorator } from './action-decorator.ts'
import { TOKEN_FIELD, TOKEN_HEADER, tokenOf } from './authentication-token.ts'

/**
 * Guards an action against cross-site request forgery: the form's field `_authentication_token`, or the header
 * `X-CSRF-Token`, must be the token of the visitor's session, which {@link authenticationToken} gives. Otherwise the
 * answer is 403 with the reason, and the application's log gets a warning. Safe methods (GET, HEAD) pass.
 *
 * A header, where there is one, decides alone. The token is never taken from the query, which ends up in logs and in
 * other sites' Referer.
 *
 * @throws Error when the application keeps no sessions.
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
    if (isSafe(request.method)) return proceed(controller, args)
    const token = tokenOf(controller.session)
    const sent = request.header(TOKEN_HEADER) ?? request.form().then((form) => form.get(TOKEN_FIELD))
    return andThen<string | undefined>(sent, (given) => {
      const reason = mismatch(token, given)
      if (reason !== undefined) refuse(controller, reason)
      return proceed(controller, args)
    })
  },
)

/** What is wrong with a token, undefined when nothing is. */
function mismatch(own: string | undefined, given: string | undefined): string | undefined {
  if (given === undefined || given === '') return 'it has no authentication token'
  if (own === undefined) return 'the session has no authentication token: it is new, or cookies are off'
  return isSameSecret(own, given) ? undefined : 'its authentication token is not that of the session'
}

function refuse({ request, app }: WSGIController, reason: string): never {
  const path = JSON.stringify(request.path).slice(1, -1)
  app.logger.warn(`${request.method} ${path} was refused by authenticateForm: ${reason}`)
  throw new HTTPForbidden(
    `The form was refused, for ${reason}. Load the page that has the form again, and send it from there.`,
  )
}
