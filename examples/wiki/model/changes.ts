import { EventEmitter, once } from 'node:events'
import type { Transaction } from 'kysely'
import { keep } from 'propylon'
import { database } from '../config/database.ts'
import { redis } from '../config/redis.ts'
import type { ChangesTable, Tables } from './tables.ts'

/** Number of changes that are kept for clients that reconnect. */
const KEPT = 5000

/** Number of changes that are read at once. */
const BATCH = 200

/** Channel of Redis on which processes announce changes. The changes themselves are in the database. */
const CHANNEL = 'wiki:changes'

/** Emits `change` whenever there may be new changes. Every open stream listens. */
const news = keep('news of the wiki', () => new EventEmitter().setMaxListeners(0))

/** Batches by the change before them, so that a change is read once for all streams. */
const batches = new Map<number, Promise<ChangesTable[]>>()

/** Records a change in the transaction that makes it. */
export async function recordChange(
  transaction: Transaction<Tables>,
  change: Omit<ChangesTable, 'id'>,
): Promise<void> {
  // Until the transaction ends, the row is locked. So ids grow in the order in which changes become visible.
  const { value: id } = await transaction
    .updateTable('counters')
    .set(({ eb }) => ({ value: eb('value', '+', 1) }))
    .where('name', '=', 'changes')
    .returning('value')
    .executeTakeFirstOrThrow()
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
export function announce(): void {
  wake()
  redis
    ?.publish(CHANNEL, '')
    .catch((error: Error) => console.error(`A change was not announced: ${error.message}`))
}

function wake(): void {
  batches.clear()
  news.emit('change')
}

/** Subscribes to the changes of other processes. */
export async function listenForChanges(): Promise<() => void> {
  const subscriber = redis?.duplicate()
  // Changes may have been missed while there was no connection.
  subscriber
    ?.on('ready', wake)
    .on('message', wake)
    .on('error', () => {})
  await subscriber?.subscribe(CHANNEL)
  return () => subscriber?.disconnect()
}

/** Returns the id of the latest change. */
export async function latestChange(): Promise<number> {
  const { value } = await database
    .selectFrom('counters')
    .select('value')
    .where('name', '=', 'changes')
    .executeTakeFirstOrThrow()
  return value
}

/** Yields the changes after one, and waits for more until the signal is aborted. */
export async function* changesAfter(last: number, signal: AbortSignal): AsyncGenerator<ChangesTable> {
  let at = last
  while (!signal.aborted) {
    const batch = readAfter(at)
    for (const change of await batch) {
      yield change
      at = change.id
    }
    // Nothing is missed: this is a new batch if changes were announced in the meantime.
    if (batches.get(at) === batch) await once(news, 'change', { signal })
  }
}

function readAfter(id: number): Promise<ChangesTable[]> {
  const known = batches.get(id)
  if (known !== undefined) return known
  const batch = database
    .selectFrom('changes')
    .selectAll()
    .where('id', '>', id)
    .orderBy('id')
    .limit(BATCH)
    .execute()
  batches.set(id, batch)
  return batch
}
