/** Tokens that prove that a form belongs to the session of the request. */
import { bytesToHex, hexToBytes, randomBytes } from '@noble/hashes/utils.js'
import { TOKEN_FIELD } from '../../http/own-fields.ts'
import type { Session } from '../../http/sessions/session.ts'
import { isSameSecret } from '../../http/sessions/signer.ts'

/** Header that may carry the token in place of the form. */
export const TOKEN_HEADER = 'X-CSRF-Token'

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
export function secretOf(session: Session): string | undefined {
  const secret = session.get(TOKEN_FIELD)
  return typeof secret === 'string' && SECRET.test(secret) ? secret : undefined
}

/** Returns true if a token was made of a secret. */
export function isTokenOf(secret: string, token: string): boolean {
  if (!TOKEN.test(token)) return false
  const bytes = hexToBytes(token)
  const [mask, masked] = [bytes.subarray(0, SECRET_LENGTH), bytes.subarray(SECRET_LENGTH)]
  return isSameSecret(secret, bytesToHex(xor(masked, mask)))
}

function xor(bytes: Uint8Array, mask: Uint8Array): Uint8Array {
  return bytes.map((byte, index) => byte ^ (mask[index] as number))
}
