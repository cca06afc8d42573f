/** The token that shows that a form was made for the session that sends it. */
import type { Session } from '../http/session.ts'

/** The name of the token's field in forms, and of its value in the session. */
export const TOKEN_FIELD = '_authentication_token'

/** The header that may carry the token in a form's place. */
export const TOKEN_HEADER = 'X-CSRF-Token'

/** 256 bits: nobody guesses it. */
const TOKEN_BYTES = 32

/**
 * The authentication token of a session, made when it has none: put it into every form that `authenticateForm` guards,
 * as the hidden field `_authentication_token`, or into a header `X-CSRF-Token` that scripts send.
 *
 * @returns 64 hexadecimal digits, the same for the session's whole life.
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
  const known = tokenOf(session)
  if (known !== undefined) return known
  let token = ''
  for (const byte of crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))) {
    token += byte.toString(16).padStart(2, '0')
  }
  session.set(TOKEN_FIELD, token)
  return token
}

/** The token of a session, if it has one. */
export function tokenOf(session: Session): string | undefined {
  const token = session.get(TOKEN_FIELD)
  return typeof token === 'string' && token !== '' ? token : undefined
}
