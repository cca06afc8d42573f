import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lint, type WSGIApplication } from 'propylon/wsgi'
import { Connection, exchange, serving } from './raw.ts'

/** Reads the body and returns a description of the request. */
const app: WSGIApplication = lint(async (environ, start_response) => {
  const body = await environ['wsgi.input'].read()
  start_response('200 OK', [['Content-Type', 'text/plain']])
  const { REQUEST_METHOD, PATH_INFO, QUERY_STRING, HTTP_HOST } = environ
  return [`<${REQUEST_METHOD} ${encodeURI(PATH_INFO)} ?${QUERY_STRING} @${HTTP_HOST} ${body.byteLength}>`]
})

const HOST = 'Host: x\r\n'
const LAST = `${HOST}Connection: close\r\n`

const cases: [behaviour: string, bytes: string, heard: RegExp][] = [
  ['a plain path is served', `GET /a HTTP/1.1\r\n${LAST}\r\n`, /^HTTP\/1\.1 200 OK\r\n[\s\S]*<GET \/a \? @x 0>$/],
  ['a malformed percent sequence is 400', `GET /a%2 HTTP/1.1\r\n${LAST}\r\n`, /^HTTP\/1\.1 400 Bad Request\r\n/],
  ['a percent sign alone is 400', `GET /% HTTP/1.1\r\n${LAST}\r\n`, /^HTTP\/1\.1 400 /],
  ['percent-encoded bytes that are not UTF-8 are 400', `GET /%ff%fe HTTP/1.1\r\n${LAST}\r\n`, /^HTTP\/1\.1 400 /],
  ['an overlong UTF-8 sequence is 400', `GET /%c0%af HTTP/1.1\r\n${LAST}\r\n`, /^HTTP\/1\.1 400 /],
  ['an encoded surrogate is 400', `GET /%ed%a0%80 HTTP/1.1\r\n${LAST}\r\n`, /^HTTP\/1\.1 400 /],
  ['a NUL in the path is 400', `GET /a%00b HTTP/1.1\r\n${LAST}\r\n`, /^HTTP\/1\.1 400 /],
  [
    'a malformed percent sequence in the query reaches the application',
    `GET /?%zz HTTP/1.1\r\n${LAST}\r\n`,
    /<GET \/ \?%zz @x 0>$/,
  ],
  ['raw bytes beyond ASCII in the target are 400', `GET /caf\xe9 HTTP/1.1\r\n${LAST}\r\n`, /^HTTP\/1\.1 400 /],
  [
    'CONNECT is 405, and the connection is closed',
    `CONNECT other.example:80 HTTP/1.1\r\n${HOST}\r\n`,
    /^HTTP\/1\.1 405 Method Not Allowed\r\nAllow: [\s\S]*Connection: close\r\n\r\n$/,
  ],
  ['two slashes are kept', `GET //evil.example/x HTTP/1.1\r\n${LAST}\r\n`, /<GET \/\/evil\.example\/x \? @x 0>$/],
  ['dots are kept', `GET /../etc/./passwd HTTP/1.1\r\n${LAST}\r\n`, /<GET \/\.\.\/etc\/\.\/passwd \?/],
  [
    'the absolute form is accepted, and its host is used',
    `GET http://other.example:81/a?b HTTP/1.1\r\n${LAST}\r\n`,
    /<GET \/a \?b @other\.example:81 0>$/,
  ],
  [
    'the absolute form may have no path',
    `GET http://other.example HTTP/1.1\r\n${LAST}\r\n`,
    /<GET \/ \? @other\.example 0>$/,
  ],
  ['another scheme in the target is 400', `GET ftp://x/a HTTP/1.1\r\n${LAST}\r\n`, /^HTTP\/1\.1 400 /],
  ['user information in the target is 400', `GET http://u:p@x/a HTTP/1.1\r\n${LAST}\r\n`, /^HTTP\/1\.1 400 /],
  ['OPTIONS accepts *', `OPTIONS * HTTP/1.1\r\n${LAST}\r\n`, /<OPTIONS \* \? @x 0>$/],
  ['other methods refuse *', `GET * HTTP/1.1\r\n${LAST}\r\n`, /^HTTP\/1\.1 400 /],
  ['a target without a slash is 400', `GET a HTTP/1.1\r\n${LAST}\r\n`, /^HTTP\/1\.1 400 /],
  ['no Host is 400', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', /^HTTP\/1\.1 400 /],
  ...[
    'evil.com::',
    'evil.com:99999',
    'evil.com:080',
    '-evil.com',
    'evil..com',
    '[::1',
    '[1:2:3]',
    'a,b',
    'a b',
    'evil.com/a',
    'user@evil',
    '1.2.3.256',
    'a%41b',
    'caf\xe9',
    `${'a'.repeat(64)}.com`,
  ].map((host): [string, string, RegExp] => [
    `the Host ${host} is 400`,
    `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    /^HTTP\/1\.1 400 /,
  ]),
  ...['my_service:8000', '[::1]:81', 'xn--bcher-kva.example', 'x:0', 'x:65535', '10.0.0.1', 'x.'].map(
    (host): [string, string, RegExp] => [
      `the Host ${host} is served`,
      `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      /^HTTP\/1\.1 200 /,
    ],
  ),
  ['an empty Host followed by another is 400', `GET / HTTP/1.1\r\nHost:\r\n${LAST}\r\n`, /^HTTP\/1\.1 400 /],
  ['an empty Host is 400', 'GET / HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['a malformed host in the target is 400', `GET http://-evil.com:/a HTTP/1.1\r\n${LAST}\r\n`, /^HTTP\/1\.1 400 /],
  [
    'a malformed Host is 400 beside a well-formed target',
    'GET http://x/a HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n',
    /^HTTP\/1\.1 400 /,
  ],
  ['two Hosts are 400', `GET / HTTP/1.1\r\nHost: y\r\n${LAST}\r\n`, /^HTTP\/1\.1 400 /],
  [
    'HTTP/1.0 needs no Host, and gets no chunks',
    'GET / HTTP/1.0\r\n\r\n',
    /^HTTP\/1\.1 200 OK\r\n(?![\s\S]*chunked)[\s\S]*<GET \/ \? @undefined 0>$/,
  ],
  ['an unknown version is refused', `GET / HTTP/3.7\r\n${LAST}\r\n`, /^HTTP\/1\.1 (400|505) /],
  ['HTTP/2.0 in the syntax of HTTP/1 is 505', `GET / HTTP/2.0\r\n${LAST}\r\n`, /^HTTP\/1\.1 505 /],
  ['HTTP/0.9 is 505', 'GET /\r\n\r\n', /^HTTP\/1\.1 505 [\s\S]*Connection: close\r\n/],
  ['an unknown method is refused', `G@T / HTTP/1.1\r\n${LAST}\r\n`, /^HTTP\/1\.1 400 /],
  [
    'Content-Length with Transfer-Encoding is refused',
    `POST / HTTP/1.1\r\n${LAST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    /^HTTP\/1\.1 400 /,
  ],
  [
    'two Content-Lengths are refused',
    `POST / HTTP/1.1\r\n${LAST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
    /^HTTP\/1\.1 400 /,
  ],
  [
    'a Content-Length that is not a number is refused',
    `POST / HTTP/1.1\r\n${LAST}Content-Length: +1\r\n\r\na`,
    /^HTTP\/1\.1 400 /,
  ],
  [
    'a coding that is not chunked is refused',
    `POST / HTTP/1.1\r\n${LAST}Transfer-Encoding: chunked, x\r\n\r\n0\r\n\r\n`,
    /^HTTP\/1\.1 400 /,
  ],
  [
    'a coding before chunked is 501',
    `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
    /^HTTP\/1\.1 501 Not Implemented\r\n[\s\S]*Connection: close\r\n/,
  ],
  [
    'a coding before chunked in a separate field is 501',
    `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    /^HTTP\/1\.1 501 /,
  ],
  [
    'a coding without chunked is 501',
    `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip\r\n\r\nabc`,
    /^HTTP\/1\.1 501 /,
  ],
  [
    'identity, which RFC 7230 removed, is 501',
    `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: identity\r\n\r\nabc`,
    /^HTTP\/1\.1 501 /,
  ],
  [
    'chunked is recognized in any case',
    `POST / HTTP/1.1\r\n${LAST}Transfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
    /<POST \/ \? @x 3>$/,
  ],
  [
    'chunked twice is refused',
    `POST / HTTP/1.1\r\n${LAST}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`,
    /^HTTP\/1\.1 400 /,
  ],
  [
    'a chunked body over HTTP/1.0 is read, and the connection is closed',
    `POST / HTTP/1.0\r\n${HOST}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
    /^HTTP\/1\.1 200 OK\r\n[\s\S]*Connection: close\r\n[\s\S]*<POST \/ \? @x 3>$/,
  ],
  [
    'white space before the colon is refused',
    `POST / HTTP/1.1\r\n${LAST}Content-Length : 1\r\n\r\na`,
    /^HTTP\/1\.1 400 /,
  ],
  ['a folded header is refused', `GET / HTTP/1.1\r\n${LAST}X-A: b\r\n c\r\n\r\n`, /^HTTP\/1\.1 400 /],
  ['a lone line feed in a header is refused', `GET / HTTP/1.1\r\n${LAST}X-A: b\nX-B: c\r\n\r\n`, /^HTTP\/1\.1 400 /],
  [
    'a chunk size that is not a number is refused',
    `POST / HTTP/1.1\r\n${LAST}Transfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n`,
    /400 Bad Request/,
  ],
  [
    'headers beyond the limit are 431',
    `GET / HTTP/1.1\r\n${LAST}X-Big: ${'a'.repeat(20_000)}\r\n\r\n`,
    /^HTTP\/1\.1 431 /,
  ],
  ['a target beyond the limit is 431', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${LAST}\r\n`, /^HTTP\/1\.1 431 /],
  ['bytes that are no HTTP at all are 400', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', /^HTTP\/1\.1 400 /],
]

describe('the node face, hostile requests', () => {
  for (const [behaviour, bytes, heard] of cases) {
    it(behaviour, () =>
      serving(app, async (server, log) => {
        assert.match(await exchange(server.port, bytes), heard)
        assert.equal(log.text, '')
      }),
    )
  }

  const untrusted: [framing: string, head: string][] = [
    ['HTTP/1.0 with a transfer coding', 'HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked'],
    ['a coding that is not implemented', `HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip, chunked`],
  ]
  for (const [framing, head] of untrusted) {
    it(`does not run a request behind ${framing}`, () => {
      const paths: string[] = []
      const recording: WSGIApplication = (environ, start_response) => {
        paths.push(environ.PATH_INFO)
        start_response('200 OK', [])
        return []
      }
      return serving(recording, async (server) => {
        await exchange(server.port, `POST /first ${head}\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n${HOST}\r\n`)
        assert.ok(!paths.includes('/smuggled'), paths.join())
      })
    })
  }

  it('responds to pipelined requests in order', () =>
    serving(app, async (server) => {
      const heard = await exchange(
        server.port,
        `GET /1 HTTP/1.1\r\n${HOST}\r\nPOST /2 HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\nabcGET /3 HTTP/1.1\r\n${LAST}\r\n`,
      )
      assert.deepEqual(
        [...heard.matchAll(/<\w+ (\S+)/g)].map(([, path]) => path),
        ['/1', '/2', '/3'],
      )
    }))

  it('refuses malformed bytes after the responses to the requests before them', () =>
    serving(app, async (server, log) => {
      const heard = await exchange(
        server.port,
        `GET /1 HTTP/1.1\r\n${HOST}\r\nGET /2 HTTP/1.1\r\n${HOST}\r\nnonsense\r\n\r\n`,
      )
      assert.deepEqual(heard.match(/(?<=HTTP\/1\.1 )\d+|(?<=<GET )\S+/g), ['200', '/1', '200', '/2', '400'])
      assert.equal(log.text, '')
    }))

  it('refuses a malformed body at once', () =>
    serving(app, async (server, log) => {
      const heard = await exchange(
        server.port,
        `POST /1 HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nnonsense\r\n\r\n`,
      )
      assert.match(heard, /^HTTP\/1\.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n$/)
      assert.equal(log.text, '')
    }))

  it('leaves malformed bytes to a listener of the application', () =>
    serving(app, async (server) => {
      server.server.on('clientError', (_error, socket) => socket.end('own'))
      assert.equal(await exchange(server.port, 'nonsense\r\n\r\n'), 'own')
    }))

  it('responds to a half-closed connection', () =>
    serving(app, async (server) => {
      const client = new Connection(server.port)
      client.socket.end(`GET /half HTTP/1.1\r\n${LAST}\r\n`)
      await client.hears('<GET /half')
      await client.ends()
    }))

  it('reports no error when a client disconnects while it sends the body', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const reading: WSGIApplication = async (environ, start_response) => {
      try {
        await environ['wsgi.input'].read()
      } catch (error) {
        resolve(error)
        throw error
      }
      start_response('200 OK', [])
      return []
    }
    await serving(reading, async (server, log) => {
      const client = new Connection(server.port)
      client.say(`POST / HTTP/1.1\r\n${HOST}Content-Length: 100\r\n\r\npart`)
      client.socket.once('connect', () => client.socket.end())
      const error = await promise
      assert.equal(error instanceof Error && error.name, 'ClientDisconnected')
      assert.equal(log.text, '')
    })
  })
})
