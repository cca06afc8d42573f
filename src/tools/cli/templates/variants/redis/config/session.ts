// Sessions: where their values are, and the secret that signs their cookies.
import { keep, type SessionOptions } from 'propylon'
import { memoryStore, redisStore } from 'propylon/sessions'
import { redis } from './redis.ts'

/** Whether this process runs tests: all by `npm test`, or one file by itself. */
const isTest = process.env.NODE_ENV === 'test' || /\btest_[^\\/]*$/.test(process.argv[1] ?? '')

const { NODE_ENV, SECRET } = process.env
if (!SECRET && NODE_ENV === 'production') throw new Error('SECRET is not set. Set it to 32 or more random characters.')
if (!SECRET && NODE_ENV === 'development') console.warn('SECRET is not set: sessions end when the server restarts.')

/** Sessions, which Redis keeps; tests keep theirs in memory. `this.session` of a controller and `it.session` of a template. */
export const session: SessionOptions = {
  secret: SECRET || keep('secret of the sessions', () => crypto.randomUUID()),
  store: isTest ? memoryStore() : redisStore(redis, { prefix: 'project-name:session:' }),
}
