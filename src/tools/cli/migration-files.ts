import { existsSync, readdirSync } from 'node:fs'
import { type Project, pathIn } from './project.ts'

/** Returns the paths of the migrations, relative to the project. */
export function migrationFiles(project: Project): string[] {
  const folder = pathIn(project, 'migrations')
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.filter((name) => /(?<!\.d)\.[jt]s$/.test(name)).map((name) => `migrations/${name}`)
}

/** Returns the time as `20261231235959`, or the next number after the last migration if that is later. */
export function nextStamp(migrations: readonly string[]): string {
  const stamps = migrations.map((file) => /^migrations\/(\d{14})_/.exec(file)?.[1] ?? '')
  const last = stamps.sort().at(-1) ?? ''
  const now = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
  return now > last ? now : String(BigInt(last) + 1n)
}
