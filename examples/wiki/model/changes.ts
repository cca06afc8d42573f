import { EventEmitter, once } from 'node:events'
import { sql, type Transaction } from 'kysely'
import { keep } from 'propylon'
import { database } from '../config/database.ts'
import { redis } from '../config/redis.ts'
import type { ChangesTable, Tables } from './tables.ts'

/** Number of changes that are kept for clients that reconnect. */
const KEPT = 5000

/** Channel of Redis on which processes announce changes. The changes themselves are in the database. */
const CHANNEL = 'wiki:changes'

/** Emits `change` whenever there may be new changes. Every open stream listens. */
const news = keep('news of the wiki', () => new EventEmitter().setMaxListeners(0))

/** The changes after each id, read once for all streams that wait there. Emptied by {@link wake}. */
const batches = new Map<number, Promise<ChangesTable[]>>()

function wake(): void {
  batches.clear()
  news.emit('change')
}

/** Records a change in the transaction that makes it. */
export async function recordChange(
  transaction: Transaction<Tables>,
  change: Omit<ChangesTable, 'id'>,
): Promise<void> {
  // The row is locked until the transaction ends, so ids grow in the order in which changes become visible.
  const last = transaction.updateTable('last_change').set({ id: sql`id + 1` }).returning('id')
  const { id } = await last.executeTakeFirstOrThrow()
  await transaction
    .insertInto('changes')
    .values({ id, ...change })
    .execute()
  if (id % 100 === 0)
    await transaction
      .deleteFrom('changes')
      .where('id', '<=', id - KEPT)
      .execute()
}

/** Wakes the streams of this process, and of all others if there is Redis. Call it when the transaction has ended. */
export function announceChange(): void {
  wake()
  redis
    ?.publish(CHANNEL, '')
    .catch((error: Error) => console.error(`A change was not announced: ${error.message}`))
}

/** Listens to other processes. Returns a function that ends it. */
export async function listenForChanges(): Promise<() => void> {
  const subscriber = redis?.duplicate()
  // After `ready` as well: changes may have been missed without a connection.
  subscriber
    ?.on('error', () => {})
    .on('ready', wake)
    .on('message', wake)
  await subscriber?.subscribe(CHANNEL)
  return () => subscriber?.disconnect()
}

/** Returns the id of the latest change. */
export async function latestChange(): Promise<number> {
  return (await database.selectFrom('last_change').select('id').executeTakeFirstOrThrow()).id
}

/** Yields the changes after one, and waits for more until the signal is aborted. */
export async function* changesAfter(last: number, signal: AbortSignal): AsyncGenerator<ChangesTable> {
  let at = last
  while (!signal.aborted) {
    const batch = batches.get(at) ?? readAfter(at)
    batches.set(at, batch)
    for (const change of await batch) {
      yield change
      at = change.id
    }
    // Another batch, or none, means that there is news already.
    if (batches.get(at) === batch) await once(news, 'change', { signal })
  }
}

function readAfter(id: number): Promise<ChangesTable[]> {
  return database.selectFrom('changes').selectAll().where('id', '>', id).orderBy('id').limit(200).execute()
}
