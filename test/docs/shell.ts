/** Commands of the documentation, and their comparison with what they print. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { ROOT } from './blocks.ts'
import { isAsExpected } from './output.ts'

/** A command of a block. */
export interface Command {
  readonly text: string
  /** The lines below the command. Nothing is compared if there are none. */
  readonly output: string
  /** Exit status: 0, or what a comment says (`# exits with 2`). */
  readonly status: number
}

/** Place and environment of a command. */
export interface Place {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** Returns the commands of a block. A command goes on after a `\` at the end of its line. */
export function commandsOf(code: string): Command[] {
  return [...code.matchAll(/^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)/gm)].map(([, text = '', output = '']) => ({
    text,
    output,
    status: Number(/# exits with (\d+)/.exec(text)?.[1] ?? 0),
  }))
}

/** Runs a command and compares its output and its exit status. Returns what it printed. */
export async function runCommand({ text, output, status }: Command, { cwd, env }: Place): Promise<string> {
  const child = spawn('bash', ['-c', text], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk
    })
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  assert.equal(code, status, `${text}\n${printed}`)
  if (output !== '' && !isAsExpected(printed, output)) assert.equal(printed, output, text)
  return printed
}

/** Returns an environment in which `npx propylon` and `propylon` run the sources of this package. */
export function environmentHere(root: string): NodeJS.ProcessEnv {
  const programs = join(root, '.bin')
  if (!existsSync(programs)) {
    mkdirSync(programs)
    const run = `exec "${process.execPath}" --conditions=propylon-source "${join(ROOT, 'src/tools/cli/main.ts')}" "$@"\n`
    const options = { mode: 0o755 }
    writeFileSync(join(programs, 'propylon'), `#!/bin/sh\n${run}`, options)
    const npx = `#!/bin/sh\n[ "$1" = propylon ] || { echo "npx $1 is not installed" >&2; exit 1; }\nshift\n${run}`
    writeFileSync(join(programs, 'npx'), npx, options)
  }
  return {
    ...process.env,
    NO_COLOR: '1',
    NODE_ENV: undefined,
    NODE_TEST_CONTEXT: undefined,
    NODE_OPTIONS: '--conditions=propylon-source',
    PATH: [programs, dirname(process.execPath), process.env.PATH].join(delimiter),
  }
}
