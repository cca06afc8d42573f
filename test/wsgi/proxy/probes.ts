/** Requests through an application whose fallback is another server. The same for each kind of server. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { forwardTo, type ServerHandle, serve } from 'propylon/node'
import { Connection, exchange } from '../node/raw.ts'
import type { Echo } from './old-application.ts'

/** A server that runs the old application. */
export interface OldServer {
  readonly url: string
  /** Whether the server understands bodies in chunks. */
  readonly hasChunks: boolean
  /** Whether it describes paths as they were sent. */
  readonly isRaw: boolean
  stop(): Promise<void>
}

class BooksController extends WSGIController {
  index() {
    return 'new books'
  }
}

export function probe(name: string, start: () => Promise<OldServer>): void {
  describe(`a fallback to ${name}`, () => {
    let old: OldServer
    let server: ServerHandle
    before(async () => {
      old = await start()
      const app = new FrameworkApp({
        map: new Mapper()
          .connect('/books', { controller: 'books', action: 'index', conditions: { method: 'GET' } })
          .connect('/{controller}/{action}'),
        controllers: { books: BooksController },
        fallback: forwardTo(old.url),
      })
      server = await serve(app, { port: 0, maxRequests: 100 })
    })
    after(async () => {
      await server?.close()
      await old?.stop()
    })

    const ask = (path: string, init: RequestInit = {}) => fetch(server.url + path, { redirect: 'manual', ...init })
    const echo = async (path: string, init: RequestInit = {}): Promise<Echo> => {
      const response = await ask(path, init)
      assert.equal(response.status, 200)
      // The old application describes the request.
      return (await response.json()) as Echo
    }
    const raw = async (lines: readonly string[], body = ''): Promise<string> =>
      exchange(server.port ?? 0, `${[...lines, 'Connection: close', '', ''].join('\r\n')}${body}`)

    test('takes what no route takes, and nothing else', async () => {
      assert.equal(await (await ask('/books')).text(), 'new books')
      assert.equal((await echo('/other')).path, '/other')
      assert.equal((await echo('/books', { method: 'POST' })).method, 'POST')
      assert.equal((await echo('/books/show')).path, '/books/show')
      assert.equal((await echo('/shelves/index')).path, '/shelves/index')
      assert.equal((await echo('/books', { method: 'OPTIONS' })).method, 'OPTIONS')
    })

    for (const path of [
      '/',
      '/a%20b/%E6%97%A5',
      '/a%2Fb;x=1',
      '//double//',
      '/a/../b',
      '/x?',
      '/x?a=1&a=2&b=%20+',
      "/!$&'()*+,=:@~",
    ]) {
      test(`receives the target ${path} as it was sent`, async () => {
        const answer = await raw([`GET ${path} HTTP/1.1`, 'Host: example.com'])
        const { path: received, query }: Echo = JSON.parse(answer.slice(answer.indexOf('{')))
        const sent = path.split('?')[0] ?? ''
        if (old.isRaw) assert.equal(received, sent)
        // PATH_INFO of WSGI is decoded, and http.server joins slashes at the start.
        else assert.equal(received, decodeURIComponent(sent).replace(/^\/+/, '/'))
        assert.equal(query, path.split('?')[1] ?? '')
      })
    }

    test('receives Host, cookies and fields, and no fields of the connection', async () => {
      const answer = await raw([
        'GET /echo HTTP/1.1',
        'Host: shop.example:8080',
        'Cookie: a=1; b="2"',
        'Authorization: Basic eDp5',
        'X-Custom: 1, 2',
        'Keep-Alive: 5',
        'TE: trailers',
        'Upgrade: websocket',
        'Proxy-Connection: x',
        'X-Forwarded-For: 6.6.6.6',
        'X-Forwarded-Host: evil.example',
        'X-Forwarded-Proto: https',
        'X-Forwarded-Prefix: /evil',
        'X-Real-IP: 6.6.6.6',
        'Forwarded: for=6.6.6.6',
        'X_Forwarded_For: 6.6.6.6',
        'X-Listed: gone',
        'Connection: X-Listed, Cookie2',
      ])
      const { host, headers }: Echo = JSON.parse(answer.slice(answer.indexOf('{')))
      assert.equal(host, 'shop.example:8080')
      const { via, ...fields } = headers
      assert.match(via ?? '', /^1\.1 propylon-[0-9a-f]+$/)
      assert.deepEqual(fields, {
        cookie: 'a=1; b="2"',
        authorization: 'Basic eDp5',
        'x-custom': '1, 2',
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-proto': 'http',
        'x-forwarded-host': 'shop.example:8080',
        'x-real-ip': '127.0.0.1',
      })
    })

    for (const [what, body, headers] of [
      ['an empty body', '', {}],
      ['a form', 'a=1&b=%20', { 'Content-Type': 'application/x-www-form-urlencoded' }],
      ['JSON', '{"a":1}', { 'Content-Type': 'application/json' }],
      ['a compressed body', randomBytes(1000), { 'Content-Encoding': 'gzip' }],
      ['20 MB', randomBytes(20_000_000), {}],
    ] as const) {
      test(`receives ${what}`, async () => {
        const bytes = Buffer.from(body)
        const {
          method,
          length,
          sha256,
          headers: received,
        } = await echo('/echo', { method: 'POST', body: bytes, headers })
        assert.equal(method, 'POST')
        assert.equal(length, bytes.length)
        assert.equal(sha256, createHash('sha256').update(bytes).digest('hex'))
        assert.equal(received['content-length'], String(bytes.length))
        for (const [name, value] of Object.entries(headers)) assert.equal(received[name.toLowerCase()], value)
      })
    }

    test('receives a multipart form', async () => {
      const form = new FormData()
      form.append('file', new Blob(['x'.repeat(100_000)]), 'a.txt')
      const { headers, length } = await echo('/echo', { method: 'POST', body: form })
      assert.match(headers['content-type'] ?? '', /^multipart\/form-data; boundary=/)
      assert.ok(length > 100_000)
    })

    test('receives a body in chunks with its length', async () => {
      const chunks = '5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nX-Trailer: 1\r\n\r\n'
      const answer = await raw(['POST /echo HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked'], chunks)
      const { length, headers }: Echo = JSON.parse(answer.slice(answer.indexOf('{')))
      assert.equal(length, 11)
      assert.equal(headers['content-length'], '11')
      assert.equal(headers['x-trailer'], undefined)
    })

    test('receives a large body in chunks only if it understands them', async () => {
      await echo('/echo')
      const body = randomBytes(3_000_000)
      const status = await new Promise<[number, string]>((resolve, reject) => {
        const req = request(`${server.url}/echo`, { method: 'POST' }, async (res) => {
          let text = ''
          for await (const piece of res) text += piece
          resolve([res.statusCode ?? 0, text])
        })
        req.on('error', reject)
        req.write(body.subarray(0, 2_000_000))
        req.end(body.subarray(2_000_000))
      })
      assert.equal(status[0], old.hasChunks ? 200 : 411)
      if (old.hasChunks)
        assert.equal((JSON.parse(status[1]) as Echo).sha256, createHash('sha256').update(body).digest('hex'))
    })

    test('receives the body of a GET', async () => {
      const answer = await raw(['GET /echo HTTP/1.1', 'Host: x', 'Content-Length: 5'], 'hello')
      const { method, length }: Echo = JSON.parse(answer.slice(answer.indexOf('{')))
      assert.deepEqual([method, length], ['GET', 5])
    })

    test('receives a body that waits for 100 Continue', async () => {
      const client = new Connection(server.port ?? 0)
      client.say(
        'POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 5\r\n\r\n',
      )
      await client.hears('100 Continue')
      client.say('hello')
      await client.ends()
      assert.match(client.heard, /"length": ?5/)
      assert.doesNotMatch(client.heard, /expect/i)
    })

    test('receives a form that could have had a method of its own', async () => {
      const init = { method: 'POST', body: new URLSearchParams({ a: '1', _method: 'PUT' }) }
      assert.deepEqual([(await echo('/books', init)).method, (await echo('/books', init)).length], ['POST', 15])
    })

    test('decides about forms of other sites itself', async () => {
      const init = {
        method: 'POST',
        headers: { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://pay.example' },
      }
      assert.equal((await echo('/payment', init)).method, 'POST')
      assert.equal((await echo('/books', init)).method, 'POST')
    })

    test('sets several cookies', async () => {
      const response = await ask('/cookies')
      assert.deepEqual(response.headers.getSetCookie(), [
        'a=1; Path=/; HttpOnly',
        'b="2, 3"; Expires=Wed, 01 Jan 2031 00:00:00 GMT',
      ])
    })

    test('redirects to its own host', async () => {
      const answer = await raw(['GET /redirect HTTP/1.1', 'Host: shop.example'])
      assert.match(answer, /^HTTP\/1\.1 303 See Other\r\n/)
      assert.match(answer, /\r\nlocation: http:\/\/shop\.example\/elsewhere\r\n/i)
    })

    test('sends a compressed body unchanged', async () => {
      const response = await ask('/gzip', { headers: { 'Accept-Encoding': 'gzip' } })
      assert.equal(response.headers.get('content-encoding'), 'gzip')
      assert.equal(await response.text(), 'packed')
    })

    test('answers HEAD, 204 and 304 without a body', async () => {
      const head = await ask('/large', { method: 'HEAD' })
      assert.deepEqual(
        [head.status, head.headers.get('content-length'), await head.text()],
        [200, String(20 * 2 ** 20), ''],
      )
      const nothing = await ask('/nothing')
      assert.deepEqual([nothing.status, await nothing.text()], [204, ''])
      const unchanged = await ask('/unchanged', { headers: { 'If-None-Match': '"1"' } })
      assert.deepEqual([unchanged.status, unchanged.headers.get('etag'), await unchanged.text()], [304, '"1"', ''])
    })

    test('sends errors unchanged', async () => {
      const response = await ask('/error')
      assert.deepEqual([response.status, await response.text()], [500, 'broken'])
    })

    test('sends 20 MB with their length', async () => {
      const response = await ask('/large')
      assert.equal(response.headers.get('content-length'), String(20 * 2 ** 20))
      assert.equal((await response.arrayBuffer()).byteLength, 20 * 2 ** 20)
    })

    test('sends events one by one', async () => {
      const client = new Connection(server.port ?? 0)
      client.say('GET /events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
      await client.hears('data: 1')
      assert.doesNotMatch(client.heard, /data: 2/)
      await ask('/release', { method: 'POST' })
      await client.hears('data: 2')
      await client.ends()
    })

    test('sees a client leave within a silent stream', async () => {
      const client = new Connection(server.port ?? 0)
      client.say('GET /silent HTTP/1.1\r\nHost: x\r\n\r\n')
      await client.hears('data: 1')
      client.socket.destroy()
      for (;;) if ((await (await ask('/aborted')).text()) !== '0') break
    })

    test('breaks the response when it breaks', async () => {
      const answer = await raw(['GET /broken HTTP/1.1', 'Host: x'])
      assert.match(answer, /content-length: 100\r\n/i)
      assert.ok(answer.length - answer.indexOf('\r\n\r\n') - 4 < 100)
    })

    test('serves requests of one connection in order', async () => {
      const one = (path: string, last = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${last}\r\n`
      const answer = await exchange(
        server.port ?? 0,
        one('/one') + one('/books') + one('/two', 'Connection: close\r\n'),
      )
      assert.match(answer, /"\/one"[\s\S]*new books[\s\S]*"\/two"/)
    })

    for (const [what, lines, body] of [
      ['both kinds of framing', ['Transfer-Encoding: chunked', 'Content-Length: 5'], '0\r\n\r\n'],
      ['two lengths', ['Content-Length: 5', 'Content-Length: 6'], 'hello!'],
      ['a list of lengths', ['Content-Length: 5, 5'], 'hello'],
      ['a length with a sign', ['Content-Length: +5'], 'hello'],
      ['an unknown transfer coding', ['Transfer-Encoding: xchunked'], '0\r\n\r\n'],
      ['a hidden transfer coding', ['Transfer-Encoding : chunked'], '0\r\n\r\n'],
      ['a folded field', ['X: a', ' Transfer-Encoding: chunked'], ''],
      ['a bare line feed in a field', ['X: a\nContent-Length: 5'], 'hello'],
      ['a NUL in a field', ['X: a\0b'], ''],
      ['a malformed chunk', ['Transfer-Encoding: chunked'], 'zz\r\nhello\r\n0\r\n\r\n'],
    ] as const) {
      test(`never receives a request with ${what}`, async () => {
        const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
        const answer = await exchange(
          server.port ?? 0,
          `POST /echo HTTP/1.1\r\nHost: x\r\n${lines.join('\r\n')}\r\n\r\n${body}${smuggled}`,
        )
        assert.match(answer, /^HTTP\/1\.1 (?:400|501) |^$/)
        assert.doesNotMatch(answer, /smuggled/)
      })
    }

    test('does not lose framing that Connection names', async () => {
      const answer = await raw(
        ['POST /echo HTTP/1.1', 'Host: x', 'Content-Length: 5', 'Connection: close, Content-Length, Host'],
        'hello',
      )
      const { length, host }: Echo = JSON.parse(answer.slice(answer.indexOf('{')))
      assert.deepEqual([length, host], [5, 'x'])
    })
  })
}
