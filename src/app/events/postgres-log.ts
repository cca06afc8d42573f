import { describeValue } from '../../base/describe.ts'
import { getOrCreate } from '../../base/get-or-create.ts'
import type { EventLog } from './event-log.ts'
import { aborted, type Ring, watch } from './watcher.ts'

/** The members of a `Pool` of the package `pg` that are used. */
export interface PostgresPool {
  readonly options?: { readonly max?: number | undefined } | undefined
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
  connect(): Promise<PostgresClient>
}

/** The members of a client of a {@link PostgresPool} that are used. */
export interface PostgresClient {
  query(text: string): Promise<unknown>
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown
  on(event: 'error' | 'end', listener: () => void): unknown
  release(destroy: boolean): void
}

/** Name of the notifications. Their payload is the name of the channel. */
const NOTIFICATION = 'propylon_events'

const TABLES = [
  `CREATE TABLE IF NOT EXISTS propylon_channels (
    name text PRIMARY KEY, last_id bigint NOT NULL, events bigint NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS propylon_events (
    channel text NOT NULL, id bigint NOT NULL, number bigint NOT NULL, event text, json text NOT NULL,
    PRIMARY KEY (channel, id), UNIQUE (channel, number)
  )`,
]

/**
 * Stores an event with the next id and the next number of its channel. The row of the channel is locked until the
 * transaction has been committed, so ids grow in the order in which events become visible, which the values of a
 * sequence do not.
 */
const APPEND = `
  WITH next AS (
    INSERT INTO propylon_channels AS known (name, last_id, events)
    VALUES ($1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, 1)
    ON CONFLICT (name) DO UPDATE SET
      last_id = greatest(known.last_id + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint),
      events = known.events + 1
    RETURNING last_id AS id, events AS number
  ), stored AS (
    INSERT INTO propylon_events (channel, id, number, event, json) SELECT $1, id, number, $2, $3 FROM next
  ), removed AS (
    DELETE FROM propylon_events AS old USING next WHERE old.channel = $1 AND old.number <= next.number - $4::bigint
  )
  SELECT id::text, pg_notify('${NOTIFICATION}', $1) FROM next`

/** Concurrent publishers may leave more events than are to be kept. They are passed over. */
const KEPT = `FROM propylon_events JOIN propylon_channels ON name = channel
  WHERE channel = $1 AND number > events - $2::bigint`

const POSITION = `
  SELECT CASE
    WHEN $3::bigint IS NULL THEN (SELECT max(id) FROM propylon_events WHERE channel = $1)
    ELSE (SELECT id ${KEPT} AND id = $3::bigint)
  END::text AS id`
const AFTER = `SELECT id::text, event, json ${KEPT} AND id > $3::bigint ORDER BY id LIMIT $4`

interface Row {
  readonly id: string
  readonly event: string | null
  readonly json: string
}

/** The promise of the tables of each pool. */
const prepared = new WeakMap<PostgresPool, Promise<unknown>>()

/** Events in a table of PostgreSQL. */
export function postgresLog(pool: PostgresPool, name: string, keep: number): EventLog {
  if (typeof pool?.connect !== 'function' || typeof pool.query !== 'function') {
    throw new TypeError(`channel() got ${describeValue(pool)} as postgres. Pass a Pool of the package pg.`)
  }
  if (pool.options?.max === 1) {
    throw new RangeError('channel() needs a Pool of at least two connections, because one of them listens.')
  }

  async function query<Result>(text: string, ...values: unknown[]): Promise<readonly Result[]> {
    await getOrCreate(prepared, pool, () => prepare(pool)).catch((error: unknown) => {
      prepared.delete(pool)
      throw error
    })
    const { rows } = await pool.query(text, [name, ...values])
    return rows as readonly Result[]
  }

  return {
    async append(event, json) {
      const [row] = await query<Row>(APPEND, event ?? null, json, keep)
      return Number(row?.id)
    },

    async positionOf(id) {
      const [row] = await query<{ id: string | null }>(POSITION, keep, id ?? null)
      return Number(row?.id ?? 0)
    },

    async after(id, count) {
      const rows = await query<Row>(AFTER, keep, id, count)
      return rows.map(({ id, event, json }) => ({ id: Number(id), event: event ?? undefined, json }))
    },

    watch: (wake) => watch(pool, listen, name, wake),
  }
}

/** Creates the tables. Looks first, because the application may lack the right to create tables. */
async function prepare(pool: PostgresPool): Promise<void> {
  const exist = () => pool.query('SELECT 1 FROM propylon_channels, propylon_events LIMIT 1', [])
  try {
    await exist()
  } catch {
    try {
      for (const table of TABLES) await pool.query(table, [])
    } catch (error) {
      // PostgreSQL fails if another process creates the table at the same moment.
      await exist().catch(() => Promise.reject(error))
    }
  }
}

/** Listens by a connection of the pool until it is lost. */
async function listen(pool: PostgresPool, ring: Ring, signal: AbortSignal): Promise<void> {
  const client = await pool.connect()
  try {
    const lost = new Promise<void>((resolve) => {
      client.on('error', resolve)
      client.on('end', resolve)
    })
    client.on('notification', ({ payload }) => ring(payload))
    if (signal.aborted) return
    await Promise.race([client.query(`LISTEN ${NOTIFICATION}`), lost])
    ring()
    await Promise.race([lost, aborted(signal)])
  } finally {
    client.release(true)
  }
}
