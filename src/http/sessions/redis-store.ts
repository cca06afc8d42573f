import { describeValue } from '../../base/describe.ts'
import type { SessionValues } from './data.ts'
import type { SessionStore } from './store.ts'

/** The members of a client of the package `redis` (node-redis 4 and later; a client, pool, cluster or sentinel) that are used. */
export interface NodeRedisClient {
  get(key: string): Promise<string | null>
  set(key: string, value: string, options: { PX: number; XX?: true }): Promise<unknown>
  del(key: string): Promise<number>
}

/** The members of a client of the package `ioredis` (a `Redis` or a `Cluster`) that are used. */
export interface IORedisClient {
  get(key: string): Promise<string | null>
  set(key: string, value: string, unit: 'PX', milliseconds: number): Promise<unknown>
  set(key: string, value: string, unit: 'PX', milliseconds: number, condition: 'XX'): Promise<unknown>
  del(key: string): Promise<number>
  readonly status: string
}

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
  const missing = (['get', 'set', 'del'] as const).filter((name) => typeof client?.[name] !== 'function')
  if (missing.length > 0) {
    throw new TypeError(
      `redisStore() got ${describeValue(client)} without ${missing.join(', ')}. Pass a client of the package redis or ioredis.`,
    )
  }
  return new RedisStore(isIORedis(client) ? ioredisCommands(client) : nodeRedisCommands(client), prefix)
}

/** Commands that a client sends. Times are milliseconds. */
interface Commands {
  get(key: string): Promise<string | null>
  set(key: string, value: string, milliseconds: number): Promise<unknown>
  /** Sets a key that exists. Returns null if it does not. */
  replace(key: string, value: string, milliseconds: number): Promise<unknown>
  /** Returns the number of keys that were deleted. */
  del(key: string): Promise<number>
}

class RedisStore implements SessionStore {
  readonly #commands: Commands
  readonly #prefix: string

  constructor(commands: Commands, prefix: string) {
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

/** Returns true for a client of ioredis: only these have the state of their connection as text. */
function isIORedis(client: NodeRedisClient | IORedisClient): client is IORedisClient {
  return 'status' in client && typeof client.status === 'string'
}

function nodeRedisCommands(client: NodeRedisClient): Commands {
  return {
    get: (key) => client.get(key),
    set: (key, value, PX) => client.set(key, value, { PX }),
    replace: (key, value, PX) => client.set(key, value, { PX, XX: true }),
    del: (key) => client.del(key),
  }
}

function ioredisCommands(client: IORedisClient): Commands {
  return {
    get: (key) => client.get(key),
    set: (key, value, milliseconds) => client.set(key, value, 'PX', milliseconds),
    replace: (key, value, milliseconds) => client.set(key, value, 'PX', milliseconds, 'XX'),
    del: (key) => client.del(key),
  }
}
