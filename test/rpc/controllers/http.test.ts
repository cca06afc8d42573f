/** RPC controllers over HTTP: which face answers, with which status. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { RPCController } from 'propylon/rpc'
import type { HeaderPair } from 'propylon/wsgi'
import { decodeResponse, encodeCall } from 'propylon/xmlrpc'
import { RPCService } from './service.ts'

class EchoController extends RPCController {
  static faces = ['xmlrpc', 'jsonrpc', 'json']
  static override max_body_length = 10_000
  static override description = 'Repeats <everything>'

  /** Repeats a value. */
  test_echo(value: unknown) {
    return value
  }
  created() {
    this.response.status = 201
    this.response.headers.set('X-Own', 'yes')
    return true
  }
}
class QuietController extends EchoController {
  static override browsable = false
}
class DocumentsController extends QuietController {
  static override faces = ['json', 'openapi']
}
class PlainController extends EchoController {
  static override faces = ['json']
}
class TwoController extends EchoController {
  static override faces = ['xmlrpc', 'jsonrpc']
}
class ToolsController extends EchoController {
  static override faces = ['mcp']
}

const service = new RPCService(EchoController)
const quiet = new RPCService(QuietController)
const documents = new RPCService(DocumentsController)
const plain = new RPCService(PlainController)
const tools = new RPCService(ToolsController)
const two = new RPCService(TwoController)

const xml = encodeCall('test.echo', ['x'])
const json = '{"jsonrpc":"2.0","id":1,"method":"test.echo","params":["x"]}'

describe('a call POSTed to the URL of a service', () => {
  const cases: readonly [type: string | undefined, body: string | Uint8Array<ArrayBuffer>, face: string][] = [
    ['text/xml', xml, 'xml'],
    ['application/xml; charset=utf-8', xml, 'xml'],
    ['application/soap+xml', xml, 'xml'],
    ['application/json', json, 'json'],
    ['Application/JSON; charset=utf-8', json, 'json'],
    ['application/vnd.api+json', json, 'json'],
    ['application/json-rpc', json, 'json'],
    [undefined, new TextEncoder().encode(` \r\n\t${xml.replace(/^<\?.*\?>\n/, '')}`), 'xml'],
    [undefined, new TextEncoder().encode(` \n${json}`), 'json'],
    [undefined, new TextEncoder().encode(xml), 'xml'],
    [undefined, new TextEncoder().encode(`\ufeff${xml}`), 'xml'],
    [undefined, new TextEncoder().encode(json), 'json'],
    [undefined, new TextEncoder().encode('hello'), 'json'],
    ['text/xml', json, 'xml'],
    ['application/json', xml, 'json'],
  ]
  for (const [type, body, face] of cases) {
    it(`of ${type} that begins with ${JSON.stringify(String(body).slice(0, 12))} is answered as ${face}`, async () => {
      const headers: HeaderPair[] = type === undefined ? [] : [['Content-Type', type]]
      const response = await service.send('POST', '/stock', body, headers)
      assert.equal(response.status, 200)
      const answered = response.headers.get('content-type')
      assert.equal(answered, face === 'xml' ? 'text/xml; charset=utf-8' : 'application/json')
    })
  }

  for (const [type, body] of [
    ['text/plain', xml],
    ['text/plain', json],
    ['application/x-www-form-urlencoded', xml],
    ['multipart/form-data; boundary=x', xml],
    ['application/octet-stream', json],
    ['text/html', '<html/>'],
    ['nonsense', xml],
  ] as const) {
    it(`of the content type ${type} is 415`, async () => {
      for (const [faces, path] of [
        [service, '/stock'],
        [plain, '/stock/test.echo'],
        [tools, '/stock/mcp'],
      ] as const) {
        const response = await faces.post(path, body, type)
        assert.equal(response.status, 415, path)
        assert.match(response.headers.get('accept') ?? '', /application\/json/)
      }
    })
  }

  it('in UTF-16 is answered as XML-RPC', async () => {
    const text =
      '\ufeff<methodCall><methodName>test.echo</methodName><params><param><value>x</value></param></params></methodCall>'
    const body = Uint8Array.from(Buffer.from(text, 'utf16le'))
    assert.equal(decodeResponse(await (await service.send('POST', '/stock', body)).text()), 'x')
  })

  it('is 404 or 405 if the service has no face there', async () => {
    const refused = await plain.post('/stock', json)
    assert.equal(refused.status, 405)
    assert.equal(refused.headers.get('allow'), 'GET, HEAD, OPTIONS')
    assert.equal((await documents.post('/stock', json)).status, 404)
  })

  it('can have any path below it without the face json', async () => {
    assert.equal(decodeResponse(await (await two.post('/stock/RPC2', xml, 'text/xml')).text()), 'x')
  })
})

