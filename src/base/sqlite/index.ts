/**
 * Kysely on SQLite by node:sqlite, which needs no driver to install.
 *
 * @module
 */
export { sqliteDialect } from './sqlite-dialect.ts'
