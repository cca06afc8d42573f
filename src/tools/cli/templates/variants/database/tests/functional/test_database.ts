import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { database } from '../../config/database.ts'
import { migrator } from '../../config/migrator.ts'
import { skip } from '../database.ts'

test('the migrations create all tables', { skip }, async () => {
  assert.ok((await migrator.getMigrations()).every(({ executedAt }) => executedAt !== undefined))
  const tables = await database.introspection.getTables()
  assert.ok(tables.some(({ name }) => name === 'sessions'))
})

test('a bigint is a number', { skip }, async () => {
  const { rows } = await sql<{ time: number }>`select cast(1 as bigint) as time`.execute(database)
  assert.deepEqual(
    rows.map(({ time }) => time),
    [1],
  )
})
