import { describeValue } from './describe.ts'

/**
 * The members of a client of the package `redis` (node-redis 4 and later; a client, pool, cluster or sentinel) that
 * are used.
 */
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

/** Commands that a client sends. Times are milliseconds. */
export interface RedisCommands {
  get(key: string): Promise<string | null>
  set(key: string, value: string, milliseconds: number): Promise<unknown>
  /** Sets a key that exists. Returns null if it does not. */
  replace(key: string, value: string, milliseconds: number): Promise<unknown>
  /** Returns the number of keys that were deleted. */
  del(key: string): Promise<number>
}

/**
 * Returns the commands of a client of either package.
 *
 * @param caller - the function that takes the client, for the message.
 * @throws TypeError - the client has no `get`, `set` or `del`.
 */
export function redisCommands(caller: string, client: NodeRedisClient | IORedisClient): RedisCommands {
  const missing = (['get', 'set', 'del'] as const).filter((name) => typeof client?.[name] !== 'function')
  if (missing.length > 0) {
    throw new TypeError(
      `${caller} got ${describeValue(client)} without ${missing.join(', ')}. Pass a client of the package redis or ioredis.`,
    )
  }
  return isIORedis(client) ? ioredisCommands(client) : nodeRedisCommands(client)
}

/** Returns true for a client of ioredis: only these have the state of their connection as text. */
function isIORedis(client: NodeRedisClient | IORedisClient): client is IORedisClient {
  return 'status' in client && typeof client.status === 'string'
}

function nodeRedisCommands(client: NodeRedisClient): RedisCommands {
  return {
    get: (key) => client.get(key),
    set: (key, value, PX) => client.set(key, value, { PX }),
    replace: (key, value, PX) => client.set(key, value, { PX, XX: true }),
    del: (key) => client.del(key),
  }
}

function ioredisCommands(client: IORedisClient): RedisCommands {
  return {
    get: (key) => client.get(key),
    set: (key, value, milliseconds) => client.set(key, value, 'PX', milliseconds),
    replace: (key, value, milliseconds) => client.set(key, value, 'PX', milliseconds, 'XX'),
    del: (key) => client.del(key),
  }
}
