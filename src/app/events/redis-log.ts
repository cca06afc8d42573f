import { describeValue } from '../../base/describe.ts'
import type { EventLog, StoredEvent } from './event-log.ts'
import { aborted, type Listen, type Ring, watch } from './watcher.ts'

/** The members of a client of the package `redis` (node-redis 5 and later) that are used. */
export interface RedisClient {
  sendCommand(command: string[]): Promise<unknown>
  duplicate(): RedisSubscriber
}

/** The members of a copy of a {@link RedisClient} that are used. */
export interface RedisSubscriber {
  connect(): Promise<unknown>
  pSubscribe(pattern: string, listener: (message: string, channel: string) => void): Promise<unknown>
  on(event: 'error' | 'ready' | 'end', listener: (error?: unknown) => void): unknown
  destroy(): void
}

/** The members of a client of the package `ioredis` (a `Redis`, not a `Cluster`) that are used. */
export interface IORedisConnection {
  readonly status: string
  readonly isCluster: boolean
  call(command: string, ...words: string[]): Promise<unknown>
  duplicate(options: IORedisListening): IORedisConnection
  connect(): Promise<unknown>
  psubscribe(...patterns: string[]): Promise<unknown>
  on(event: 'pmessage', listener: (pattern: string, channel: string) => void): unknown
  on(event: 'error' | 'ready' | 'end', listener: () => void): unknown
  disconnect(): void
}

/** Options of the connection that listens. */
export interface IORedisListening {
  readonly lazyConnect: true
  readonly autoResubscribe: false
}

const PREFIX = 'propylon:channel:'

/** Appends an event to a stream and announces it. The entry of the event N is `N-0`. A client may prefix the key. */
const APPEND = `
local now = redis.call('TIME')
local id = now[1] * 1000000 + now[2]
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
if last[1] then id = math.max(id, tonumber(string.match(last[1][1], '^%d+')) + 1) end
id = string.format('%.0f', id)
redis.call('XADD', KEYS[1], 'MAXLEN', ARGV[1], id .. '-0', 'json', ARGV[3], unpack(ARGV, 4))
redis.call('PUBLISH', ARGV[2], '')
return id`

/** Events in a stream of Redis. */
export function redisLog(client: RedisClient | IORedisConnection, name: string, keep: number): EventLog {
  const source = eventSource(client)
  if (source === undefined) {
    throw new TypeError(
      `channel() got ${describeValue(client)} as redis. Pass a client of the package redis or ioredis, not of a cluster.`,
    )
  }
  const { send, listen } = source
  const key = PREFIX + name

  async function entries(command: string, from: string, to: string, count: number): Promise<StoredEvent[]> {
    const reply = await send([command, key, from, to, 'COUNT', String(count)])
    if (!Array.isArray(reply)) throw new TypeError(`${command} of Redis returned ${describeValue(reply)}.`)
    return reply.map(([id, [, json, , event]]: [string, string[]]) => ({
      id: Number.parseInt(id, 10),
      event,
      json: json ?? 'null',
    }))
  }

  return {
    async append(event, json) {
      const type = event === undefined ? [] : ['event', event]
      return Number(await send(['EVAL', APPEND, '1', key, String(keep), key, json, ...type]))
    },

    async positionOf(id) {
      if (id === undefined) return (await entries('XREVRANGE', '+', '-', 1))[0]?.id ?? 0
      const known = await entries('XRANGE', `${id}-0`, `${id}-0`, 1)
      return known.length > 0 ? id : 0
    },

    after: (id, count) => entries('XRANGE', `${id + 1}-0`, '+', count),

    watch: (wake) => watch(client, (_client, ...how) => listen(...how), key, wake),
  }
}

/** The two uses of a client. */
interface EventSource {
  send(words: string[]): Promise<unknown>
  readonly listen: Listen
}

function eventSource(client: RedisClient | IORedisConnection): EventSource | undefined {
  if (typeof client?.duplicate !== 'function') return undefined
  if ('call' in client) {
    if (client.isCluster || typeof client.call !== 'function') return undefined
    const send = ([command = '', ...words]: string[]) => client.call(command, ...words)
    return { send, listen: (ring, signal) => listen(ioredisListener(client, ring), ring, signal) }
  }
  if (typeof client.sendCommand !== 'function') return undefined
  return {
    send: (words) => client.sendCommand(words),
    listen: (ring, signal) => listen(redisListener(client, ring), ring, signal),
  }
}

/** A connection that listens. */
interface Listener {
  onEnd(listener: () => void): unknown
  /** Connects and subscribes. */
  open(isEnded: () => boolean): Promise<unknown>
  close(): void
}

/** The client opens its connection again when it is lost, and subscribes again before it is ready. */
function redisListener(client: RedisClient, ring: Ring): Listener {
  const subscriber = client.duplicate()
  // The client that was given reports its errors to the application.
  subscriber.on('error', () => {})
  subscriber.on('ready', () => ring())
  return {
    onEnd: (listener) => subscriber.on('end', listener),
    async open(isEnded) {
      await subscriber.connect()
      if (!isEnded()) await subscriber.pSubscribe(`${PREFIX}*`, (_, name) => ring(name))
    },
    close: () => subscriber.destroy(),
  }
}

/** This client is ready before it has subscribed again, so that is done here. */
function ioredisListener(client: IORedisConnection, ring: Ring): Listener {
  const subscriber = client.duplicate({ lazyConnect: true, autoResubscribe: false })
  const subscribe = () => subscriber.psubscribe(`${PREFIX}*`).then(() => ring())
  subscriber.on('error', () => {})
  subscriber.on('pmessage', (_, name) => ring(name))
  // A connection that is lost meanwhile becomes ready again.
  subscriber.on('ready', () => void subscribe().catch(() => {}))
  return {
    onEnd: (listener) => subscriber.on('end', listener),
    open: () => subscriber.connect(),
    close: () => subscriber.disconnect(),
  }
}

async function listen(listener: Listener, ring: Ring, signal: AbortSignal): Promise<void> {
  const close = () => {
    try {
      listener.close()
    } catch {
      // It is closed already.
    }
  }
  try {
    const ended = new Promise<void>((resolve) => void listener.onEnd(resolve))
    const listening = listener
      .open(() => signal.aborted)
      .then(async () => {
        // A connection that is being opened outlives close().
        if (signal.aborted) return close()
        ring()
        await ended
      })
    await Promise.race([listening, aborted(signal)])
  } finally {
    close()
  }
}
