// The data of a new database. `npm run seed` adds what is missing, so it may run again.
import type { InsertObject } from 'kysely'
import { database } from '../config/database.ts'
import type { Tables } from './tables.ts'

/** Adds a row to a table, unless there is one with its key. */
export async function add<Table extends keyof Tables>(table: Table, row: InsertObject<Tables, Table>): Promise<void> {
  await database
    .insertInto(table)
    .values(row)
    .onConflict((on) => on.doNothing())
    .execute()
}

/** Adds the data: `await add('books', { id: 'dune', title: 'Dune' })`. */
export default async function seed(): Promise<void> {}
