import { readdir } from 'node:fs/promises'
import { parse } from 'node:path'
import { type Migration, Migrator } from 'kysely/migration'
import { database } from './database.ts'

const folder = new URL('../migrations/', import.meta.url)

/** Runs the files in `migrations/`, in the order of their names. `npx propylon migrate` uses it. */
export const migrator = new Migrator({ db: database, provider: { getMigrations } })

async function getMigrations(): Promise<Record<string, Migration>> {
  const files = (await readdir(folder)).filter((file) => /(?<!\.d)\.[jt]s$/.test(file))
  const modules = files.map(async (file) => [parse(file).name, await import(new URL(file, folder).href)])
  return Object.fromEntries(await Promise.all(modules))
}
