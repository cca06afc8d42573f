import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { quoted, UsageError } from '../../base/command-line/command-errors.ts'
import { findFile, type Project, pathIn } from './project.ts'

/**
 * Reads environment variables from a file in the format of `node --env-file`.
 *
 * @param file - value of `--env-file`, relative to `cwd`. Undefined for the project's `.env`, which need not exist.
 * @throws UsageError - the file cannot be read.
 */
export function readEnvFile(
  project: Project,
  file: string | undefined,
  cwd: string,
): Readonly<Record<string, string | undefined>> {
  if (file === undefined && findFile(project, ['.env']) === undefined) return {}
  const path = file === undefined ? pathIn(project, '.env') : resolve(cwd, file)
  try {
    return parseEnv(readFileSync(path, 'utf8'))
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new UsageError(`${quoted(path)} cannot be read (${why})`, 'correct --env-file, or omit it')
  }
}

/** Sets variables of this process. Those that are set keep their values, as with `process.loadEnvFile`. */
export function setVariables(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables)) process.env[name] ??= value
}
