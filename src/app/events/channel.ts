import { describeValue } from '../../base/describe.ts'
import { getOrCreate } from '../../base/get-or-create.ts'
import { checkNames } from '../../base/suggest.ts'
import type { EventLog, NewEvent, StoredEvent } from './event-log.ts'
import { type PostgresPool, postgresLog } from './postgres-log.ts'
import { type IORedisConnection, type RedisClient, redisLog } from './redis-log.ts'
import { Feed, LogSubscription, type Subscription } from './subscription.ts'

/** Options of {@link channel}. Without a database the events stay within the process. */
export interface ChannelOptions {
  /** A client of the package `redis`, version 5 or later, or of `ioredis`. Sessions may have the same one. */
  readonly redis?: RedisClient | IORedisConnection | undefined
  /** A Pool of the package `pg`. */
  readonly postgres?: PostgresPool | undefined
  /** Number of events that are kept for readers that come back. Defaults to 10,000. */
  readonly keep?: number | undefined
}

/** Longest name of a channel, and of the type of an event. */
const MAX_NAME = 200

/** Maximum length of the data of an event, as JSON, in characters. */
const MAX_DATA = 1_048_576

const DEFAULT_KEEP = 10_000

/**
 * Returns a channel. Each subscriber receives the events that are published, in the order of their ids. Channels of one
 * name and database are one channel, in whatever process they are.
 *
 * The events are kept in a stream of Redis, in two tables of PostgreSQL, which are created on first use, or in
 * memory. While there are subscriptions, one connection of the database listens for all channels: a copy of the
 * client of Redis, or a connection of the pool. Both are opened again when they are lost, and subscriptions miss
 * nothing that is kept.
 *
 * The client or the pool is yours: close it with the application, when its subscriptions have ended.
 *
 * @see docs/reference/events.md
 * @typeParam Data - the data of its events, which is JSON.
 * @param name - at most 200 characters.
 * @throws TypeError - the name is not text, or an option is of another kind.
 * @throws RangeError - `keep` is not an integer above 0.
 *
 * @example
 * ```ts
 * import { eventStream, WSGIController } from 'propylon'
 * import { channel } from 'propylon/events'
 *
 * const news = channel<{ title: string }>('news')
 *
 * export class NewsController extends WSGIController {
 *   index() {
 *     return eventStream(news.subscribe(this.request.lastEventId))
 *   }
 *
 *   async create() {
 *     const title = (await this.request.form()).get('title') ?? ''
 *     await news.publish({ event: 'added', data: { title } })
 *   }
 * }
 * ```
 */
export function channel<Data = unknown>(name: string, options: ChannelOptions = {}): Channel<Data> {
  checkNames('channel()', options, 'redis postgres keep')
  const { redis, postgres, keep = DEFAULT_KEEP } = options
  checkName('name of a channel', name)
  if (!Number.isSafeInteger(keep) || keep < 1) {
    throw new RangeError(`channel({ keep: ${describeValue(keep)} }): give an integer above 0.`)
  }
  if (redis !== undefined && postgres !== undefined) {
    throw new TypeError(`The channel ${JSON.stringify(name)} has both redis and postgres. Give one of them.`)
  }
  if (redis !== undefined) return logChannel(name, redisLog(redis, name, keep))
  return logChannel(name, postgres === undefined ? memoryLog(name, keep) : postgresLog(postgres, name, keep))
}

/** A channel. {@link channel} creates it. */
export interface Channel<Data = unknown> {
  readonly name: string
  /**
   * Publishes an event. Publish what a transaction has changed when the transaction has ended.
   *
   * @returns the id of the event. All subscriptions receive it, also those that begin later, behind an earlier id.
   * @throws TypeError, as a rejection - the data is not JSON, or the type of the event has line ends or is too long.
   * @throws RangeError, as a rejection - the data has more than 1,048,576 characters as JSON.
   * @throws the error of the database, as a rejection.
   */
  publish(event: NewEvent<Data>): Promise<string>
  /**
   * Returns the events from now on, or those behind an id: an async iterable for `eventStream()`. An id that the
   * channel does not have, or does not keep any more, begins at the oldest event that is kept.
   *
   * The subscription ends with its stream, when the loop is left, or by {@link close}.
   *
   * @param lastEventId - `request.lastEventId`: the id of the last event that the client has received.
   */
  subscribe(lastEventId?: string | number): Subscription<Data>
  /** Ends all subscriptions, and those that begin later. Event streams end at the shutdown of a server without it. */
  close(): void
}

