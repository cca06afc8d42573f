import { type IORedisClient, type NodeRedisClient, redisCommands } from '../../base/redis-commands.ts'
import { checkNames } from '../../base/suggest.ts'
import type { SessionStore } from './store.ts'

/** Options of {@link redisStore}. */
export interface RedisStoreOptions {
  /** Beginning of the keys. Defaults to `session:`. */
  readonly prefix?: string
}

/**
 * Creates a store in Redis or Valkey. Redis removes sessions whose time has passed.
 *
 * The client is yours: connect it before the application serves, listen to its `error` events, and close it.
 *
 * @param client - a client of the package `redis` or `ioredis`.
 * @throws TypeError - the client has no `get`, `set` or `del`.
 *
 * @example
 * ```ts
 * import { redisStore } from 'propylon/sessions'
 * import { createClient } from 'redis'
 *
 * export const client = createClient({ url: 'redis://127.0.0.1:6379' })
 * client.on('error', (error) => console.error(error))
 *
 * export const store = redisStore(client, { prefix: 'wiki:session:' })
 * ```
 */
export function redisStore(client: NodeRedisClient | IORedisClient, options: RedisStoreOptions = {}): SessionStore {
  checkNames('redisStore()', options, 'prefix')
  const { prefix = 'session:' } = options
  const commands = redisCommands('redisStore()', client)
  return {
    async get(id) {
      const json = await commands.get(prefix + id)
      return json === null ? undefined : JSON.parse(json)
    },
    async set(id, values, seconds) {
      await commands.set(prefix + id, JSON.stringify(values), toMilliseconds(seconds))
    },
    async update(id, values, seconds) {
      const json = JSON.stringify(values)
      return (await commands.replace(prefix + id, json, toMilliseconds(seconds))) !== null
    },
    async delete(id) {
      return (await commands.del(prefix + id)) > 0
    },
  }
}

function toMilliseconds(seconds: number): number {
  return Math.ceil(seconds * 1000)
}
