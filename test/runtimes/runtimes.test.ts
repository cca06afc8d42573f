/**
 * The same behaviours on every runtime, served by the real binaries from the built package: Node's own server on 22, 24
 * and 26, the fetch face on Bun, Deno and workerd.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '../free-port.ts'
import { installed } from '../packages/packages.ts'
import { behaviours } from './behaviours.ts'
import { forwardingBehaviours, OldServer } from './forwarding.ts'
import { socketBehaviours } from './sockets.ts'

const here = fileURLToPath(new URL('./', import.meta.url))
const bin = (name: string) => installed('runtimes', name)
const server = (name: string) => join(here, 'servers', name)

interface Runtime {
  name: string
  start(): Promise<{ url: string; child: ChildProcess }>
}

/** Starts a server that prints its URL in its first line. */
async function startPrinting(command: string, args: string[]) {
  const child = spawn(command, args, { cwd: here, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${command} exited with ${code}`)))
  const [url] = await Promise.race([
    once(createInterface(child.stdout as NonNullable<typeof child.stdout>), 'line'),
    exited,
  ])
  return { url: String(url), child }
}

/** workerd takes one bundle and a configuration; it reports through a control descriptor that it listens. */
async function startWorkerd() {
  const directory = mkdtempSync(join(tmpdir(), 'propylon-workerd-'))
  const build = ['build', server('worker.ts'), '--target=browser', `--outfile=${join(directory, 'worker.js')}`]
  const built = spawnSync(bin('.bin/bun'), build, { cwd: here, encoding: 'utf8' })
  assert.equal(built.status, 0, built.stderr)
  const port = await freePort()
  writeFileSync(
    join(directory, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (modules = [(name = "worker", esModule = embed "worker.js")], compatibilityDate = "2026-11-01")), (name = "internet", network = (allow = ["public", "private", "local"]))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);\n`,
  )
  const child = spawn(bin('.bin/workerd'), ['serve', '--control-fd=3', join(directory, 'config.capnp')], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  })
  const control = child.stdio[3]
  assert.ok(control)
  const exited = once(child, 'exit').then(([code]) => Promise.reject(new Error(`workerd exited with ${code}`)))
  await Promise.race([once(control, 'data'), exited])
  child.once('exit', () => rmSync(directory, { recursive: true }))
  return { url: `http://127.0.0.1:${port}/`, child }
}

const runtimes: Runtime[] = [
  { name: 'Node 22', start: () => startPrinting(bin('node-22/bin/node'), [server('node.ts')]) },
  { name: 'Node 24', start: () => startPrinting(process.execPath, [server('node.ts')]) },
  { name: 'Node 26', start: () => startPrinting(bin('node-26/bin/node'), [server('node.ts')]) },
  { name: 'Bun', start: () => startPrinting(bin('.bin/bun'), [server('bun.ts')]) },
  {
    name: 'Deno',
    start: () => startPrinting(bin('.bin/deno'), ['run', '--allow-all', '--no-lock', server('deno.ts')]),
  },
  { name: 'workerd', start: startWorkerd },
]

for (const runtime of runtimes) {
  describe(`on ${runtime.name}`, () => {
    let url: string
    let child: ChildProcess
    const old = new OldServer()

    before(async () => {
      await old.start()
      ;({ url, child } = await runtime.start())
    })

    after(async () => {
      old.stop()
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    })

    for (const { name, path, method = 'GET', headers = {}, body, status, text, fields = {} } of behaviours) {
      it(name, async () => {
        const init: RequestInit = { method, headers, redirect: 'manual' }
        if (body !== undefined) init.body = body
        const response = await fetch(url.replace(/\/$/, '') + path, init)
        const answered = await response.text()
        assert.equal(response.status, status, answered.slice(0, 500))
        if (typeof text === 'string') assert.equal(answered, text)
        else if (text !== undefined) assert.match(answered, text)
        for (const [field, expected] of Object.entries(fields)) {
          const value = response.headers.get(field) ?? ''
          if (typeof expected === 'string') assert.equal(value, expected)
          else assert.match(value, expected)
        }
      })
    }

    for (const { name, not, run } of forwardingBehaviours) if (not !== runtime.name) it(name, () => run(url, old))

    if (runtime.name === 'workerd') return
    for (const { name, not, only = runtime.name, run } of socketBehaviours)
      if (not !== runtime.name && only === runtime.name) it(name, () => run(url))
  })
}
