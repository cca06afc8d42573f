import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Fault, XMLRPCClient, XMLRPCProtocolError } from '../../src/rpc/xmlrpc/index.ts'
import { type OtherServer, startPHP } from './server.ts'

describe('our client calls a server of PHP', () => {
  let server: OtherServer
  let client: XMLRPCClient
  let strict: XMLRPCClient
  before(async () => {
    server = await startPHP()
    client = new XMLRPCClient(server.url, { lenient: true })
    strict = new XMLRPCClient(server.url)
  })
  after(() => server?.stop())

  it('numbers that are not finite are read', async () => {
    const infinity = Number.POSITIVE_INFINITY
    assert.deepEqual(await client.call('inf'), [infinity, -infinity, Number.NaN])
    await assert.rejects(strict.call('inf'), XMLRPCProtocolError)
  })

  it('the declaration counts if the header has another encoding', async () => {
    assert.equal(await client.call('latin'), 'grüße')
  })

  it('a message before the response is skipped', async () => {
    assert.equal(await client.call('notice'), 5)
    await assert.rejects(strict.call('notice'), /lenient: true/)
  })

  it('control characters are read', async () => {
    assert.equal(await client.call('colour'), '\x1b[31mred\x1b[0m')
  })

  it('empty arrays and what we send are read', async () => {
    assert.deepEqual(await client.call('nothing'), [])
    assert.deepEqual(await client.call('echo', [1, 'grüße', 2.5, true]), [1, 'grüße', 2.5, true])
  })

  it('faults are Faults, and listMethods lists', async () => {
    await assert.rejects(client.call('nope'), Fault)
    assert.ok((await client.listMethods()).includes('latin'))
  })
})
