/**
 * Channels: events that many clients receive, in one process or in many.
 *
 * @module
 */
export { type Channel, type ChannelOptions, channel } from './channel.ts'
export type { ChannelEvent, NewEvent } from './event-log.ts'
export type { PostgresClient, PostgresPool } from './postgres-log.ts'
export type { IORedisConnection, IORedisListening, RedisClient, RedisSubscriber } from './redis-log.ts'
export type { Subscription } from './subscription.ts'
