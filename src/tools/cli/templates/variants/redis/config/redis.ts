// The client of Redis.
import { Redis } from 'ioredis'
import { keep } from 'propylon'

/** The client of `REDIS_URL`. The first command connects, so that tests and commands that need no session end without Redis. */
export const redis = keep('redis', () => {
  const client = new Redis(url(), { lazyConnect: true, maxRetriesPerRequest: 1, connectTimeout: 5000 })
  // Without a listener ioredis prints the stack of each failed attempt. Requests that need a session are 503 meanwhile.
  return client.on('error', (error) => console.error(`Redis does not answer: ${error.message}`))
})

/** Throws if Redis cannot be reached. */
export const checkRedis = () => redis.ping()

function url(): string {
  const { NODE_ENV, REDIS_URL } = process.env
  if (!REDIS_URL && NODE_ENV !== 'production') return 'redis://127.0.0.1:6379'
  if (!REDIS_URL) throw new Error('REDIS_URL is not set. Set it to redis://user:password@host:port')
  if (!/^rediss?:/.test(REDIS_URL)) {
    throw new Error('REDIS_URL is not a URL of Redis. Set it to redis://user:password@host:port')
  }
  return REDIS_URL
}
