import assert from 'node:assert/strict'
import { pipeline, Readable } from 'node:stream'
import { describe, it } from 'node:test'
import express from 'express'
import { type ConnectHandler, fromConnect } from 'propylon/node'
import { createEnviron, lint, run, type WSGIApplication } from 'propylon/wsgi'
import { plainErrorPage } from '../../../src/wsgi/error-reporting.ts'
import { type Answer, type RequestSpec, transports } from '../transports.ts'
import { Connection, serving } from './raw.ts'

const fallback: WSGIApplication = async (environ, start_response) => {
  const body = await environ['wsgi.input'].read()
  start_response('200 OK', [
    ['Content-Type', 'text/plain'],
    ['X-Own', 'fallback'],
  ])
  return ['fallback ', body]
}

interface Case {
  behaviour: string
  handler: ConnectHandler
  request?: RequestSpec
  expect: Partial<Pick<Answer, 'status' | 'reason' | 'text' | 'headers'>>
}

const cases: Case[] = [
  {
    behaviour: 'supports end() with a string',
    handler: (_req, res) => res.end('Hello é'),
    expect: { status: 200, reason: 'OK', text: 'Hello é', headers: [['content-length', '8']] },
  },
  {
    behaviour: 'supports end() without arguments',
    handler: (_req, res) => res.end(),
    expect: { status: 200, text: '' },
  },
  {
    behaviour: 'sends status, reason and headers',
    handler: (_req, res) => {
      res.statusCode = 418
      res.statusMessage = 'Teapot'
      res.setHeader('X-A', 'é')
      res.setHeader('Set-Cookie', ['a=1', 'b=2'])
      res.end('é')
    },
    expect: {
      status: 418,
      reason: 'Teapot',
      text: 'é',
      headers: [
        ['content-length', '2'],
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
        ['x-a', 'é'],
      ],
    },
  },
  {
    behaviour: 'supports writeHead() and several writes',
    handler: (_req, res) => {
      res.writeHead(201, 'Made', { 'Content-Type': 'text/plain' })
      res.write('a')
      res.write(Buffer.from('b'))
      res.write('63', 'hex')
      res.end('é', 'latin1')
    },
    expect: {
      status: 201,
      reason: 'Made',
      headers: [
        ['content-length', '4'],
        ['content-type', 'text/plain'],
      ],
    },
  },
  {
    behaviour: 'supports asynchronous writes',
    handler: async (_req, res) => {
      for (const word of ['one ', 'two ', 'three']) {
        res.write(word)
        await new Promise((resolve) => setImmediate(resolve))
      }
      res.end()
    },
    expect: { text: 'one two three' },
  },
  {
    behaviour: 'supports a piped stream larger than all buffers',
    handler: (_req, res) => void Readable.from(Array.from({ length: 300 }, () => 'x'.repeat(1000))).pipe(res),
    expect: { status: 200, text: 'x'.repeat(300_000) },
  },
  {
    behaviour: 'supports pipeline()',
    handler: (_req, res, next) => {
      pipeline(Readable.from(['a', 'b']), res, (error) => {
        if (error) next(error)
      })
    },
    expect: { text: 'ab' },
  },
  {
    behaviour: 'supports piping the request to the response',
    handler: (req, res) => void req.pipe(res),
    request: { method: 'POST', body: 'x'.repeat(200_000) },
    expect: { text: 'x'.repeat(200_000) },
  },
  {
    behaviour: 'sets the properties of the request',
    handler: (req, res) => {
      res.end(
        [
          req.method,
          req.url,
          req.httpVersion,
          req.headers['x-a'],
          req.headersDistinct['x-a']?.[0],
          Reflect.get(req, 'originalUrl'),
        ].join('|'),
      )
    },
    request: { method: 'PUT', path: '/a%2Fb?c=d', headers: [['X-A', 'e']] },
    expect: { text: 'PUT|/a%2Fb?c=d|1.1|e|e|/a%2Fb?c=d' },
  },
  {
    behaviour: 'drops Transfer-Encoding of the handler and frames the body once',
    handler: (_req, res) => {
      res.setHeader('Transfer-Encoding', 'chunked')
      res.setHeader('Connection', 'close')
      res.write('a')
      res.end('b')
    },
    expect: { text: 'ab' },
  },
  {
    behaviour: 'drops informational responses',
    handler: (_req, res) => {
      res.writeContinue()
      res.writeEarlyHints({ link: '</a.css>; rel=preload' })
      res.end('done')
    },
    expect: { status: 200, text: 'done' },
  },
  {
    behaviour: 'sends no body for HEAD',
    handler: (_req, res) => res.end('Hello'),
    request: { method: 'HEAD' },
    expect: { status: 200, text: '' },
  },
  {
    behaviour: 'sends no body for 304',
    handler: (_req, res) => {
      res.statusCode = 304
      res.end()
    },
    expect: { status: 304, text: '' },
  },
  {
    behaviour: 'calls the fallback on next() and adds the headers set so far',
    handler: (_req, res, next) => {
      res.setHeader('X-Frame-Options', 'DENY')
      res.setHeader('X-Own', 'handler')
      next()
    },
    request: { method: 'POST', body: 'body' },
    expect: {
      text: 'fallback body',
      headers: [
        ['content-length', '13'],
        ['content-type', 'text/plain'],
        ['x-frame-options', 'DENY'],
        ['x-own', 'fallback'],
      ],
    },
  },
  {
    behaviour: 'throws the error of next(error)',
    handler: (_req, _res, next) => next(new Error('secret')),
    expect: { status: 500, text: '500 Internal Server Error\n' },
  },
  {
    behaviour: 'throws the error of the handler',
    handler: () => {
      throw new Error('secret')
    },
    expect: { status: 500 },
  },
  {
    behaviour: 'throws the error of a rejected promise',
    handler: () => Promise.reject(new Error('secret')),
    expect: { status: 500 },
  },
  {
    behaviour: 'throws if the response is destroyed before it starts',
    handler: (_req, res) => res.destroy(),
    expect: { status: 500 },
  },
  {
    behaviour: 'emits finish and close when the response is complete',
    handler: (req, res) => {
      const events: string[] = []
      req.on('aborted', () => events.push('aborted'))
      res.on('finish', () => events.push('finish'))
      res.on('close', () => {
        events.push('close')
        assert.deepEqual(events, ['finish', 'close'])
      })
      res.end('x')
    },
    expect: { text: 'x' },
  },
]

