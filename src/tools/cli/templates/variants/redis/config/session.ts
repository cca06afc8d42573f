// Sessions: where their values are, and the secret that signs their cookies.
import { randomBytes } from 'node:crypto'
import { keep, type SessionOptions } from 'propylon'
import { memoryStore, redisStore } from 'propylon/sessions'
import { redis } from './redis.ts'

/** Whether this process runs tests: all by `npm test`, or one file by itself. */
const isTest = process.env.NODE_ENV === 'test' || /\btest_[^\\/]*$/.test(process.argv[1] ?? '')

/** Sessions, which Redis keeps; tests keep theirs in memory. `this.session` of a controller and `it.session` of a template. */
export const session: SessionOptions = {
  secret: secret(),
  store: isTest ? memoryStore() : redisStore(redis, { prefix: 'project-name:session:' }),
}

/** Returns the secret that signs the cookies. Only production requires it. */
function secret(): string {
  const { NODE_ENV, SECRET } = process.env
  if (SECRET) return SECRET
  if (NODE_ENV === 'production') {
    throw new Error('SECRET is not set. Set it to 32 or more random characters: openssl rand -base64 32')
  }
  return keep('secret of the sessions', () => {
    if (NODE_ENV === 'development') console.warn('SECRET is not set: sessions end when the server restarts.')
    return randomBytes(32).toString('base64')
  })
}
