/** Calls an application by a generated client, on the real binaries of Node 22, 24 and 26, Bun and Deno. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { type ServerHandle, serve } from 'propylon/node'
import { installed } from '../packages/packages.ts'
import { libraryApp } from '../rpc/client/library-app.ts'

const bin = (name: string) => installed('runtimes', name)

const runtimes: [name: string, command: string, ...args: string[]][] = [
  ['Node 22', bin('node-22/bin/node')],
  ['Node 24', process.execPath],
  ['Node 26', bin('node-26/bin/node')],
  ['Bun', bin('.bin/bun')],
  ['Deno', bin('.bin/deno'), 'run', '--allow-net', '--no-lock'],
]

describe('a generated client', () => {
  let server: ServerHandle
  before(async () => {
    server = await serve(libraryApp(), { port: 0 })
  })
  after(() => server?.close())

  for (const [name, command, ...args] of runtimes) {
    it(`calls the application on ${name}`, async () => {
      const script = join(import.meta.dirname, 'clients/library.ts')
      const { stdout } = await promisify(execFile)(command, [...args, script, server.url])
      assert.deepEqual(JSON.parse(stdout), [
        { items: [{ id: 1, title: 'a|ü', year: null }], page: 2 },
        { id: 2, title: 'Emma', year: null },
        'nothing',
        'The text of a/b',
        { size: 1 },
        3,
        'No such book.',
      ])
    })
  }
})
