import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE } from './command-line.ts'
import { propylon } from './command-process.ts'

const TSC = join(PACKAGE, 'node_modules/.bin/tsc')

/** Returns the compiler's errors in a project's own files. */
export function types(project: string): string {
  const tsc = spawnSync(process.execPath, [TSC, '--noEmit', '--customConditions', 'propylon-source'], {
    cwd: project,
    encoding: 'utf8',
  })
  const ofProject = (line: string) => !line.startsWith('..') // The framework's own sources are checked with the framework.
  return (tsc.stdout + tsc.stderr).split('\n').filter(ofProject).join('\n').trim()
}

/** Runs `propylon check`, which `npm run typecheck` of a project runs before the compiler. */
export async function checked(
  project: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ status: number | null; output: string }> {
  const { status, stdout, stderr } = await propylon(['check'], { cwd: project, env })
  return { status, output: stdout + stderr }
}

/** The outcome of a check that finds nothing. */
export const RIGHT = { status: 0, output: 'Routes, controllers, actions and arguments fit together.\n' }

/** Runs the tests of a project as its own `npm test` does. */
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
  return { status: run.status, output: run.stdout + run.stderr }
}
