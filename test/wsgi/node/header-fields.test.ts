import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Environ, WSGIApplication } from 'propylon/wsgi'
import { exchange, serving } from './raw.ts'

const app: WSGIApplication = (_environ, start_response) => {
  start_response('200 OK', [])
  return []
}

/** Notes the header fields of each request of a server. */
function watch(server: Server): IncomingHttpHeaders[] {
  const seen: IncomingHttpHeaders[] = []
  server.prependListener('request', (req: IncomingMessage) => seen.push(req.headers))
  return seen
}

const name = fc.constantFrom(
  ...['Accept', 'accept', 'X-A', 'x-a', 'Cookie', 'Set-Cookie', 'Content-Type', 'User-Agent', 'Referer'],
  ...['Authorization', 'X-Forwarded-For', 'constructor', '__proto__', 'toString', 'sec-ch-ua', 'Origin'],
)
const field = fc.tuple(name, fc.constantFrom('', 'a', 'b, c', '"d"'))

describe('the header fields of a served request', () => {
  it('are those of node:http', async (t) => {
    const plain = createServer((_req, res) => res.end())
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
    t.after(() => plain.close())
    const address = plain.address()
    assert.ok(typeof address === 'object' && address !== null)
    const expected = watch(plain)
    await serving(app, async ({ server, port }) => {
      const actual = watch(server)
      await fc.assert(
        fc.asyncProperty(fc.array(field, { maxLength: 8 }), async (fields) => {
          const lines = [['Host', 'localhost'], ...fields, ['Connection', 'close']]
          const bytes = `GET / HTTP/1.1\r\n${lines.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n`
          await exchange(address.port, bytes)
          await exchange(port, bytes)
          assert.deepEqual(actual.at(-1), expected.at(-1))
        }),
        {
          examples: [
            [
              [
                ['X-A', ''],
                ['X-A', 'a'],
              ],
            ],
          ],
        },
      )
      assert.equal(actual.length, expected.length)
    })
  })

  it('are those that a listener has set', async () => {
    const seen: unknown[] = []
    const spy: WSGIApplication = (environ, start_response) => {
      seen.push(environ.HTTP_X_A)
      return app(environ, start_response)
    }
    await serving(spy, async ({ server, port }) => {
      server.prependListener('request', (req) => {
        req.headers = { ...req.headers, 'x-b': 'set' }
        seen.push(req.headers['x-b'])
      })
      await exchange(port, 'GET / HTTP/1.1\r\nHost: localhost\r\nX-A: sent\r\nConnection: close\r\n\r\n')
    })
    assert.deepEqual(seen, ['set', 'sent'])
  })

  const changes: readonly (readonly [string, (req: IncomingMessage) => void, Record<string, string>])[] = [
    ['removed', (req) => delete req.headers['x-a'], { HTTP_X_B: 'b', HTTP_X_C: 'c' }],
    ['set', (req) => (req.headers['x-a'] = 'set'), { HTTP_X_A: 'set', HTTP_X_B: 'b', HTTP_X_C: 'c' }],
    ['added', (req) => (req.headers['x-d'] = 'd'), { HTTP_X_A: 'a', HTTP_X_B: 'b', HTTP_X_C: 'c', HTTP_X_D: 'd' }],
  ]
  for (const [change, apply, expected] of changes) {
    it(`are in the environ as a listener has ${change} them, whatever it does to rawHeaders`, async () => {
      const seen: Record<string, unknown>[] = []
      const spy: WSGIApplication = (environ, start_response) => {
        const { HTTP_HOST: host, HTTP_CONNECTION: connection, ...others } = fieldsIn(environ)
        assert.deepEqual([host, connection], ['a', 'close'])
        seen.push(others)
        return app(environ, start_response)
      }
      await serving(spy, async ({ server, port }) => {
        server.prependListener('request', (req) => {
          apply(req)
          req.rawHeaders.splice(2, 2)
        })
        const fields = 'X-A: a\r\nX-B: b\r\nX-C: c\r\n'
        await exchange(port, `GET / HTTP/1.1\r\nHost: a\r\n${fields}Connection: close\r\n\r\n`)
      })
      assert.deepEqual(seen, [expected])
    })
  }

  const unusual: readonly (readonly [string, string])[] = [
    ['an underscore', 'a_b: 1'],
    ['a long name', `X-${'a'.repeat(100)}: 1`],
    ['many fields', Array.from({ length: 80 }, (_, i) => `X-${i}: ${i}`).join('\r\n')],
  ]
  for (const [title, lines] of unusual) {
    it(`are in the environ as a listener has changed them, also with ${title}`, async () => {
      const seen: Environ[] = []
      const spy: WSGIApplication = (environ, start_response) => {
        seen.push(environ)
        return app(environ, start_response)
      }
      await serving(spy, async ({ server, port }) => {
        server.prependListener('request', (req) => {
          delete req.headers['x-user']
          req.headers['x-added'] = 'added'
        })
        await exchange(port, `GET / HTTP/1.1\r\nHost: a\r\nX-User: admin\r\n${lines}\r\nConnection: close\r\n\r\n`)
      })
      assert.deepEqual([seen[0]?.HTTP_X_USER, seen[0]?.HTTP_X_ADDED], [undefined, 'added'])
    })
  }

  it('leave the variables of a body empty when a listener removes them', async () => {
    const seen: unknown[] = []
    const spy: WSGIApplication = (environ, start_response) => {
      seen.push(environ.CONTENT_TYPE, environ.CONTENT_LENGTH)
      return app(environ, start_response)
    }
    await serving(spy, async ({ server, port }) => {
      server.prependListener('request', (req) => {
        delete req.headers['content-type']
        delete req.headers['content-length']
      })
      const fields = 'Content-Type: text/plain\r\nContent-Length: 1\r\n'
      await exchange(port, `POST / HTTP/1.1\r\nHost: a\r\n${fields}Connection: close\r\n\r\na`)
    })
    assert.deepEqual(seen, ['', ''])
  })

  it('have the values of their own names in the environ, whatever names the requests before had', async () => {
    const requests: readonly (readonly [name: string, value: string])[][] = [
      [
        ['X-A', '1'],
        ['X-B', '2'],
      ],
      [
        ['X-B', '3'],
        ['X-A', '4'],
      ],
      [
        ['x-a', '5'],
        ['X-b', '6'],
      ],
      [
        ['X-C', '7'],
        ['X-A', '8'],
      ],
      [['X-A', '9']],
      // Many names, and names that are too long to be remembered.
      Array.from({ length: 900 }, (_, i) => [`X-${i}`, `${i}`]),
      Array.from({ length: 900 }, (_, i) => [`X-${899 - i}`, `${i}`]),
      [
        ['X-'.padEnd(100, 'a'), 'long'],
        ['X-A', '1'],
      ],
      [
        ['X-'.padEnd(100, 'b'), 'long'],
        ['X-A', '2'],
      ],
      // Remembered names of one length that differ at the end.
      [
        [`${'X-'.padEnd(40, 'a')}a`, '1'],
        ['X-A', '3'],
      ],
      [
        [`${'X-'.padEnd(40, 'a')}b`, '2'],
        ['X-A', '4'],
      ],
      [
        ['X-A', 'sent'],
        ['X_A', 'forged'],
      ],
    ]
    await receives(requests)
  })

  it('have their values however many lists of names clients have sent', async () => {
    // More lists than are remembered, of which each begins as the one before.
    const many = Array.from({ length: 3000 }, (_, i) => [['X-A', `${i}`] as const, [`X-${i}`, 'a'] as const])
    await receives([...many, ...many.slice(0, 10)])
  })
})

