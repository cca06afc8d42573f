import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Fault, XMLRPCClient, XMLRPCProtocolError } from '../../src/rpc/xmlrpc/index.ts'
import { type OtherServer, startPHP } from './server.ts'

describe('our client calls a server of PHP', () => {
  let server: OtherServer
  let client: XMLRPCClient
  before(async () => {
    server = await startPHP()
    client = new XMLRPCClient(server.url)
  })
  after(() => server?.stop())

  for (const [method, what] of [
    ['inf', 'numbers that are not finite'],
    ['notice', 'a message before the document'],
    ['colour', 'control characters'],
  ] as const) {
    it(`refuses ${what}`, async () => {
      await assert.rejects(client.call(method), XMLRPCProtocolError)
    })
  }

  it('reads empty arrays, and what it sent', async () => {
    assert.deepEqual(await client.call('nothing'), [])
    assert.deepEqual(await client.call('echo', [1, 'grüße', 2.5, true]), [1, 'grüße', 2.5, true])
  })

  it('throws faults, and lists the methods', async () => {
    await assert.rejects(client.call('nope'), Fault)
    assert.ok((await client.listMethods()).includes('echo'))
  })
})
