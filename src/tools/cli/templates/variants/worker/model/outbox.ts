// Background work: stores it, and does what is due.
import { randomUUID } from 'node:crypto'
import { type Kysely, PostgresAdapter } from 'kysely'
import { database } from '../config/database.ts'
import type { Tables } from './tables.ts'

/** The functions that do the work, by its kind. */
export type Handlers = Readonly<Record<string, (data: never) => Promise<unknown>>>

/** A piece of work. */
type Work = {
  id: string
  kind: string
  /** JSON. */
  data: string
  attempts: number
  /** Milliseconds since 1970, before which the work is not done. */
  due: number
  /** Seconds after which it is done again, or null if it is done once. */
  every: number | null
}

type OutboxTables = { outbox: Work }

const outbox = database.withTables<OutboxTables>()

/** Time for one piece of work, in milliseconds. Then another worker does it again. */
const LEASE = 60_000

/** Number of attempts after which work is left in the table, for you to look at. The last one is after 17 hours. */
const MAX_ATTEMPTS = 10

/**
 * Stores work. Pass the transaction that makes the change, so that both are stored or none. The kind is not checked, because
 * another version of the worker may handle it: a misspelt one waits in the table.
 */
export async function later(transaction: Kysely<Tables>, kind: string, data?: unknown): Promise<void> {
  const json = JSON.stringify(data ?? null)
  const work = { id: randomUUID(), kind, data: json, attempts: 0, due: Date.now(), every: null }
  await transaction.withTables<OutboxTables>().insertInto('outbox').values(work).execute()
}

/** Stores work that is done again and again. The seconds count from 1970: `24 * 60 * 60` is each midnight (UTC). */
export async function repeat(kind: string, every: number): Promise<void> {
  const work = { id: kind, kind, data: 'null', attempts: 0, due: next(every), every }
  // It is stored once, however often this is called, and keeps its time.
  const changed = { every }
  await outbox
    .insertInto('outbox')
    .values(work)
    .onConflict((c) => c.column('id').doUpdateSet(changed))
    .execute()
}

const next = (every: number) => (Math.floor(Date.now() / 1000 / every) + 1) * every * 1000

/**
 * Does what is due, the oldest first. Returns the number of pieces that it has tried. Work of a kind without a handler waits, for
 * a newer worker.
 */
export async function workOff(handlers: Handlers, signal?: AbortSignal): Promise<number> {
  for (let tried = 0; ; tried++) {
    const work = signal?.aborted ? undefined : await claim(Object.keys(handlers))
    if (work === undefined) return tried
    const row = outbox.updateTable('outbox').where('id', '=', work.id)
    try {
      await handlers[work.kind]?.(JSON.parse(work.data) as never)
      if (work.every === null) await outbox.deleteFrom('outbox').where('id', '=', work.id).execute()
    } catch (error) {
      console.error(`Attempt ${work.attempts} of ${work.kind} failed.`, error)
      // The next attempts are after 2, 4, 8 … minutes.
      const due = Date.now() + 2 ** work.attempts * 60_000
      if (work.every === null) await row.set({ due }).execute()
    }
    if (work.every !== null) await row.set({ attempts: 0, due: next(work.every) }).execute()
  }
}

const isPostgres = database.getExecutor().adapter instanceof PostgresAdapter

/** Takes the oldest piece of work that is due. Of several workers one receives it, and none waits for another. */
async function claim(kinds: readonly string[]): Promise<Work | undefined> {
  if (kinds.length === 0) return undefined
  const oldest = outbox
    .selectFrom('outbox')
    .select('id')
    .where('due', '<=', Date.now())
    .where('attempts', '<', MAX_ATTEMPTS)
    .where('kind', 'in', kinds)
    .orderBy('due')
    .limit(1)
    .$if(isPostgres, (query) => query.forUpdate().skipLocked())
  return outbox
    .updateTable('outbox')
    .set((row) => ({ attempts: row('attempts', '+', 1), due: Date.now() + LEASE }))
    .where('id', '=', oldest)
    .returningAll()
    .executeTakeFirst()
}
