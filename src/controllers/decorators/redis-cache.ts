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
 * Creates a store for `cached` in Redis or Valkey, which several processes share. While an action runs, other
 * requests of its process wait for the response; another process runs the action too.
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

  return {
    async get(key) {
      const text = await soon(() => commands.get(prefix + key))
      if (text === null) return undefined
      const { body: sent, ...head }: Encoded = JSON.parse(text)
      const body = typeof sent === 'string' ? sent : decodeBase64(sent[0])
      return body === undefined ? undefined : { ...head, body }
    },

    async set(key, { body, ...head }, expires) {
      const encoded: Encoded = { ...head, body: typeof body === 'string' ? body : [encodeBase64(body)] }
      const text = JSON.stringify(encoded)
      if (utf8Length(text) <= bytes) await soon(() => commands.set(prefix + key, text, Math.ceil(expires * 1000)))
    },
  }
}

/** A response as JSON. Bytes are an array of their base64. */
type Encoded = Omit<CachedResponse, 'body'> & { readonly body: string | readonly [base64: string] }
