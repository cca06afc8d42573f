/** The servers that the spellings of guarded paths are sent to as well, each as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Site } from '../../guards/attack.ts'
import type { Target } from '../../guards/requests.ts'

/** Header field that opens the guards. */
export const TOKEN: string = randomUUID()

/** Folder with the packages of a server: those with known advisories, or later ones. */
export type Versions = 'affected' | 'fixed'

/** A server, the paths that it guards, and the advisories that the affected versions have. */
export interface GuardedServer {
  readonly name: string
  readonly targets: readonly Target[]
  readonly advisories: readonly string[]
}

export const SERVERS: readonly GuardedServer[] = [
  {
    name: 'hono',
    targets: [{ path: '/private/secret.txt' }, { path: '/members/list' }],
    advisories: ['GHSA-wc8c-qw6v-h7f6', 'GHSA-92pp-h63x-v22m'],
  },
  {
    name: 'fastify-static',
    targets: [{ path: '/private/secret.txt' }, { path: '/members/list' }],
    advisories: ['GHSA-x428-ghpx-8j92', 'GHSA-83w8-p2f5-377r'],
  },
  {
    name: 'middie',
    targets: [{ path: '/members' }, { path: '/members/list' }],
    advisories: ['GHSA-cxrg-g7r8-w69p', 'GHSA-8p85-9qpw-fwgw'],
  },
  { name: 'nest', targets: [{ path: '/members/list' }], advisories: ['CVE-2025-69211'] },
]

/** Starts a server. Dispose of the result to stop it. */
export async function start({ name, targets }: GuardedServer, versions: Versions): Promise<Site & AsyncDisposable> {
  const secret = `secret ${randomUUID()}`
  const folder = mkdtempSync(join(tmpdir(), 'propylon-guarded-'))
  const program = join(import.meta.dirname, 'servers', `${name}.mjs`)
  const child = spawn(process.execPath, [program, versions], {
    env: {
      ...process.env,
      GUARDED_FOLDER: folder,
      GUARDED_SECRET: secret,
      GUARDED_TOKEN: TOKEN,
      NODE_ENV: 'production',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    rmSync(folder, { recursive: true })
  }
  return { port: await portOf(child), secret, targets, [Symbol.asyncDispose]: stop }
}

async function portOf(child: ChildProcess): Promise<number> {
  let output = ''
  for await (const chunk of child.stdout ?? []) {
    output += chunk
    const port = /listening on (\d+)/.exec(output)?.[1]
    if (port === undefined) continue
    child.stdout?.resume()
    return Number(port)
  }
  throw new Error(`The server ended before it listened:\n${output}`)
}
