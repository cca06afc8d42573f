// Sessions: where their values are, and the secret that signs their cookies.
import { keep, type SessionOptions } from 'propylon'

const { NODE_ENV, SECRET } = process.env
if (!SECRET && NODE_ENV === 'production') throw new Error('SECRET is not set. Set it to 32 or more random characters.')
if (!SECRET && NODE_ENV === 'development') console.warn('SECRET is not set: sessions end when the server restarts.')

/** Sessions, whose values are in a signed cookie. `this.session` of a controller and `it.session` of a template. */
export const session: SessionOptions = {
  secret: SECRET || keep('secret of the sessions', () => crypto.randomUUID()),
}
