import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import express from 'express'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { requestLog, secureHeaders } from 'propylon/middleware'
import { serve, toListener } from 'propylon/node'
import { TestApp } from 'propylon/testing'
import type { Environ, Middleware } from 'propylon/wsgi'

let routed = 0

class AnythingController extends WSGIController {
  index() {
    routed += 1
    return 'reached'
  }
}

interface Site {
  readonly app: FrameworkApp
  readonly log: Record<string, unknown>[]
  readonly environs: Environ[]
}

function site(): Site {
  const log: Record<string, unknown>[] = []
  const environs: Environ[] = []
  const watch: Middleware = (inner) => (environ, start_response) => {
    environs.push(environ)
    // Copies are malformed as well.
    return inner({ ...environ }, start_response)
  }
  const app = new FrameworkApp({
    map: new Mapper().connect('/{path:.*}', { controller: 'anything', action: 'index' }),
    controllers: { anything: AnythingController },
    public: new URL('.', import.meta.url),
    middleware: [requestLog({ write: (line) => log.push(JSON.parse(line)) }), secureHeaders(), watch],
  })
  return { app, log, environs }
}

interface Answer {
  readonly status: number
  readonly headers: Headers
}

type Send = (app: FrameworkApp, target: string, host?: string) => Promise<Answer>

/** Sends bytes, because clients of HTTP refuse to send malformed requests. */
async function sendRaw(port: number, target: string, host: string): Promise<Answer> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nX-Request-Id: own-id\r\n\r\n`)
  // The server closes the connection.
  const [head = ''] = (await text(socket)).split('\r\n\r\n')
  const [statusLine = '', ...fields] = head.split('\r\n')
  const pairs = fields.map((field) => field.split(/: (.*)/, 2) as [string, string])
  return { status: Number(statusLine.slice(9, 12)), headers: new Headers(pairs) }
}

const faces: Record<string, Send> = {
  async serve(app, target, host = 'localhost') {
    const server = await serve(app)
    try {
      return await sendRaw(server.port, target, host)
    } finally {
      await server.close()
    }
  },
  async Express(app, target, host = 'localhost') {
    const outer = express().use(toListener(app))
    const server = outer.listen(0)
    try {
      await new Promise((resolve) => server.once('listening', resolve))
      const address = server.address()
      assert.ok(address !== null && typeof address === 'object')
      return await sendRaw(address.port, target, host)
    } finally {
      server.close()
    }
  },
  fetch(app, target, host = 'localhost') {
    const headers = { host, 'x-request-id': 'own-id' }
    return app.fetch(new Request(`http://localhost${target}`, { headers }))
  },
}

const malformed: [title: string, target: string, host: string | undefined, reason: RegExp][] = [
  ['bytes that are not UTF-8', '/a%ff?x=1', undefined, /not percent-encoded UTF-8/],
  ['half a percent sequence', '/%', undefined, /not percent-encoded UTF-8/],
  ['a NUL', '/%00', undefined, /has a NUL/],
  ['a path of public files', '/static/%ff', undefined, /not percent-encoded UTF-8/],
  ['a host with a comma', '/', 'a,b', /Host field is malformed/],
  ['an empty host', '/', '', /Host field is malformed/],
  ['a host with a wrong port', '/', 'localhost:99999', /Host field is malformed/],
]

for (const [face, send] of Object.entries(faces)) {
  describe(`malformed requests, ${face}`, () => {
    for (const [title, target, host, reason] of malformed) {
      it(`answers ${title} with 400 within the middleware`, async () => {
        const { app, log, environs } = site()
        routed = 0
        const { status, headers } = await send(app, target, host)
        assert.equal(status, 400)
        assert.equal(headers.get('x-request-id'), 'own-id')
        assert.equal(headers.get('x-content-type-options'), 'nosniff')
        // The sender may also mean other framing.
        assert.equal(headers.get('connection'), face === 'fetch' ? null : 'close')
        assert.equal(routed, 0)
        const [line, ...more] = log
        assert.deepEqual(more, [])
        assert.deepEqual(
          [line?.status, line?.path, line?.method, line?.route],
          [400, target.split('?')[0], 'GET', null],
        )
        assert.match(String(environs[0]?.['propylon.malformed']), reason)
        if (host !== undefined) assert.equal(environs[0]?.HTTP_HOST, undefined)
      })
    }
  })
}

describe('malformed requests', () => {
  it('answers a request with two Host fields within the middleware', async () => {
    const { app, log } = site()
    const { status } = (await faces.serve?.(app, '/', 'localhost\r\nHost: evil.example')) ?? {}
    assert.deepEqual([status, log.length, log[0]?.status], [400, 1, 400])
  })

  it('keeps the prefix of a trusted proxy in the log', async () => {
    const { app, log } = site()
    const server = await serve(app, { trustProxy: ['127.0.0.1'] })
    try {
      await sendRaw(server.port, '/%ff', 'localhost\r\nX-Forwarded-Prefix: /shop\r\nX-Forwarded-For: 192.0.2.7')
    } finally {
      await server.close()
    }
    assert.deepEqual([log[0]?.path, log[0]?.remote], ['/shop/%ff', '192.0.2.7'])
  })

  it('are answered by the page of the application', async () => {
    const app = new FrameworkApp({
      map: new Mapper(),
      controllers: {},
      templates: { bad: 'Bad: <%= it.detail %>' },
      errorPages: { 400: 'bad' },
    })
    const response = await new TestApp(app).get('/%ff?x=%ff', {
      headers: { accept: 'text/html' },
      status: 400,
    })
    assert.equal(response.text, 'Bad: The path is not percent-encoded UTF-8, or has a NUL.')
    assert.equal(response.environ.QUERY_STRING, 'x=%ff')
  })

  it('do not reach a plain application', async () => {
    const server = await serve(() => assert.fail('was called'))
    try {
      assert.equal((await sendRaw(server.port, '/%ff', 'localhost')).status, 400)
    } finally {
      await server.close()
    }
  })
})
