import { promises as fs } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { FileMigrationProvider, Migrator } from 'kysely/migration'
import { database } from './database.ts'

/** Runs the files in `migrations/`, in the order of their names. `npx propylon migrate` uses it. */
export const migrator = new Migrator({
  db: database,
  provider: new FileMigrationProvider({
    fs,
    path,
    migrationFolder: fileURLToPath(new URL('../migrations/', import.meta.url)),
    import: (file) => import(pathToFileURL(file).href),
  }),
})
