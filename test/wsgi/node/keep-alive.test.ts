import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ServeOptions } from 'propylon/node'
import { Connection, serving } from './raw.ts'

const cases: readonly [title: string, options: ServeOptions, seconds: number][] = [
  ['5 s', {}, 5],
  ['5 s if trustProxy names no proxy', { trustProxy: [] }, 5],
  ['75 s behind proxies', { trustProxy: ['10.0.0.0/8'] }, 75],
  ['75 s behind proxies on unix sockets', { trustProxy: ['unix'] }, 75],
  ['as long as keepAliveTimeout says', { trustProxy: ['127.0.0.1'], keepAliveTimeout: 620_000 }, 620],
]

describe('an idle connection', () => {
  for (const [title, options, seconds] of cases) {
    it(`is kept for ${title}`, async () => {
      await serving(
        (_environ, start_response) => {
          start_response('200 OK', [['Content-Type', 'text/plain']])
          return ['done']
        },
        async ({ server, port }) => {
          assert.equal(Reflect.get(server, 'keepAliveTimeout'), seconds * 1000)
          const client = new Connection(port)
          client.say('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
          await client.hears('done')
          assert.match(client.heard, new RegExp(`\r\nKeep-Alive: timeout=${seconds}\r\n`))
          client.socket.destroy()
        },
        options,
      )
    })
  }
})