describe('the method of a request', () => {
  const cases: readonly [of: RPCService, method: string, path: string, status: number, allow: string | null][] = [
    [service, 'GET', '/stock', 200, null],
    [service, 'HEAD', '/stock', 200, null],
    [service, 'OPTIONS', '/stock', 204, 'GET, HEAD, OPTIONS, POST'],
    [service, 'PUT', '/stock', 405, 'GET, HEAD, OPTIONS, POST'],
    [service, 'GET', '/stock/test.echo', 405, 'OPTIONS, POST'],
    [service, 'HEAD', '/stock/test_echo', 405, 'OPTIONS, POST'],
    [service, 'GET', '/stock/nope', 404, null],
    [service, 'POST', '/stock/nope', 404, null],
    [service, 'POST', '/stock/_secret', 404, null],
    [service, 'GET', '/stock/openapi.json', 404, null],
    [service, 'POST', '/stock/mcp', 404, null],
    [quiet, 'GET', '/stock', 405, 'OPTIONS, POST'],
    [quiet, 'HEAD', '/stock', 405, 'OPTIONS, POST'],
    [quiet, 'OPTIONS', '/stock', 204, 'OPTIONS, POST'],
    [documents, 'GET', '/stock/openapi.json', 200, null],
    [documents, 'GET', '/stock', 404, null],
    [tools, 'GET', '/stock', 200, null],
    [tools, 'GET', '/stock/anything', 404, null],
    [tools, 'POST', '/stock/test.echo', 404, null],
    [two, 'GET', '/stock/anything', 200, null],
    [two, 'GET', '/stock/openapi.json', 404, null],
    [two, 'POST', '/stock/mcp', 404, null],
    [two, 'POST', '/stock/_secret', 404, null],
  ]
  for (const [of, method, path, status, allow] of cases) {
    it(`${method} ${path} is answered with ${status}`, async () => {
      const response = await of.send(method, path, method === 'POST' ? '{}' : undefined)
      assert.equal(response.status, status)
      assert.equal(response.headers.get('allow'), allow)
    })
  }
})

describe('the page of a service', () => {
  it('lists the faces and the methods', async () => {
    const text = await (await service.send('GET', '/stock')).text()
    assert.match(text, /<h1>Echo<\/h1>/)
    assert.match(text, /Repeats &lt;everything&gt;/)
    assert.match(text, /XML-RPC<\/th><td><code>http:\/\/localhost\/stock<\/code>/)
    assert.match(text, /plain JSON<\/th><td><code>http:\/\/localhost\/stock\/&lt;method&gt;<\/code>/)
    assert.match(text, /<h2>test\.echo<\/h2>/)
    assert.match(text, /Repeats a value\./)
    assert.match(text, /<h2>system\.listMethods<\/h2>/)
  })

  it('does not list system methods without the face xmlrpc', async () => {
    assert.doesNotMatch(await (await plain.send('GET', '/stock')).text(), /system\./)
  })
})

