/** The places where channels keep their events, each twice, as two processes have it. */
import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { ChannelOptions } from 'propylon/events'
import { createClient } from 'redis'

export interface Place {
  readonly options: ChannelOptions
  /** Options of another process. */
  readonly other: ChannelOptions
  /** Cuts all connections of both. */
  cut(): Promise<void>
  close(): Promise<void>
}

/** Begins the names of this process. Its channels are removed at the end. */
const prefix = `test-${randomBytes(6).toString('hex')}`
let names = 0

/** Returns a name that no other test has. */
export const uniqueName = () => `${prefix}-${++names}`

async function memoryPlace(): Promise<Place> {
  return { options: {}, other: {}, cut: async () => {}, close: async () => {} }
}

async function redisPlace(url: string, isIORedis: boolean): Promise<Place> {
  const name = uniqueName()
  const open = async () => {
    if (!isIORedis)
      return createClient({ url, name })
        .on('error', () => {})
        .connect()
    return new Redis(url, { connectionName: name, keyPrefix: 'test:' }).on('error', () => {})
  }
  const clients = [await open(), await open()] as const
  const admin = await createClient({ url })
    .on('error', () => {})
    .connect()
  return {
    options: { redis: clients[0] },
    other: { redis: clients[1] },
    async cut() {
      const list = String(await admin.sendCommand(['CLIENT', 'LIST']))
      for (const [, id = ''] of list.matchAll(new RegExp(`^id=(\\d+) .* name=${name} `, 'gm'))) {
        await admin.sendCommand(['CLIENT', 'KILL', 'ID', id])
      }
    },
    async close() {
      const keys = await admin.keys(`*propylon:channel:${prefix}*`)
      if (keys.length > 0) await admin.del(keys)
      for (const client of clients) 'destroy' in client ? client.destroy() : client.disconnect()
      admin.destroy()
    },
  }
}

async function postgresPlace(connectionString: string): Promise<Place> {
  const application_name = uniqueName()
  const pools = [1, 2].map(() => new pg.Pool({ connectionString, application_name, max: 4 }))
  const [one, two] = pools
  if (one === undefined || two === undefined) throw new Error('there are two pools')
  for (const pool of pools) pool.on('error', () => {})
  const admin = new pg.Pool({ connectionString, max: 1 })
  return {
    options: { postgres: one },
    other: { postgres: two },
    async cut() {
      const text = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1'
      await admin.query(text, [application_name])
    },
    async close() {
      for (const pool of pools) await pool.end()
      for (const [table, column] of [
        ['propylon_events', 'channel'],
        ['propylon_channels', 'name'],
      ]) {
        await admin.query(`DELETE FROM ${table} WHERE ${column} LIKE $1`, [`${prefix}%`])
      }
      await admin.end()
    },
  }
}

const { PROPYLON_TEST_REDIS: redis, PROPYLON_TEST_POSTGRES: postgres } = process.env

/** The places by name. Redis and PostgreSQL only if the environment names them. */
export const PLACES: Readonly<Record<string, () => Promise<Place>>> = {
  memory: memoryPlace,
  ...(redis === undefined
    ? {}
    : { Redis: () => redisPlace(redis, false), 'Redis by ioredis': () => redisPlace(redis, true) }),
  ...(postgres === undefined ? {} : { PostgreSQL: () => postgresPlace(postgres) }),
}
