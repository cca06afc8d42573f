import { createHmac, randomBytes } from 'node:crypto'
import { safeEqual } from 'propylon/middleware'

/** Without the setting, tokens end with the process. */
const secret = process.env.SECRET || randomBytes(32)
const LIFETIME = 30 * 24 * 60 * 60 * 1000

const signatureOf = (text: string) => createHmac('sha256', secret).update(text).digest('base64url')

/** Returns a token with which a user signs in for thirty days. */
export function createToken(user: number): string {
  const text = `${user}.${Date.now() + LIFETIME}`
  return `${text}.${signatureOf(text)}`
}

/** Returns the id of the user of a token. Undefined if the token is not valid. */
export function userOf(token: string): number | undefined {
  const [user = '', until = '', signature = ''] = token.split('.')
  return safeEqual(signature, signatureOf(`${user}.${until}`)) && Number(until) > Date.now() ? Number(user) : undefined
}
