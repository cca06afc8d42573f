/**
 * Stores of sessions.
 *
 * @module
 */
export type { IORedisClient, NodeRedisClient } from '../../base/redis-commands.ts'
export type * from './data.ts'
export {
  type KyselyDatabase,
  type KyselyStore,
  type KyselyStoreOptions,
  kyselyStore,
} from './kysely-store.ts'
export { type MemoryStoreOptions, memoryStore } from './memory-store.ts'
export { type RedisStoreOptions, redisStore } from './redis-store.ts'
export { Session } from './session.ts'
export type { SessionCookieOptions, SessionOptions } from './session-options.ts'
export type { SessionStore } from './store.ts'