const site = express()
site.get('/hello/:name', (req, res) => void res.send(`Hello, ${req.params.name}!`))
site.post('/form', express.urlencoded({ extended: false }), (req, res) => void res.json(req.body))
site.post('/json', express.json(), (req, res) => void res.json(req.body))
site.get('/away', (_req, res) => res.redirect('/hello/there'))
site.get('/cookie', (_req, res) => void res.cookie('a', '1').cookie('b', '2').send('ok'))
site.get(
  '/where',
  (req, res) => void res.json([req.originalUrl, req.baseUrl, req.path, req.query, req.ip, req.protocol, req.hostname]),
)
site.get('/source', (_req, res) => res.sendFile(new URL(import.meta.url).pathname))
site.get('/fails', () => {
  throw new Error('secret')
})

for (const transport of transports) {
  describe(`fromConnect, ${transport.name}`, () => {
    for (const { behaviour, handler, request, expect } of cases) {
      it(behaviour, async () => {
        const answer = await transport.request(fromConnect(handler, fallback), request)
        for (const [key, value] of Object.entries(expect)) assert.deepEqual(Reflect.get(answer, key), value, key)
      })
    }

    it('returns 404 without a fallback', async () => {
      assert.equal((await transport.request(fromConnect((_req, _res, next) => next()))).status, 404)
    })

    it('aborts the response for an error during the stream', async () => {
      const app = fromConnect((_req, res, next) => {
        res.write('begun')
        setImmediate(() => next(new Error('broken')))
      })
      await assert.rejects(transport.request(app), /broken/)
    })

    it('aborts a response that is destroyed during the stream', async () => {
      const app = fromConnect((_req, res) => {
        res.write('begun')
        setImmediate(() => res.destroy())
      })
      await assert.rejects(transport.request(app), /destroyed its response/)
    })

    it('aborts a response that is destroyed with an error during the stream', async () => {
      const app = fromConnect((_req, res) => {
        res.write('begun')
        setImmediate(() => res.destroy(new Error('broken')))
      })
      await assert.rejects(transport.request(app), /broken/)
    })

    it('throws the error with which a response is destroyed before it starts', async () => {
      const app = fromConnect((_req, res) => {
        res.destroy(new Error('broken'))
      })
      assert.equal((await transport.request(app)).status, 500)
    })

    it('sends an error that is a WSGI application', async () => {
      const gone = Object.assign(new Error('gone'), { status: 410, wsgi: plainErrorPage })
      const app: WSGIApplication = async (environ, start_response) => {
        try {
          return await fromConnect((_req, _res, next) => next(gone))(environ, start_response)
        } catch (error) {
          assert.equal(error, gone)
          start_response('410 Gone', [])
          return []
        }
      }
      assert.equal((await transport.request(app)).status, 410)
    })
  })

  describe(`an Express application, ${transport.name}`, () => {
    const app = fromConnect(site, fallback)

    it('routes requests', async () =>
      assert.equal((await transport.request(app, { path: '/hello/Ann' })).text, 'Hello, Ann!'))

    it('reads forms and JSON', async () => {
      const form: RequestSpec = {
        method: 'POST',
        path: '/form',
        headers: [['Content-Type', 'application/x-www-form-urlencoded']],
        body: 'a=1&b=%C3%A9',
      }
      assert.deepEqual(JSON.parse((await transport.request(app, form)).text), { a: '1', b: 'é' })
      const json: RequestSpec = {
        method: 'POST',
        path: '/json',
        headers: [['Content-Type', 'application/json']],
        body: '{"a":[1]}',
      }
      assert.deepEqual(JSON.parse((await transport.request(app, json)).text), { a: [1] })
    })

    it('redirects', async () => {
      const answer = await transport.request(app, { path: '/away' })
      assert.deepEqual([answer.status, answer.header('location')], [302, '/hello/there'])
    })

    it('sets cookies', async () => {
      assert.deepEqual((await transport.request(app, { path: '/cookie' })).headerAll('set-cookie'), [
        'a=1; Path=/',
        'b=2; Path=/',
      ])
    })

    it('sends files, with ranges and conditions', async () => {
      const whole = await transport.request(app, { path: '/source' })
      assert.match(whole.text, /sends files, with ranges/)
      const part = await transport.request(app, { path: '/source', headers: [['Range', 'bytes=0-5']] })
      assert.deepEqual([part.status, part.text], [206, 'import'])
      const etag = whole.header('etag') ?? ''
      assert.equal((await transport.request(app, { path: '/source', headers: [['If-None-Match', etag]] })).status, 304)
    })

    it('reads a body of unknown length', async () => {
      async function* body() {
        yield new TextEncoder().encode('{"a":')
        yield new TextEncoder().encode('[1]}')
      }
      const answer = await transport.request(app, {
        method: 'POST',
        path: '/json',
        headers: [['Content-Type', 'application/json']],
        body: body(),
      })
      assert.deepEqual(JSON.parse(answer.text), { a: [1] })
    })

    it('refuses a malformed body with the status of Express and without details', async () => {
      const answer = await transport.request(app, {
        method: 'POST',
        path: '/json',
        headers: [['Content-Type', 'application/json']],
        body: '{secret',
      })
      assert.deepEqual([answer.status, answer.text], [400, '400 Bad Request\n'])
    })

    it('refuses a range outside of a file, with the size in a header', async () => {
      const answer = await transport.request(app, {
        path: '/source',
        headers: [['Range', 'bytes=99999999-']],
      })
      assert.equal(answer.status, 416)
      assert.match(answer.header('content-range') ?? '', /^bytes \*\/\d+$/)
    })

    it('calls the fallback for unknown paths', async () => {
      assert.equal((await transport.request(app, { path: '/else' })).text, 'fallback ')
    })

    it('throws the errors of handlers', async () => {
      assert.equal((await transport.request(app, { path: '/fails' })).status, 500)
    })
  })
}