/** Sends requests with header fields, and compares the fields in their environs. */
async function receives(requests: readonly (readonly (readonly [name: string, value: string])[])[]): Promise<void> {
  const seen: Record<string, unknown>[] = []
  const spy: WSGIApplication = (environ, start_response) => {
    seen.push(fieldsIn(environ))
    return app(environ, start_response)
  }
  await serving(spy, async ({ port }) => {
    const texts = requests.map((fields, index) => {
      const lines = fields.map((line) => `${line.join(': ')}\r\n`)
      const connection = index === requests.length - 1 ? 'close' : 'keep-alive'
      return `GET / HTTP/1.1\r\nHost: a\r\n${lines.join('')}Connection: ${connection}\r\n\r\n`
    })
    await exchange(port, texts.join(''))
  })
  const expected = requests.map((fields, index) => {
    const connection = index === requests.length - 1 ? 'close' : 'keep-alive'
    // A name with an underscore could pass for one of a proxy.
    const sent = [['Host', 'a'], ...fields, ['Connection', connection]].filter(([name]) => !name?.includes('_'))
    return Object.fromEntries(sent.map(([name, value]) => [keyOf(name ?? ''), value]))
  })
  assert.deepEqual(seen, expected)
}

/** Returns the header fields of an environ, by key. */
function fieldsIn(environ: Environ): Record<string, unknown> {
  return Object.fromEntries(Object.entries(environ).filter(([key]) => key.startsWith('HTTP_')))
}

/** Returns the key of a header field in the environ. */
function keyOf(name: string): string {
  return `HTTP_${name.toUpperCase().replaceAll('-', '_')}`
}
