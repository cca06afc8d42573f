import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Kysely } from 'kysely'
import { sqliteDialect } from 'propylon/sqlite'
import type { Tables } from '../migrations/tables.ts'

/** `sqlite:PATH`; by default a file of this folder. */
const url = process.env.DATABASE_URL || `sqlite:${fileURLToPath(new URL('../var/conduit.db', import.meta.url))}`
if (!process.env.DATABASE_URL) mkdirSync(new URL('../var/', import.meta.url), { recursive: true })

export const database = new Kysely<Tables>({ dialect: sqliteDialect(url.replace(/^sqlite:/, '')) })