function logChannel<Data>(name: string, log: EventLog): Channel<Data> {
  const feed = new Feed(name, log)
  const subscriptions = new Set<Subscription<Data>>()
  /** Positions of new subscriptions that are not known yet. */
  const starts = new Set<Promise<unknown>>()
  let isClosed = false
  return {
    name,

    async publish({ event, data }) {
      if (event !== undefined) checkName('type of an event', event)
      const json: string | undefined = JSON.stringify(data)
      if (json === undefined) {
        throw new TypeError(`publish() got ${describeValue(data)} as data. Give a value that JSON can express.`)
      }
      if (json.length > MAX_DATA) {
        throw new RangeError(
          `The data of the event has ${json.length} characters, but ${MAX_DATA} are allowed. Publish an id, and let clients fetch the rest.`,
        )
      }
      // Subscriptions that have begun before receive the event.
      if (starts.size > 0) await Promise.allSettled(starts)
      const id = await log.append(event, json)
      feed.wake()
      return String(id)
    },

    subscribe(lastEventId) {
      // Text that is no integer is the id of no event.
      const id = lastEventId === undefined || /^\d{1,16}$/.test(String(lastEventId)) ? lastEventId : 0
      const start = log.positionOf(id === undefined ? undefined : Number(id))
      starts.add(start)
      const forget = () => void starts.delete(start)
      start.then(forget, forget)
      const begun = start.then(() => {})
      // next() throws the error too.
      begun.catch(() => {})
      const onEnd = () => void subscriptions.delete(subscription)
      const subscription: Subscription<Data> = new LogSubscription(feed, start, begun, onEnd)
      if (isClosed) void subscription.return()
      else subscriptions.add(subscription)
      return subscription
    },

    close() {
      isClosed = true
      for (const subscription of subscriptions) void subscription.return()
    },
  }
}

/** @throws TypeError - the text is not one line of at most {@link MAX_NAME} characters. */
function checkName(label: string, name: unknown): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: neither PostgreSQL nor browsers accept NUL
  if (typeof name === 'string' && name.length > 0 && name.length <= MAX_NAME && !/[\r\n\u0000]/.test(name)) return
  throw new TypeError(`The ${label} is ${describeValue(name)}. Give a line of 1 to ${MAX_NAME} characters.`)
}

/** A channel in the memory of the process. The ids of its events are consecutive. */
interface Kept {
  readonly events: Map<number, StoredEvent>
  readonly listeners: Set<() => void>
  last: number
}

/** All channels of the process by name: channels of one name are one channel. */
const channels = new Map<string, Kept>()

export function memoryLog(name: string, keep: number): EventLog {
  const create = () => ({ events: new Map(), listeners: new Set<() => void>(), last: Date.now() * 1000 })
  const kept = getOrCreate(channels, name, create)
  const { events, listeners } = kept
  return {
    async append(event, json) {
      const id = ++kept.last
      events.set(id, { id, event, json })
      for (const oldest of events.keys()) {
        if (oldest > id - keep) break
        events.delete(oldest)
      }
      for (const wake of listeners) wake()
      return id
    },

    async positionOf(id) {
      if (id === undefined) return kept.last
      return events.has(id) ? id : kept.last - events.size
    },

    async after(id, count) {
      const found: StoredEvent[] = []
      const first = Math.max(id + 1, kept.last - events.size + 1)
      for (let next = first; next <= kept.last && found.length < count; next++) {
        const event = events.get(next)
        if (event !== undefined) found.push(event)
      }
      return found
    },

    watch(wake) {
      listeners.add(wake)
      return () => void listeners.delete(wake)
    },
  }
}
