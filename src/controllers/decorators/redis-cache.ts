import { decodeBase64, encodeBase64 } from '../../base/base64.ts'
import { utf8Length } from '../../base/bytes.ts'
import { type IORedisClient, type NodeRedisClient, redisCommands } from '../../base/redis-commands.ts'
import { checkNames } from '../../base/suggest.ts'
import { within } from '../../base/time.ts'
import type { CachedResponse, CacheStore } from './cache-store.ts'

/** Options of {@link redisCache}. */
export interface RedisCacheOptions {
  /** Beginning of the keys. Defaults to `cache:`. */
  readonly prefix?: string | undefined
  /** Maximum size of a response in bytes. A larger one is not stored. Defaults to 1 MiB. */
  readonly bytes?: number | undefined
}

const DEFAULT_BYTES = 1_048_576

/** Time after which an operation counts as failed, in milliseconds. Clients queue while they are offline. */
const REDIS_TIMEOUT = 1000

/**
 * Lifetime of the lock of a process that computes a response, in milliseconds. It is renewed until the response is
 * finished.
 */
const LOCK_LIFETIME = 2000

/** Longest wait for the response of another process, in milliseconds. */
const MAX_WAIT = 10_000

/** Times between two looks for the response of another process, in milliseconds. */
const FIRST_LOOK = 10
const LAST_LOOK = 200

/**
 * Creates a store for `cached` in Redis or Valkey, which several processes share. While one process runs an action,
 * the others wait for its response. They run the action themselves if that process dies, if its response cannot be
 * stored, or after ten seconds.
 *
 * Redis removes responses whose time has passed. Set `maxmemory` and an eviction policy, because clients choose the
 * keys. If Redis fails or takes more than a second, the error is logged and the action runs.
 *
 * The client is yours: connect it before the application serves, listen to its `error` events, and close it.
 *
 * @param client - a client of the package `redis` or `ioredis`.
 * @throws TypeError - the client has no `get`, `set` or `del`.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { cached, decorate, redisCache } from 'propylon/decorators'
 * import { createClient } from 'redis'
 *
 * export const client = createClient({ url: 'redis://127.0.0.1:6379' })
 * client.on('error', (error) => console.error(error))
 *
 * const store = redisCache(client, { prefix: 'shop:pages:' })
 *
 * export class PricesController extends WSGIController {
 *   index() {
 *     return this.render('prices')
 *   }
 *
 *   static {
 *     decorate(this, { index: [cached({ expires: 60, store })] })
 *   }
 * }
 * ```
 */
export function redisCache(client: NodeRedisClient | IORedisClient, options: RedisCacheOptions = {}): CacheStore {
  checkNames('redisCache()', options, 'prefix bytes')
  const { prefix = 'cache:', bytes = DEFAULT_BYTES } = options
  if (!(bytes > 0)) throw new RangeError(`redisCache({ bytes: ${bytes} }): give a number above 0.`)
  const commands = redisCommands('redisCache()', client)
  const soon = <T>(operation: () => Promise<T>): Promise<T> => within(REDIS_TIMEOUT, operation)

  async function get(key: string): Promise<CachedResponse | undefined> {
    const text = await soon(() => commands.get(prefix + key))
    if (text === null) return undefined
    const { body: sent, ...head }: Encoded = JSON.parse(text)
    const body = typeof sent === 'string' ? sent : decodeBase64(sent[0])
    return body === undefined ? undefined : { ...head, body }
  }

  /** Renews a lock until it is released. */
  function hold(lock: string) {
    const end = performance.now() + MAX_WAIT
    const timer = setInterval(() => {
      // An action that hangs does not hold the lock for longer than others wait.
      if (performance.now() > end) clearInterval(timer)
      else commands.replace(lock, '', LOCK_LIFETIME).catch(() => {})
    }, LOCK_LIFETIME / 4)
    const release = async () => {
      clearInterval(timer)
      await soon(() => commands.del(lock))
    }
    return { release }
  }

  return {
    get,

    async set(key, { body, ...head }, expires) {
      const encoded: Encoded = { ...head, body: typeof body === 'string' ? body : [encodeBase64(body)] }
      const text = JSON.stringify(encoded)
      if (utf8Length(text) <= bytes) await soon(() => commands.set(prefix + key, text, Math.ceil(expires * 1000)))
    },

    async claim(key) {
      const lock = `${prefix}${key}:lock`
      if ((await soon(() => commands.create(lock, '', LOCK_LIFETIME))) !== null) {
        // Another process may have stored its response, and removed its lock, since the last look.
        const stored = await get(key)
        if (stored === undefined) return hold(lock)
        await soon(() => commands.del(lock))
        return stored
      }
      const end = performance.now() + MAX_WAIT
      for (let delay = FIRST_LOOK; performance.now() < end; delay = Math.min(delay * 1.5, LAST_LOOK)) {
        await new Promise((resolve) => setTimeout(resolve, delay))
        // In this order: the response is stored before the lock is removed.
        const isLocked = (await soon(() => commands.get(lock))) !== null
        const stored = await get(key)
        if (stored !== undefined || !isLocked) return stored
      }
      return undefined
    },
  }
}

/** A response as JSON. Bytes are an array of their base64. */
type Encoded = Omit<CachedResponse, 'body'> & { readonly body: string | readonly [base64: string] }
