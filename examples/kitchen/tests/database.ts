/**
 * Gives the tests a database of their own, with all tables. Import this module before the application:
 *
 *     import '../database.ts'
 *     import app from '../../app.ts'
 */
process.env.DATABASE_URL = 'sqlite::memory:'

const { migrator } = await import('../config/migrator.ts')
const { error } = await migrator.migrateToLatest()
if (error !== undefined) throw error

/** The reason to skip tests that need the database, or false. */
export const skip: string | false = false
