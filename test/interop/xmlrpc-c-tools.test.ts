import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { ServerHandle } from '../../src/wsgi/node/index.ts'
import { execute, startExample } from './harness.ts'

describe("xmlrpc-c's commands", () => {
  let server: ServerHandle
  let directory: string

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'propylon-interop-'))
    server = await startExample(directory)
  })
  after(async () => {
    await server?.close()
    await rm(directory, { recursive: true, force: true })
  })

  it('xml-rpc-api2txt describes the service', async () => {
    const text = await execute(['xml-rpc-api2txt', `${server.url}/demo`], directory)
    assert.match(text, /^string test\.battingOrder \(int\)$/m)
    assert.match(text, /^ +The name of the US state at a place in the order of joining the union\.$/m)
  })

  it('xml-rpc-api2cpp writes a class for the service', async () => {
    const text = await execute(['xml-rpc-api2cpp', `${server.url}/demo`, 'test', 'Demo'], directory)
    assert.match(text, /std::string Demo::battingOrder ?\(XmlRpcValue::int32 const int1\)/)
  })
})
