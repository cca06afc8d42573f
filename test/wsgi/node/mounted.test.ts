import assert from 'node:assert/strict'
import { once } from 'node:events'
import http, { IncomingMessage, ServerResponse } from 'node:http'
import http2 from 'node:http2'
import { type AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import express from 'express'
import { FrameworkApp, HTTPNotFound, Mapper, Request, WSGIController } from 'propylon'
import { type RequestListener, toListener } from 'propylon/node'
import type { WSGIApplication } from 'propylon/wsgi'

const echo: WSGIApplication = async (environ, start_response) => {
  const body = Buffer.from(await environ['wsgi.input'].read()).toString()
  start_response('200 OK', [['Content-Type', 'application/json']])
  const { SCRIPT_NAME, PATH_INFO, HTTP_HOST, CONTENT_LENGTH, HTTP_X_NUMBER, HTTP_COOKIE } = environ
  const { url } = Request.of(environ)
  return [
    JSON.stringify({
      SCRIPT_NAME,
      PATH_INFO,
      HTTP_HOST,
      CONTENT_LENGTH,
      HTTP_X_NUMBER,
      HTTP_COOKIE,
      url,
      body,
    }),
  ]
}

/** Serves with a listener while a test runs. */
async function serving(listener: http.RequestListener, use: (url: string) => Promise<void>): Promise<void> {
  const server = http.createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const paths: [path: string, scriptName: string, pathInfo: string, url: string][] = [
  ['/shop/a%2Fb?q=1', '/shop', '/a/b', '/shop/a%2Fb?q=1'],
  ['/shop', '/shop', '', '/shop'],
  ['/shop/', '/shop', '/', '/shop/'],
  ['/shop?q=1', '/shop', '', '/shop?q=1'],
]

/** Cuts a prefix from the URL as Connect does. */
function connectMount(prefix: string, listener: RequestListener): http.RequestListener {
  return (req, res) => {
    const { url = '' } = req
    const rest = url.slice(prefix.length)
    Object.assign(req, { originalUrl: url, url: rest.startsWith('/') ? rest : `/${rest}` })
    listener(req, res)
  }
}

/** Cuts a prefix from the URL as h3 does, which leaves no slash before a query. */
function h3Mount(prefix: string, listener: RequestListener): http.RequestListener {
  return (req, res) => {
    const { url = '' } = req
    Object.assign(req, { originalUrl: url, url: url.slice(prefix.length) || '/' })
    listener(req, res)
  }
}

describe('toListener', () => {
  const hosts: [name: string, listener: http.RequestListener][] = [
    ['Express', express().use('/shop', toListener(echo))],
    ['Express, with the same scriptName', express().use('/shop', toListener(echo, { scriptName: '/shop' }))],
    ['h3', h3Mount('/shop', toListener(echo))],
    ['Connect', connectMount('/shop', toListener(echo))],
    [
      'a framework that cuts the path, with scriptName',
      (req, res) => {
        req.url = req.url?.slice('/shop'.length) || '/'
        toListener(echo, { scriptName: '/shop' })(req, res)
      },
    ],
  ]
  for (const [name, listener] of hosts) {
    it(`has the mount point of ${name} as SCRIPT_NAME`, () =>
      serving(listener, async (server) => {
        for (const [path, scriptName, pathInfo, url] of name.includes('scriptName') ? paths.slice(0, 1) : paths) {
          const values = await (await fetch(server + path)).json()
          const { SCRIPT_NAME, PATH_INFO } = values as Record<string, string>
          const found = [SCRIPT_NAME, PATH_INFO, (values as { url: string }).url]
          assert.deepEqual(found, [scriptName, pathInfo, server + url])
        }
      }))
  }

  it('has nested mount points of Express', () => {
    const inner = express.Router().use('/b', toListener(echo))
    return serving(express().use('/a', inner), async (server) => {
      const values = await (await fetch(`${server}/a/b/d`)).json()
      assert.deepEqual([(values as { SCRIPT_NAME: string }).SCRIPT_NAME], ['/a/b'])
    })
  })

  it('serves a spelling of a path that a guard of Express around the application does not match', () => {
    class MembersController extends WSGIController {
      index() {
        return 'members'
      }
    }
    const app = new FrameworkApp({
      map: new Mapper().connect('/members', { controller: 'members', action: 'index' }),
      controllers: { members: MembersController },
    })
    const outer = express()
      .use('/members', (_req, res) => void res.status(401).end())
      .use(toListener(app))
    return serving(outer, async (server) => {
      assert.equal((await fetch(`${server}/members`)).status, 401)
      assert.equal(await (await fetch(`${server}/%6dembers`)).text(), 'members')
    })
  })

  it('releases a body that one application has read and another one answers', () => {
    const reading = (app: WSGIApplication): WSGIApplication => {
      return async (environ, start_response) => {
        await Request.of(environ).bytes()
        return app(environ, start_response)
      }
    }
    class LastController extends WSGIController {
      async create() {
        return 'last'
      }
    }
    const first = new FrameworkApp({ map: new Mapper(), controllers: {}, middleware: [reading] })
    const map = new Mapper().connect('/', { controller: 'last', action: 'create' })
    const last = new FrameworkApp({ map, controllers: { last: LastController } })
    const host = express()
    host.use(toListener(first, { maxBufferedBytes: 2000 }))
    host.use(toListener(last))
    return serving(host, async (server) => {
      for (let request = 0; request < 5; request++) {
        const response = await fetch(server, { method: 'POST', body: 'x'.repeat(500) })
        assert.equal(await response.text(), 'last')
      }
    })
  })

  it('calls next if no route matches, and only then', () => {
    class PagesController extends WSGIController {
      index() {
        return 'page'
      }
      missing() {
        throw new HTTPNotFound('own')
      }
    }
    const app = new FrameworkApp({
      map: new Mapper().connect('/{controller}/{action}'),
      controllers: { pages: PagesController },
      errorPages: {},
    })
    const host = express()
    host.use(toListener(app))
    host.use((_req, res) => void res.status(418).send('next'))
    return serving(host, async (server) => {
      const answers = []
      for (const path of ['/pages/index', '/pages/missing', '/pages/unknown', '/other', '/other/x']) {
        answers.push((await fetch(server + path)).status)
      }
      assert.deepEqual(answers, [200, 404, 404, 418, 418])
      assert.equal(await (await fetch(`${server}/other`, { method: 'POST', body: 'a=1' })).text(), 'next')
    })
  })

  it('takes a body that a parser has kept, and reports one that is lost', () => {
    const host = express()
    host.use('/raw', express.raw({ type: '*/*' }), toListener(echo))
    host.use('/text', express.text({ type: '*/*' }), toListener(echo))
    host.use('/json', express.json({ type: '*/*' }), toListener(Object.assign({}, { wsgi: echo, reportError() {} })))
    return serving(host, async (server) => {
      for (const path of ['/raw', '/text']) {
        const response = await fetch(server + path, { method: 'POST', body: '{"a":1}' })
        assert.equal(((await response.json()) as { body: string }).body, '{"a":1}')
      }
      assert.equal((await fetch(`${server}/json`, { method: 'POST', body: '{"a":1}' })).status, 500)
    })
  })

  it('serves requests without rawHeaders, with numbers as values, and without a real socket', async () => {
    const req = new IncomingMessage(new Socket())
    Object.assign(req, {
      method: 'POST',
      url: '/x',
      httpVersion: '1.1',
      headers: { host: 'shop.example', 'content-length': 3, 'x-number': 7, cookie: ['a=1', 'b=2'] },
      rawHeaders: undefined,
    })
    req.push('abc')
    req.push(null)
    const res = new ServerResponse(req)
    const socket = new Socket()
    let written = ''
    socket._write = (chunk, _encoding, done) => {
      written += chunk
      done()
    }
    socket._writev = (chunks, done) => {
      for (const { chunk } of chunks) written += chunk
      done()
    }
    res.assignSocket(socket)
    const finished = once(res, 'finish')
    toListener(echo)(req, res)
    await finished
    const values = JSON.parse(written.slice(written.indexOf('\r\n\r\n') + 4))
    assert.deepEqual(
      [values.HTTP_HOST, values.CONTENT_LENGTH, values.HTTP_X_NUMBER, values.HTTP_COOKIE, values.body],
      ['shop.example', '3', '7', 'a=1; b=2', 'abc'],
    )
  })
})

describe('node:http2', () => {
  /** Sends requests over one connection, one after the other. */
  async function asked(requests: { headers: http2.OutgoingHttpHeaders; body?: string }[]) {
    const listener: unknown = toListener(echo)
    const server = http2.createServer(
      listener as (req: http2.Http2ServerRequest, res: http2.Http2ServerResponse) => void,
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    try {
      const answers = []
      for (const { headers, body } of requests) {
        const stream = client.request(headers)
        stream.end(body)
        const [head] = await once(stream, 'response')
        answers.push({ status: head[':status'], ...JSON.parse(await text(stream)) })
      }
      return answers
    } finally {
      client.close()
      server.close()
    }
  }

  it('has the authority as host, and a body without a length', async () => {
    const [get, post] = await asked([
      { headers: { ':path': '/a?b=1', ':authority': 'shop.example' } },
      { headers: { ':path': '/a', ':authority': 'shop.example', ':method': 'POST' }, body: 'posted' },
    ])
    assert.deepEqual([get.status, get.HTTP_HOST, get.url], [200, 'shop.example', 'http://shop.example/a?b=1'])
    assert.deepEqual([post.status, post.body], [200, 'posted'])
  })
})
