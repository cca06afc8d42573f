// Creates the tables of the tests' database. Import this module in tests of pages that need data.
process.env.NODE_ENV = 'test'
const { migrator } = await import('../config/migrator.ts')
const { error } = await migrator.migrateToLatest()
if (error !== undefined) throw error

/** The reason to skip tests that need the database, or false. */
export const skip: string | false = false