describe('a plain JSON call', () => {
  for (const type of ['application/json; charset=iso-8859-1', 'application/json; charset=utf-16']) {
    it(`of ${type} is read as UTF-8`, async () => {
      const response = await service.post('/stock/test.echo', '{"value":"grüße"}', type)
      assert.equal(await response.text(), '"grüße"')
    })
  }

  const bodies: readonly [
    name: string,
    body: string | Uint8Array<ArrayBuffer> | undefined,
    headers: HeaderPair[],
    status: number,
  ][] = [
    ['a JSON object', '{"value":1}', [['Content-Type', 'application/json']], 200],
    ['a suffix +json', '{"value":1}', [['Content-Type', 'application/vnd.x+json']], 200],
    ['no content type', new TextEncoder().encode('{"value":1}'), [], 200],
    ['an unknown charset', '{"value":1}', [['Content-Type', 'application/json; charset=none']], 200],
    ['a wrong content type', '{"value":1}', [['Content-Type', 'text/plain']], 415],
    ['a form', 'value=1', [['Content-Type', 'application/x-www-form-urlencoded']], 415],
    ['no body', undefined, [], 400],
    ['an array', '[1]', [['Content-Type', 'application/json']], 400],
    ['a number', '1', [['Content-Type', 'application/json']], 400],
    ['broken JSON', '{"value":', [['Content-Type', 'application/json']], 400],
    [
      'bytes that are not UTF-8',
      Buffer.from('{"value":"\xff"}', 'latin1'),
      [['Content-Type', 'application/json']],
      400,
    ],
    ['deep nesting', `{"value":${'['.repeat(200)}${']'.repeat(200)}}`, [['Content-Type', 'application/json']], 400],
    ['a long body', `{"value":"${'x'.repeat(10_000)}"}`, [['Content-Type', 'application/json']], 413],
    [
      'a long body, compressed',
      Uint8Array.from(gzipSync(' '.repeat(10_001))),
      [
        ['Content-Type', 'application/json'],
        ['Content-Encoding', 'gzip'],
      ],
      413,
    ],
    [
      'an unknown coding',
      '{"value":1}',
      [
        ['Content-Type', 'application/json'],
        ['Content-Encoding', 'br'],
      ],
      415,
    ],
  ]
  for (const [name, body, headers, status] of bodies) {
    it(`with ${name} is answered with ${status}`, async () => {
      const response = await service.send('POST', '/stock/test.echo', body, headers)
      assert.equal(response.status, status)
      assert.equal(
        response.headers.get('content-type'),
        status === 200 ? 'application/json' : 'application/problem+json',
      )
    })
  }

  it('says that the body must be an object', async () => {
    const response = await service.send('POST', '/stock/created', '[]', [['Content-Type', 'application/json']])
    assert.equal(response.status, 400)
    assert.match(await response.text(), /must be a JSON object of arguments by name/)
  })

  it('needs no body if no argument is required', async () => {
    const response = await service.send('POST', '/stock/created')
    assert.equal(response.status, 201)
    assert.equal(response.headers.get('x-own'), 'yes')
    assert.equal(await response.text(), 'true')
  })

  it('has a problem document whatever the client accepts', async () => {
    const response = await service.send('POST', '/stock/nope', '{}', [['Accept', 'text/html']])
    assert.equal(response.headers.get('content-type'), 'application/problem+json')
    assert.equal(JSON.parse(await response.text()).status, 404)
  })

  it('has a compressed answer if it is long', async () => {
    const value = 'x'.repeat(5_000)
    const response = await service.send('POST', '/stock/test.echo', JSON.stringify({ value }), [
      ['Content-Type', 'application/json'],
      ['Accept-Encoding', 'gzip'],
    ])
    assert.equal(response.headers.get('content-encoding'), 'gzip')
    assert.equal(JSON.parse(gunzipSync(await response.arrayBuffer()).toString()), value)
  })
})

describe('a call without a body', () => {
  it('is 411', async () => {
    assert.equal((await service.send('POST', '/stock')).status, 411)
  })
})

describe('a call from a page of another site', () => {
  class OpenController extends EchoController {
    static crossSite = { index: 'allow', test_echo: 'allow' }
  }
  const open = new RPCService(OpenController)
  const paths = ['/stock', '/stock/test.echo', '/stock/created']
  for (const path of paths) {
    it(`to ${path} is refused unless the class allows it`, async () => {
      const headers: HeaderPair[] = [
        ['Content-Type', 'application/json'],
        ['Origin', 'https://evil.example'],
      ]
      const body = path === '/stock' ? json : '{"value":1}'
      assert.equal((await service.send('POST', path, body, headers)).status, 403)
      const isAllowed = path !== '/stock/created'
      assert.equal((await open.send('POST', path, body, headers)).status, isAllowed ? 200 : 403)
    })
  }
})