describe('fromConnect', () => {
  it('sets the mount point of a mounted handler', async () => {
    const environ = createEnviron({
      url: 'https://h.example/app/where?x=1',
      scriptName: '/app',
      remoteAddr: '10.1.2.3',
    })
    const result = await run(lint(fromConnect(site)), environ)
    assert.deepEqual(JSON.parse(await result.text()), [
      '/app/where?x=1',
      '/app',
      '/where',
      { x: '1' },
      '10.1.2.3',
      'https',
      'h.example',
    ])
  })

  it('applies back-pressure if the client does not read', async () => {
    let written = 0
    const app = fromConnect((_req, res) => {
      const fill = () => {
        while (res.write('x'.repeat(10_000))) written++
        res.once('drain', fill)
      }
      fill()
    })
    const { body } = await run(lint(app), createEnviron())
    const iterator = body[Symbol.asyncIterator]()
    await iterator.next()
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    assert.ok(written < 50, `${written} chunks were written`)
    await body.close()
  })

  it('emits close without finish when the client disconnects', async () => {
    const events: string[] = []
    const closed = Promise.withResolvers<void>()
    const app = lint(
      fromConnect((req, res) => {
        req.on('aborted', () => events.push('aborted'))
        res.on('finish', () => events.push('finish'))
        res.on('close', () => {
          events.push('close')
          closed.resolve()
        })
        res.write('begun')
      }),
    )
    await serving(app, async (server) => {
      const client = new Connection(server.port)
      client.say('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
      await client.hears('begun')
      client.socket.destroy()
      await closed.promise
      assert.deepEqual(events, ['aborted', 'close'])
    })
  })
})
