// Background work: stores it, and does what is due.
import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
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
}

type OutboxTables = { outbox: Work }

const outbox = database.withTables<OutboxTables>()

/** Time for one piece of work, in milliseconds. Then another worker does it again. */
const LEASE = 60_000

/** Longest time between two attempts, in milliseconds. */
const MAX_PAUSE = 24 * 60 * 60_000

/**
 * Stores work. Pass the transaction that makes the change, so that both are stored or none. The kind is not checked, because
 * another version of the worker may handle it: a misspelt one waits in the table.
 */
export async function later(transaction: Kysely<Tables>, kind: string, data?: unknown): Promise<void> {
  const json = JSON.stringify(data ?? null)
  const work = { id: randomUUID(), kind, data: json, attempts: 0, due: Date.now() }
  await transaction.withTables<OutboxTables>().insertInto('outbox').values(work).execute()
}

/**
 * Does what is due, the oldest first. Returns the number of pieces that it has tried. Work of a kind without a handler waits, for
 * a newer worker.
 */
export async function workOff(handlers: Handlers, signal?: AbortSignal): Promise<number> {
  for (let tried = 0; ; tried++) {
    const work = signal?.aborted ? undefined : await claim(Object.keys(handlers))
    if (work === undefined) return tried
    try {
      await handlers[work.kind]?.(JSON.parse(work.data) as never)
      await outbox.deleteFrom('outbox').where('id', '=', work.id).execute()
    } catch (error) {
      // The next attempts are after 2, 4, 8 … minutes.
      const due = Date.now() + Math.min(2 ** work.attempts * 60_000, MAX_PAUSE)
      console.error(`Attempt ${work.attempts} of ${work.kind} failed.`, error)
      await outbox.updateTable('outbox').set({ due }).where('id', '=', work.id).execute()
    }
  }
}

/** Takes the oldest piece of work that is due. Of several workers one receives it. */
async function claim(kinds: readonly string[]): Promise<Work | undefined> {
  if (kinds.length === 0) return undefined
  const oldest = await outbox
    .selectFrom('outbox')
    .selectAll()
    .where('due', '<=', Date.now())
    .where('kind', 'in', kinds)
    .orderBy('due')
    .executeTakeFirst()
  if (oldest === undefined) return undefined
  const taken = await outbox
    .updateTable('outbox')
    .set({ attempts: oldest.attempts + 1, due: Date.now() + LEASE })
    // The condition is the check: a worker that was faster has changed the time.
    .where('id', '=', oldest.id)
    .where('due', '=', oldest.due)
    .returningAll()
    .executeTakeFirst()
  return taken ?? claim(kinds)
}
