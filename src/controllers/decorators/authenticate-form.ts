/** Protects actions against cross-site request forgery. */

import { bytesToHex, hexToBytes, randomBytes } from '@noble/hashes/utils.js'
import { isSafe } from '../../http/cross-site.ts'
import { worded } from '../../http/error-texts.ts'
import { HTTPForbidden } from '../../http/exceptions.ts'
import { FrameworkText } from '../../http/languages/texts.ts'
import { TOKEN_FIELD } from '../../http/own-fields.ts'
import type { Session } from '../../http/sessions/session.ts'
import { isSameSecret } from '../../http/sessions/signer.ts'
import type { WSGIController } from '../wsgi-controller.ts'
import { type ActionDecorator, andThen, makeDecorator } from './action-decorator.ts'

/**
 * Guards an action against cross-site request forgery: the form's field `_authentication_token`, or the header
 * `X-CSRF-Token`, must be a token of the visitor's session (see {@link authenticationToken}). Otherwise the response is
 * 403 with the reason, and the application's log gets a warning.
 *
 * Every method needs the token, GET and HEAD too: if they passed without, a link from another site would run the
 * action. Show the form from another action, or send POST alone to the guarded one with `dispatchOn({ POST: '_send'
 * })`.
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

/** Header that may carry the token in place of the form. */
const TOKEN_HEADER = 'X-CSRF-Token'

/** Length of the session's secret and of the mask, in bytes. */
const SECRET_LENGTH = 32
const SECRET = /^[0-9a-f]{64}$/
const TOKEN = /^[0-9a-f]{128}$/

/**
 * Returns an authentication token of a session: put it into every form that `authenticateForm` guards, as the hidden
 * field `_authentication_token`, or into the header `X-CSRF-Token` that scripts send.
 *
 * The session keeps one secret, created on first use. Each call masks it with other random bytes, so that compressed
 * responses reveal nothing of it by their length (the BREACH attack). All tokens of a session are valid until
 * `session.regenerate()` or `session.clear()` drops the secret: call `regenerate()` at login.
 *
 * @returns 128 hexadecimal digits, different for each call.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { authenticationToken } from 'propylon/decorators'
 *
 * export class TransferController extends WSGIController {
 *   index() {
 *     return `<form method="post" action="/transfer/send">
 *       <input type="hidden" name="_authentication_token" value="${authenticationToken(this.session)}">
 *       <button>Send</button>
 *     </form>`
 *   }
 * }
 * ```
 */
export function authenticationToken(session: Session): string {
  let secret = secretOf(session)
  if (secret === undefined) {
    secret = bytesToHex(randomBytes(SECRET_LENGTH))
    session.set(TOKEN_FIELD, secret)
  }
  const mask = randomBytes(SECRET_LENGTH)
  return bytesToHex(mask) + bytesToHex(xor(hexToBytes(secret), mask))
}

/** Returns the secret that a session's tokens are made of; undefined if it has none. */
function secretOf(session: Session): string | undefined {
  const secret = session.get(TOKEN_FIELD)
  return typeof secret === 'string' && SECRET.test(secret) ? secret : undefined
}

/** Returns true if a token was made of a secret. */
function isTokenOf(secret: string, token: string): boolean {
  if (!TOKEN.test(token)) return false
  const bytes = hexToBytes(token)
  const [mask, masked] = [bytes.subarray(0, SECRET_LENGTH), bytes.subarray(SECRET_LENGTH)]
  return isSameSecret(secret, bytesToHex(xor(masked, mask)))
}

function xor(bytes: Uint8Array, mask: Uint8Array): Uint8Array {
  return bytes.map((byte, index) => byte ^ (mask[index] as number))
}
