import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createEnviron, environHeaders, type WSGIApplication } from 'propylon/wsgi'
import { nodeEnviron } from '../../../src/wsgi/node/node-environ.ts'
import { exchange, serving } from './raw.ts'

const facts = { errors: { write() {}, flush() {} }, multiprocess: false }

/** Returns the environ of a request with these header fields on a connection. */
function environOf(socket: Socket, fields: readonly (readonly [string, string])[]) {
  const request = new IncomingMessage(socket)
  Object.assign(request, { method: 'GET', url: '/', httpVersion: '1.1', rawHeaders: fields.flat() })
  return nodeEnviron(request, facts)
}

const name = fc.constantFrom('Host', 'host', 'X-A', 'x-a', 'X_A', 'Cookie', 'Content-Type', 'Accept', 'bad name')
const field = fc.tuple(name, fc.constantFrom('', 'a', 'b'))

describe('the environs of one connection', () => {
  it('do not depend on earlier requests', () => {
    fc.assert(
      fc.property(fc.array(fc.array(field, { maxLength: 6 }), { maxLength: 5 }), (requests) => {
        const socket = new Socket()
        for (const fields of requests) assert.deepEqual(environOf(socket, fields), environOf(new Socket(), fields))
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

describe('the header fields of a request to serve()', () => {
  const echo: WSGIApplication = (environ, start_response) => {
    start_response('200 OK', [['Content-Type', 'application/json']])
    return [JSON.stringify(environHeaders(environ).toSorted())]
  }
  const names = fc.constantFrom(
    ...['X-A', 'x-a', 'X_A', 'X-B', 'Cookie', 'cookie', 'Accept', 'User-Agent', 'user-agent', 'Referer', 'From'],
    ...[
      'Set-Cookie',
      'set-cookie',
      '__proto__',
      'constructor',
      'toString',
      'Authorization',
      'Date',
      'X-Very-Long-Name',
    ],
  )

  it('are those of createEnviron', async () => {
    await serving(echo, async ({ port }) => {
      const fields = fc.array(fc.tuple(names, fc.constantFrom('a', 'b=1', '"c"')), { maxLength: 8 })
      await fc.assert(
        fc.asyncProperty(fields, async (some) => {
          const sent: (readonly [string, string])[] = [['Host', 'localhost'], ...some, ['Connection', 'close']]
          const head = sent.map(([field, value]) => `${field}: ${value}\r\n`).join('')
          const response = await exchange(port, `GET / HTTP/1.1\r\n${head}\r\n`)
          const expected = environHeaders(createEnviron({ headers: sent }))
          assert.equal(response.slice(response.indexOf('\r\n\r\n') + 4), JSON.stringify(expected.toSorted()))
        }),
        { numRuns: 300 },
      )
    })
  })
})
