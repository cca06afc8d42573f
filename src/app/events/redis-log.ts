import { describeValue } from '../../base/describe.ts'
import type { EventLog, StoredEvent } from './event-log.ts'
import { aborted, type Ring, watch } from './watcher.ts'

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

const PREFIX = 'propylon:channel:'

/** Appends an event to a stream and announces it. The entry of the event N is `N-0`. */
const APPEND = `
local now = redis.call('TIME')
local id = now[1] * 1000000 + now[2]
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
if last[1] then id = math.max(id, tonumber(string.match(last[1][1], '^%d+')) + 1) end
id = string.format('%.0f', id)
redis.call('XADD', KEYS[1], 'MAXLEN', ARGV[1], id .. '-0', 'json', ARGV[2], unpack(ARGV, 3))
redis.call('PUBLISH', KEYS[1], '')
return id`

/** Events in a stream of Redis. */
export function redisLog(client: RedisClient, name: string, keep: number): EventLog {
  // ioredis has these members too, with other arguments.
  const isOther = typeof client?.sendCommand !== 'function' || 'defineCommand' in client
  if (isOther || typeof client.duplicate !== 'function') {
    throw new TypeError(`channel() got ${describeValue(client)} as redis. Pass a client of the package redis.`)
  }
  const key = PREFIX + name

  async function entries(command: string, from: string, to: string, count: number): Promise<StoredEvent[]> {
    const reply = await client.sendCommand([command, key, from, to, 'COUNT', String(count)])
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
      return Number(await client.sendCommand(['EVAL', APPEND, '1', key, String(keep), json, ...type]))
    },

    async positionOf(id) {
      if (id === undefined) return (await entries('XREVRANGE', '+', '-', 1))[0]?.id ?? 0
      const known = await entries('XRANGE', `${id}-0`, `${id}-0`, 1)
      return known.length > 0 ? id : 0
    },

    after: (id, count) => entries('XRANGE', `${id + 1}-0`, '+', count),

    watch: (wake) => watch(client, listen, key, wake),
  }
}

/** Listens by a connection of its own. The client opens it again when it is lost, and subscribes again. */
async function listen(client: RedisClient, ring: Ring, signal: AbortSignal): Promise<void> {
  const subscriber = client.duplicate()
  const close = () => {
    try {
      subscriber.destroy()
    } catch {
      // It is closed already.
    }
  }
  try {
    const ended = new Promise<void>((resolve) => void subscriber.on('end', () => resolve()))
    // The client that was given reports its errors to the application.
    subscriber.on('error', () => {})
    subscriber.on('ready', () => ring())
    const listening = subscriber.connect().then(async () => {
      // A connection that is being opened outlives destroy().
      if (signal.aborted) return close()
      await subscriber.pSubscribe(`${PREFIX}*`, (_, name) => ring(name))
      ring()
      await ended
    })
    await Promise.race([listening, aborted(signal)])
  } finally {
    close()
  }
}
