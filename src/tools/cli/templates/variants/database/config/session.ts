// Sessions: where their values are, and the secret that signs their cookies.
import { keep, type SessionOptions } from 'propylon'
import { kyselyStore } from 'propylon/sessions'
import { database } from './database.ts'

const { NODE_ENV, SECRET } = process.env
if (!SECRET && NODE_ENV === 'production') throw new Error('SECRET is not set. Set it to 32 or more random characters.')
if (!SECRET && NODE_ENV === 'development') console.warn('SECRET is not set: sessions end when the server restarts.')

/** Sessions, which the database keeps. `this.session` of a controller and `it.session` of a template. */
export const session: SessionOptions = {
  secret: SECRET || keep('secret of the sessions', () => crypto.randomUUID()),
  store: kyselyStore(database),
}
