import type { SessionOptions } from 'propylon'
import { kyselyStore, redisStore } from 'propylon/sessions'
import { database } from './database.ts'
import { redis } from './redis.ts'
import { settings } from './settings.ts'

/** Sessions, in Redis or in the database. */
export const session: SessionOptions = {
  secret: settings.SECRET,
  store: redis === undefined ? kyselyStore(database) : redisStore(redis, { prefix: 'wiki:session:' }),
}
