import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Binary, DateTime, double, type Encodable, Fault, XMLRPCClient } from '../../src/rpc/xmlrpc/index.ts'
import { type OtherServer, servers, startPrinting } from './server.ts'

interface Api {
  test: {
    add(a: number, b: number): number
    fail(code: number, message: string): number
  }
}

describe("our client calls Perl's RPC::XML::Server", () => {
  let server: OtherServer
  let client: XMLRPCClient<Api>
  before(async () => {
    server = await startPrinting('perl', `${servers}/rpc_xml.pl`)
    client = new XMLRPCClient<Api>(server.url, { doubles: 'wrapped' })
  })
  after(() => server?.stop())

  const values: [string, Encodable][] = [
    ['text', 'a < b & c > d "e"'],
    ['an int', 2147483647],
    ['a double', double(-12.5)],
    ['a boolean', false],
    ['a date', new DateTime('19980717T14:08:55')],
    ['bytes', new Binary(new Uint8Array([0, 255, 10]))],
    ['an array', [1, 'x', [], [2]]],
  ]
  for (const [name, value] of values) {
    it(`${name} comes back the same`, async () => {
      assert.deepEqual(await client.call('test.echo', value), value)
    })
  }

  it('results and faults are distinguished', async () => {
    assert.equal(await client.test.add(2, 3), 5)
    await assert.rejects(client.test.fail(42, 'as told'), (error) => {
      return error instanceof Fault && error.faultCode === 42 && error.faultString === 'as told'
    })
    await assert.rejects(client.call('nope'), Fault)
  })

  it('introspection is read', async () => {
    assert.ok((await client.listMethods()).includes('test.add'))
    assert.equal(await client.methodHelp('test.add'), 'Adds.')
    assert.deepEqual(await client.methodSignature('test.add'), [['int', 'int', 'int']])
  })
})
