import {
  type IORedisClient,
  type NodeRedisClient,
  type RedisCommands,
  redisCommands,
} from '../../base/redis-commands.ts'
import type { SessionValues } from './data.ts'
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
export function redisStore(
  client: NodeRedisClient | IORedisClient,
  { prefix = 'session:' }: RedisStoreOptions = {},
): SessionStore {
  return new RedisStore(redisCommands('redisStore()', client), prefix)
}

class RedisStore implements SessionStore {
  readonly #commands: RedisCommands
  readonly #prefix: string

  constructor(commands: RedisCommands, prefix: string) {
    this.#commands = commands
    this.#prefix = prefix
  }

  async get(id: string): Promise<SessionValues | undefined> {
    const json = await this.#commands.get(this.#prefix + id)
    if (json === null) return undefined
    const values: SessionValues = JSON.parse(json)
    return values
  }

  async set(id: string, values: SessionValues, seconds: number): Promise<void> {
    await this.#commands.set(this.#prefix + id, JSON.stringify(values), toMilliseconds(seconds))
  }

  async update(id: string, values: SessionValues, seconds: number): Promise<boolean> {
    const json = JSON.stringify(values)
    return (await this.#commands.replace(this.#prefix + id, json, toMilliseconds(seconds))) !== null
  }

  async delete(id: string): Promise<boolean> {
    return (await this.#commands.del(this.#prefix + id)) > 0
  }
}

function toMilliseconds(seconds: number): number {
  return Math.ceil(seconds * 1000)
}
