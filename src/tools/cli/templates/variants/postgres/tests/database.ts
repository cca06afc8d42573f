/**
 * Creates the tables of the tests' database, which `TEST_DATABASE_URL` names. Import this module in tests of pages that need
 * data.
 */
process.env.NODE_ENV = 'test'

/** The reason to skip tests that need the database, or false. */
export const skip: string | false = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL names no database'

if (skip === false) {
  const { after } = await import('node:test')
  const { database } = await import('../config/database.ts')
  const { migrator } = await import('../config/migrator.ts')
  after(() => database.destroy())
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
}
