import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Programs } from '../../types/compiler.ts'
import { propylon } from './command-process.ts'

const programs = new Programs()
process.once('exit', () => programs.remove())

/** Returns the errors of the compiler in a project: `controllers/pages.ts(4,9): TS2345: …`. */
export function types(project: string): string {
  programs.addProject(project)
  const errors = programs.check()
  return errors
    .map(({ file, line, column, message }) => `${relative(project, file)}(${line},${column}): ${message}`)
    .join('\n')
}

/** Runs `propylon check`, which runs the compiler over all files of a project and reports each of its errors. */
export async function checked(
  project: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ status: number | null; output: string }> {
  const { status, stdout, stderr } = await propylon(['check'], { cwd: project, env })
  return { status, output: stdout + stderr }
}

/** The outcome of a check that finds nothing. */
export const RIGHT = { status: 0, output: 'Routes, controllers, actions and arguments fit together.\n' }

/** Runs the tests of a project as its own `npm test` does. No template reads a member that does not exist. */
export function tests(
  project: string,
  env: Readonly<Record<string, string | undefined>> = {},
): { status: number | null; output: string } {
  const files = readdirSync(join(project, 'tests/functional')).map((name) => `tests/functional/${name}`)
  const run = spawnSync(process.execPath, ['--conditions=propylon-source', '--test', ...files], {
    cwd: project,
    encoding: 'utf8',
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_ENV: undefined, ...env },
  })
  const output = run.stdout + run.stderr
  assert.doesNotMatch(output, /: it\.\w+ does not exist\./)
  return { status: run.status, output }
}
