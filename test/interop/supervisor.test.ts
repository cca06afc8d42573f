import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Fault, type Struct, XMLRPCClient, XMLRPCTransportError } from '../../src/rpc/xmlrpc/index.ts'
import { type OtherServer, startSupervisor } from './server.ts'

/** The methods that the tests call. */
interface Api {
  supervisor: {
    getAPIVersion(): string
    getState(): Struct
    getAllProcessInfo(): Struct[]
    getProcessInfo(name: string): Struct
  }
}

describe('our client calls supervisord', () => {
  let directory: string
  let server: OtherServer
  let client: XMLRPCClient<Api>
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'propylon-supervisor-'))
    server = await startSupervisor(directory)
    client = new XMLRPCClient<Api>(server.url)
  })
  after(async () => {
    await server?.stop()
    await rm(directory, { recursive: true, force: true })
  })

  it('user and password of the URL open it', async () => {
    assert.match(await client.supervisor.getAPIVersion(), /^\d+\.\d+$/)
    const stranger = new XMLRPCClient(server.url.replace('user:secret@', ''))
    await assert.rejects(
      stranger.call('supervisor.getAPIVersion'),
      (error) => error instanceof XMLRPCTransportError && error.status === 401,
    )
  })

  it('structs and arrays are read', async () => {
    const state = await client.supervisor.getState()
    assert.equal(state.statename, 'RUNNING')
    const processes = await client.supervisor.getAllProcessInfo()
    assert.deepEqual(
      processes.map(({ name }) => name),
      ['cat'],
    )
  })

  it('faults are Faults', async () => {
    await assert.rejects(client.supervisor.getProcessInfo('nope'), Fault)
  })
})
