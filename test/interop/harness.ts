/** Runs other people's clients against the example application. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { FrameworkApp } from '../../src/index.ts'
import { type ServerHandle, serve } from '../../src/wsgi/node/index.ts'
import { CHECKS, type Check } from './checks.ts'

const run = promisify(execFile)

/** A driver: a program that makes the calls of CHECKS with one client library. */
export interface Driver {
  /** The command and its arguments; `{}` stands for the directory of the drivers, `{tmp}` for one that goes away. */
  readonly command: readonly string[]
  /** A command to run before, such as a compiler. */
  readonly prepare?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Checks that the library cannot make, with the reason. */
  readonly cannot?: Partial<Readonly<Record<Check, string>>>
}

const clients = fileURLToPath(new URL('./clients', import.meta.url))

/**
 * Declares the test of one client: its driver is given the server's URL and prints a line `ok CHECK` for each check
 * that holds and `not ok CHECK: what came` for each that does not.
 */
export function testClient(name: string, driver: Driver): void {
  describe(name, () => {
    let server: ServerHandle
    let directory: string
    const found = new Map<string, string>()

    before(async () => {
      directory = await mkdtemp(join(tmpdir(), 'propylon-interop-'))
      server = await startExample(directory)
      if (driver.prepare !== undefined) await execute(driver.prepare, directory, driver.env)
      const output = await execute([...driver.command, server.url], directory, driver.env)
      for (const line of output.split('\n')) {
        const match = /^(ok|not ok) ([^:]+(?:: [^:]+)?)(?:: (.*))?$/.exec(line.trim())
        if (match?.[2] !== undefined) found.set(nameIn(match[2]), line.trim())
      }
    })
    after(async () => {
      await server?.close()
      await rm(directory, { recursive: true, force: true })
    })

    for (const check of CHECKS) {
      const reason = driver.cannot?.[check]
      if (reason !== undefined) {
        it(`cannot say: ${check} (${reason})`, () => assert.equal(found.get(check), undefined))
      } else {
        it(check, () => assert.equal(found.get(check), `ok ${check}`))
      }
    }
  })
}

// Not a literal, because the example registers its routes for the whole program that imports it.
const EXAMPLE = new URL('../../examples/users/app.ts', import.meta.url).href

/** Serves the example application on a free port, with its data in a directory. */
export async function startExample(directory: string): Promise<ServerHandle> {
  process.env.DATABASE_URL = `sqlite:${join(directory, 'users.db')}`
  const { default: app }: { default: FrameworkApp } = await import(EXAMPLE)
  return serve(app)
}

function nameIn(text: string): string {
  return CHECKS.find((check) => text === check || text.startsWith(`${check}: `)) ?? text
}

/** Runs a program and returns what it prints; rejects when it fails or takes too long. */
export async function execute(
  [command = '', ...args]: readonly string[],
  directory: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const given = (text: string): string => text.replaceAll('{}', clients).replaceAll('{tmp}', directory)
  const settings = Object.fromEntries(Object.entries(env).map(([key, value]) => [key, given(value)]))
  const { stdout } = await run(given(command), args.map(given), {
    env: { ...process.env, LC_ALL: 'C.UTF-8', ...settings },
    timeout: 240_000,
    maxBuffer: 10_000_000,
  })
  return stdout
}
