import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { nodeEnviron } from '../../../src/wsgi/node/node-environ.ts'

const facts = { errors: { write() {}, flush() {} }, multiprocess: false }

/** Returns the environ of a request with these header fields on a connection. */
function environOf(socket: Socket, fields: readonly (readonly [string, string])[]) {
  const request = new IncomingMessage(socket)
  Object.assign(request, { method: 'GET', url: '/', httpVersion: '1.1', rawHeaders: fields.flat() })
  return nodeEnviron(request, facts)
}

const name = fc.constantFrom(
  'Host',
  'host',
  'X-A',
  'x-a',
  'X_A',
  'Cookie',
  'Content-Type',
  'Accept',
  'bad name',
)
const field = fc.tuple(name, fc.constantFrom('', 'a', 'b'))

describe('the environs of one connection', () => {
  it('do not depend on earlier requests', () => {
    fc.assert(
      fc.property(fc.array(fc.array(field, { maxLength: 6 }), { maxLength: 5 }), (requests) => {
        const socket = new Socket()
        for (const fields of requests)
          assert.deepEqual(environOf(socket, fields), environOf(new Socket(), fields))
      }),
      { numRuns: 1000 },
    )
  })

  it('are malformed for a second Host', () => {
    const socket = new Socket()
    assert.equal(environOf(socket, [['Host', 'a']])?.HTTP_HOST, 'a')
    const two = [
      ['Host', 'a'],
      ['hOST', 'b'],
    ] as const
    for (let time = 0; time < 2; time++) {
      const environ = environOf(socket, two)
      assert.equal(environ?.['propylon.malformed'], 'The Host field is malformed.')
      assert.equal(environ?.HTTP_HOST, undefined)
    }
  })

  it('have all fields of a request with many fields', () => {
    const socket = new Socket()
    const fields = Array.from({ length: 100 }, (_, index) => [`X-${index}`, `${index}`] as const)
    for (let time = 0; time < 2; time++) {
      const environ = environOf(socket, fields)
      assert.deepEqual([environ?.HTTP_X_0, environ?.HTTP_X_31, environ?.HTTP_X_99], ['0', '31', '99'])
    }
  })
})
