import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  Binary,
  DateTime,
  double,
  type Encodable,
  Fault,
  type Value,
  XMLRPCClient,
  XMLRPCTransportError,
} from '../../src/rpc/xmlrpc/index.ts'
import { type OtherServer, servers, startPrinting } from './server.ts'

interface Api {
  test: {
    fail(code: number, message: string): null
    echo(value: Encodable): Value
  }
}

for (const kind of ['SimpleXMLRPCServer', 'DocXMLRPCServer']) {
  describe(`our client calls Python's ${kind}`, () => {
    let server: OtherServer
    let client: XMLRPCClient<Api>
    before(async () => {
      server = await startPrinting('python3', `${servers}/python.py`, kind)
      client = new XMLRPCClient<Api>(server.url, { allowNil: true, doubles: 'wrapped' })
    })
    after(() => server?.stop())

    const values: [string, Encodable, string][] = [
      ['text', 'a < b & c > d é\u{1f600} ]]> \n\t', 'str'],
      ['the empty text', '', 'str'],
      ['an int', -2147483648, 'int'],
      ['a double', double(0.1), 'float'],
      ['an integral double', double(2), 'float'],
      ['a boolean', true, 'bool'],
      ['a date', new DateTime('19980717T14:08:55'), 'DateTime'],
      ['bytes', new Binary(Uint8Array.from({ length: 256 }, (_, i) => i)), 'Binary'],
      ['an array', [1, 'x', [], [true]], 'list'],
      ['nil', null, 'NoneType'],
    ]
    for (const [name, value, type] of values) {
      it(`${name} arrives as ${type} and comes back the same`, async () => {
        assert.equal(await client.call('test.kind', value), type)
        assert.deepEqual(await client.call('test.echo', value), value)
      })
    }

    it('structs come back with the same members', async () => {
      const struct = (await client.test.echo({ a: 1, b: { c: [double(1)] } })) as { [name: string]: Value }
      assert.deepEqual(JSON.parse(JSON.stringify(struct)), { a: 1, b: { c: [1] } })
    })

    it('faults are Faults', async () => {
      await assert.rejects(client.test.fail(42, 'as told'), (error) => {
        return error instanceof Fault && error.faultCode === 42 && error.faultString === 'as told'
      })
      await assert.rejects(client.call('nope'), Fault)
    })

    it('batches are answered', async () => {
      const [sum, fault] = await client.multicall([
        ['test.add', 1, 2],
        ['test.fail', 7, 'no'],
      ])
      assert.equal(sum, 3)
      assert.ok(fault instanceof Fault && fault.faultCode === 7)
    })

    it('introspection is read', async () => {
      assert.ok((await client.listMethods()).includes('test.add'))
      assert.equal(await client.methodHelp('test.add'), 'Adds two numbers.')
      assert.equal(await client.methodSignature('test.add'), null)
    })

    it('another path is an error by HTTP', async () => {
      const lost = new XMLRPCClient(server.url.replace('RPC2', 'nowhere'))
      await assert.rejects(lost.call('test.add', 1, 2), XMLRPCTransportError)
    })
  })
}
