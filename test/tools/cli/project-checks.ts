import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { propylon } from './command-process.ts'
import { pathsOfDeclarations, TSC } from './source-declarations.ts'

/** Returns the compiler's errors in a project. */
export function types(project: string): string {
  const config = join(project, 'tsconfig.types.json')
  const compilerOptions = { paths: pathsOfDeclarations() }
  writeFileSync(config, JSON.stringify({ extends: './tsconfig.json', compilerOptions }))
  const tsc = spawnSync(process.execPath, [TSC, '-p', config, '--noEmit'], { cwd: project, encoding: 'utf8' })
  rmSync(config)
  return (tsc.stdout + tsc.stderr).trim()
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
