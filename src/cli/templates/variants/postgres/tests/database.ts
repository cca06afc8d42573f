/**
 * Connects the tests with the database of `TEST_DATABASE_URL`, never with that of `DATABASE_URL`, and creates the tables.
 * Import this module before the application:
 *
 *     import { skip } from '../database.ts'
 *     import app from '../../app.ts'
 */
const { TEST_DATABASE_URL } = process.env
process.env.DATABASE_URL = TEST_DATABASE_URL ?? ''

/** The reason to skip tests that need the database, or false. */
export const skip: string | false = TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL names no database'

if (skip === false) {
  const { after } = await import('node:test')
  const { database } = await import('../config/database.ts')
  const { migrator } = await import('../config/migrator.ts')
  after(() => database.destroy())
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
}
