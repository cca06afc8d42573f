import assert from 'node:assert/strict'
import { test } from 'node:test'
import { database } from '../../config/database.ts'
import { migrator } from '../../config/migrator.ts'
import { skip } from '../database.ts'

test('the migrations create all tables', { skip }, async () => {
  assert.ok((await migrator.getMigrations()).every(({ executedAt }) => executedAt !== undefined))
  const tables = await database.introspection.getTables()
  assert.ok(tables.some(({ name }) => name === 'sessions'))
})
