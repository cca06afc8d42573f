/** Reads the sessions that Beaker, the session library of Pylons, keeps in signed cookies. */
import { decodeBase64 } from '../../base/base64.ts'
import { builtin } from '../../base/builtin.ts'
import { isRecord } from '../../base/record.ts'
import type { SessionValues } from './data.ts'
import { isSameSecret } from './signer.ts'

/** Options of {@link readBeaker}. */
export interface BeakerOptions {
  /** The setting `beaker.session.validate_key` of the old application. */
  readonly secret: string
  /** The setting `beaker.session.type`. Other types keep only an id in the cookie. */
  readonly type: 'cookie'
  /** The setting `beaker.session.timeout`: seconds since the last request. Default: no limit, as in Beaker. */
  readonly timeout?: number | undefined
}

/** Length of HMAC-SHA-1 in hexadecimal digits. */
const SIGNATURE = 40

/** Maximum length of the cookie's value. Beaker writes at most 4064 characters and the signature. */
const MAX_VALUE = 8192

const OPENING_BRACE = 0x7b

/** Maximum number of bytes of the JSON. */
const MAX_JSON = 1_048_576

/**
 * Returns the values of a session of Beaker, so that a visitor stays signed in while an application moves. They have Beaker's own
 * `_id`, `_creation_time` and `_accessed_time`, in seconds.
 *
 * The old application must write JSON: `beaker.session.data_serializer = json`. A pickle, which is the default of Beaker, and an encrypted
 * session (`encrypt_key`) are not valid here.
 *
 * @param value - the value of the cookie `beaker.session.id`, or undefined if the request has none.
 * @returns undefined if the value is missing, changed, signed with another secret, expired or not JSON.
 * @throws TypeError - the secret is empty, or the type is not `'cookie'`.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { readBeaker } from 'propylon/sessions'
 *
 * export class HomeController extends WSGIController {
 *   __before__() {
 *     const cookie = this.request.cookies['beaker.session.id']
 *     const old = readBeaker(cookie, { secret: 'validate_key of the .ini file', type: 'cookie', timeout: 3600 })
 *     if (typeof old?.user === 'string' && !this.session.has('user')) this.session.set('user', old.user)
 *   }
 * }
 * ```
 */
export function readBeaker(value: string | undefined, options: BeakerOptions): SessionValues | undefined {
  const { secret, type, timeout } = options
  if (secret === '')
    throw new TypeError('readBeaker() received an empty secret. Give it the validate_key of Beaker.')
  if (type !== 'cookie') {
    throw new TypeError(
      `readBeaker() received the type ${JSON.stringify(type)}. Only type: 'cookie' has its values in the cookie.`,
    )
  }
  if (value === undefined || value.length > MAX_VALUE) return undefined
  const text = value.replace(/^"+|"+$/g, '')
  const data = text.slice(SIGNATURE)
  const signature = builtin('node:crypto').createHmac('sha1', secret).update(data).digest('hex')
  if (!isSameSecret(signature, text.slice(0, SIGNATURE))) return undefined
  const values = parsed(data)
  if (!isRecord(values)) return undefined
  const { _accessed_time: accessed } = values
  const isExpired =
    timeout !== undefined && typeof accessed === 'number' && Date.now() / 1000 - accessed > timeout
  // JSON has no other values.
  return isExpired ? undefined : (Object.assign(Object.create(null), values) as SessionValues)
}

/**
 * Returns the value of JSON in base64, or undefined if it is malformed or too large. Beaker compresses it; a serializer of the
 * application's own may not.
 */
function parsed(data: string): unknown {
  const bytes = decodeBase64(data)
  if (bytes === undefined) return undefined
  try {
    const isPlain = bytes[0] === OPENING_BRACE
    const json = isPlain ? bytes : builtin('node:zlib').inflateSync(bytes, { maxOutputLength: MAX_JSON })
    return JSON.parse(new TextDecoder().decode(json))
  } catch {
    // Not zlib, such as a pickle, too large, or not JSON. The signature is right, so the old application wrote it.
    return undefined
  }
}
