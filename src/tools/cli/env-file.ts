import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { quoted } from '../../base/command-line/command-errors.ts'
import { readNamedFile } from './named-files.ts'
import { findFile, findProject, type Project, pathIn } from './project.ts'

/**
 * Finds the project of a folder, and sets the variables of its `.env` or of another file in this process.
 *
 * @param file - value of `--env-file`, relative to `cwd`.
 * @throws UsageError - there is no project, or the file cannot be read.
 */
export function projectWithSettings(cwd: string, file?: string): Project {
  const project = findProject(cwd)
  setVariables(readEnvFile(project, file, cwd))
  return project
}

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
  return parseEnv(readNamedFile(path, quoted(path), 'correct --env-file, or omit it'))
}

/** Sets variables of this process. Those that are set keep their values, as with `process.loadEnvFile`. */
export function setVariables(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables)) process.env[name] ??= value
}
