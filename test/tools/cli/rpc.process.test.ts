import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { Binary, DateTime, decodeCall, double, encodeResponse, Fault } from 'propylon/xmlrpc'
import { run } from '../../../src/tools/cli/run.ts'
import { freePort } from '../../free-port.ts'
import { CERTIFICATE, KEY } from './certificate.ts'
import { type Outcome, propylonHere, temporaryFolder } from './command-line.ts'
import { propylon } from './command-process.ts'
import { jsonrpcAnswer, type Received, recordingServer, xmlrpcAnswer } from './rpc-server.ts'

const cwd = temporaryFolder()
mkdirSync(join(cwd, 'data'))
writeFileSync(join(cwd, 'data/bytes'), new Uint8Array([1, 2, 255]))
writeFileSync(join(cwd, 'certificate.pem'), CERTIFICATE)

const structs = [
  { name: 'cat', pid: 5, more: [1] },
  { name: 'dog\n', state: 'STOPPED' },
]
const results: Record<string, unknown> = {
  structs,
  struct: { a: 1, b: 'x' },
  list: [1, 'two'],
  text: 'plain text',
  empty: [],
  i8: 5n,
  big: 9007199254740993n,
  date: new DateTime('19980717T14:08:55'),
  bytes: new Binary(new Uint8Array([1, 2, 3])),
  'system.listMethods': ['system.listMethods', 'text', 'list'],
}

describe('rpc, by XML-RPC', () => {
  const { server, requests, listen } = recordingServer(
    xmlrpcAnswer((name, [param]) => (name === 'echo' ? (param ?? 'nil') : results[name])),
  )
  let url: string
  before(async () => {
    url = await listen()
  })
  after(() => server.close())
  const call = (...words: string[]): Promise<Outcome> => propylonHere(['xmlrpc', url, 'call', ...words], cwd)
  const sentParams = () => {
    const { body = '' } = requests.at(-1) ?? {}
    return decodeCall(body, { allowNil: true, doubles: 'wrapped' }).params
  }

  const values: [word: string, value: unknown][] = [
    ['string:5', '5'],
    ['string:i8:5', 'i8:5'],
    ['string:', ''],
    ['int:5', 5],
    ['int:-2147483648', -2147483648],
    ['int:+5', 5],
    ['i8:5', 5n],
    ['i8:-9223372036854775808', -9223372036854775808n],
    ['double:1', double(1)],
    ['double:-.5e1', double(-5)],
    ['bool:true', true],
    ['bool:0', false],
    ['nil:', null],
    ['date:2026-01-31T12:00:00', new DateTime('20260131T12:00:00')],
    ['date:2026-01-31T12:00:00+02:00', new DateTime('20260131T12:00:00+02:00')],
    ['date:20260131T12:00:00', new DateTime('20260131T12:00:00')],
    ['date:2026-01-31', new DateTime('20260131T00:00:00')],
    ['base64:AQL/', new Binary(new Uint8Array([1, 2, 255]))],
    ['base64:@data/bytes', new Binary(new Uint8Array([1, 2, 255]))],
    ['json:"5"', '5'],
    ['json:[1]', [1]],
    ['other:5', 'other:5'],
    ['https://x.test/', 'https://x.test/'],
    ['{"a":[1.0,null]}', Object.assign(Object.create(null), { a: [double(1), null] })],
    ['9007199254740993', 9007199254740993n],
    ['5000000000', 5_000_000_000n],
    ['-2147483649', -2_147_483_649n],
    ['2147483647', 2_147_483_647],
    ['[5000000000]', [5_000_000_000n]],
  ]
  for (const [word, value] of values) {
    test(`the argument ${word} is sent as a value of its type`, async () => {
      const { status, stderr } = await call('echo', word)
      assert.equal(status, 0, stderr)
      assert.deepEqual(sentParams(), [value])
    })
  }

  const refused: [word: string, message: RegExp][] = [
    ['int:2147483648', /'2147483648' is not an integer of 32 bits/],
    ['int:1.5', /not an integer/],
    ['int:', /not an integer/],
    ['i8:9223372036854775808', /not an integer of 64 bits/],
    ['double:inf', /not a finite number/],
    ['double:1e999', /not a finite number/],
    ['bool:yes', /not a boolean; write bool:true or bool:false/],
    ['nil:x', /'x' is not empty/],
    ['date:2026-02-30', /not a date and time/],
    ['date:yesterday', /not a date and time/],
    ['base64:?', /not base64/],
    ['base64:@missing', /the file 'missing' cannot be read \(ENOENT\)/],
    ['json:{', /not valid JSON/],
    ['1e400', /'1e400' is beyond the range of doubles/],
    ['[{"a":-1e400}]', /'-1e400' is beyond the range of doubles/],
  ]
  for (const [word, message] of refused) {
    test(`the argument ${word} is refused with status 2`, async () => {
      const count = requests.length
      const { status, stdout, stderr } = await call('echo', word)
      assert.deepEqual([status, stdout, requests.length], [2, '', count])
      assert.match(stderr, message)
    })
  }

  const printed: [words: string[], stdout: string][] = [
    [['i8'], '5\n'],
    [['big'], '"9007199254740993"\n'],
    [['date'], '"19980717T14:08:55"\n'],
    [['bytes'], '"AQID"\n'],
    [['struct', '--output', 'json'], '{\n  "a": 1,\n  "b": "x"\n}\n'],
    [
      ['structs', '--output', 'table'],
      'name       pid  more  state\ncat        5    [1]\ndog\\u000a             STOPPED\n',
    ],
    [['struct', '--output', 'table'], 'a  1\nb  x\n'],
    [['list', '--output', 'table'], '1\ntwo\n'],
    [['text', '--output', 'table'], 'plain text\n'],
    [['empty', '--output', 'table'], ''],
  ]
  for (const [words, stdout] of printed) {
    test(`the result of ${words.join(' ')} is printed`, async () => {
      assert.deepEqual(await call(...words), { status: 0, stdout, stderr: '' })
    })
  }

  test('a terminal gets a table for an array of structs, and JSON for other results', async () => {
    assert.match((await onTerminal(['xmlrpc', url, 'call', 'structs'])).stdout, /^name +pid/)
    assert.match((await onTerminal(['xmlrpc', url, 'call', 'struct'])).stdout, /^\{/)
  })

  test('a terminal is shown the progress of types, which is cleared', async () => {
    const { stdout, stderr } = await onTerminal(['xmlrpc', url, 'types'])
    assert.ok(stderr.endsWith('3 of 3 methods\r\x1b[K'), JSON.stringify(stderr))
    assert.match(stdout, /text\(/)
  })

  test('types describes the methods that are named, and those of --method', async () => {
    const { stdout } = await propylonHere(
      ['xmlrpc', url, 'types', 'a.b', '--method', 'a.c', '--method=d'],
      cwd,
    )
    assert.match(stdout, /a: \{\n {4}b\(.*\n {4}c\(.*\n {2}\}\n {2}d\(/)
    assert.ok(requests.slice(-6).every(({ body }) => !body.includes('listMethods')))
  })

  test('--only selects methods of list and types', async () => {
    assert.equal((await propylonHere(['rpc', url, '--only', 'l'], cwd)).stdout, 'list\n')
    const { stdout } = await propylonHere(['rpc', url, 'types', '--only', 'l'], cwd)
    assert.match(stdout, /list\(/)
    assert.doesNotMatch(stdout, /'text'/)
  })

  const headers: [words: string[], name: string, value: string][] = [
    [['--header', 'X-Token: abc', '--header=X-Other:  d e '], 'x-token', 'abc'],
    [['--header', 'X-Token: abc', '--header=X-Other:  d e '], 'x-other', 'd e'],
    [['--user', 'joe:a:b'], 'authorization', `Basic ${btoa('joe:a:b')}`],
    [['--user', 'joe'], 'authorization', `Basic ${btoa('joe:from environment')}`],
    [['--user', 'joe:a', '--header', 'Authorization: Bearer x'], 'authorization', 'Bearer x'],
  ]
  for (const [words, name, value] of headers) {
    test(`${words.join(' ')} sends ${name}: ${value}`, async () => {
      const env = { PROPYLON_RPC_PASSWORD: 'from environment' }
      const { status, stderr } = await propylon(['rpc', url, 'call', 'text', ...words], { cwd, env })
      assert.equal(status, 0, stderr)
      assert.equal(requests.at(-1)?.headers[name], value)
    })
  }

  test('the password of a URL with a user only is read from the environment', async () => {
    const env = { PROPYLON_RPC_PASSWORD: 'ä:/@' }
    await propylon(['rpc', url.replace('//', '//joe@'), 'call', 'text'], { cwd, env })
    const authorization = `Basic ${Buffer.from('joe:ä:/@').toString('base64')}`
    assert.equal(requests.at(-1)?.headers.authorization, authorization)
  })

  const misused: [words: string[], message: RegExp][] = [
    [['--header', 'no colon'], /'no colon' is not a header/],
    [['--header', 'X: a\nb'], /is not a header/],
    [['--user', 'joe'], /no password for 'joe'; write '--user NAME:PASSWORD', or set PROPYLON_RPC_PASSWORD/],
    [['--timeout', '0'], /'--timeout' is '0'/],
    [['--timeout', 'soon'], /'--timeout' is 'soon'/],
    [['--output', 'xml'], /'--output' is 'xml'; choose json or table/],
    [['--protocol', 'soap'], /'--protocol' is 'soap'/],
    [['--ca', 'missing.pem'], /'missing.pem' of '--ca' cannot be read \(ENOENT\)/],
    [['--ca', 'data/bytes'], /has no certificate/],
  ]
  for (const [words, message] of misused) {
    test(`${JSON.stringify(words.join(' '))} is refused with status 2`, async () => {
      const count = requests.length
      const { status, stderr } = await propylonHere(['rpc', url, 'call', 'text', ...words], cwd)
      assert.deepEqual([status, requests.length], [2, count])
      assert.match(stderr, message)
    })
  }

  for (const address of ['', 'x', 'ftp://x.test/', 'http://', 'unix:', 'file:///etc/passwd']) {
    test(`the URL ${JSON.stringify(address)} is refused with status 2`, async () => {
      const { status, stderr } = await propylonHere(['rpc', address], cwd)
      assert.equal(status, 2)
      assert.match(stderr, /is not the URL of a service/)
    })
  }
})

test('a malformed URL is refused without its password', async () => {
  const { status, stderr } = await propylonHere(['rpc', 'http://joe:se cret@bad host/'], cwd)
  assert.equal(status, 2)
  assert.match(stderr, /^propylon: 'http:\/\/bad host\/' is not the URL of a service/)
})

describe('rpc, failures', () => {
  const responses: Record<string, () => Received | object> = {
    '/unlisted': () => ({ type: 'text/xml', body: encodeResponse(new Fault(1, 'unknown method')) }),
    '/html': () => ({ type: 'text/html', body: '<html>' }),
    '/missing': () => ({ status: 404, body: 'not here' }),
    '/denied': () => ({ status: 401, body: '' }),
    '/sloppy': () => ({
      type: 'text/xml',
      body: '\n<methodResponse><params><param><value><array><data><value>\x1b</value></data></array></value></param></params></methodResponse>',
    }),
    '/empty': () => ({ type: 'text/xml', body: encodeResponse({}) }),
    '/other.json': () => ({ body: { swagger: '2.0' } }),
    '/api.json': () => ({ body: { openapi: '3.1.1', paths: { '/a': { post: {} } } } }),
    '/moved': () => ({ status: 302, body: '', headers: { location: 'http://x.test/' } }),
  }
  const { server, requests, listen } = recordingServer(({ path }) => {
    const respond = responses[path.split(' ')[1] ?? '']
    return (respond?.() ?? { status: 404, body: '' }) as { body: unknown }
  })
  let url: string
  before(async () => {
    url = await listen()
  })
  after(() => server.close())

  const table: [what: string, words: string[], message: RegExp][] = [
    [
      'a service that lists no methods',
      ['/unlisted', 'types'],
      /fault 1: unknown method\); name them: types METHOD/,
    ],
    [
      'a page',
      ['/html'],
      /answers by no protocol \(XML-RPC: the response is another document; JSON-RPC: the resp/,
    ],
    [
      'a missing page',
      ['/missing'],
      /XML-RPC: HTTP status 404; JSON-RPC: HTTP status 404; plain JSON: no openapi/,
    ],
    ['a page that refuses', ['/denied'], /the HTTP status is 401/],
    ['a page elsewhere', ['/moved', 'list', '--protocol', 'xmlrpc'], /302, a redirect to http:\/\/x.test\//],
    [
      'JSON-RPC at a page',
      ['/html', 'list', '--protocol', 'jsonrpc'],
      /is not JSON. It begins with "<html>"/,
    ],
    [
      'a service that lists nothing',
      ['/empty', 'types'],
      /the service lists no methods; name them: types METHOD/,
    ],
    [
      'a document of another kind',
      ['/other.json', 'types'],
      /other.json: The document is neither OpenRPC nor/,
    ],
    ['a document without the method', ['/api.json', 'help', 'x'], /the OpenAPI document has no method 'x'/],
    ['a missing document', ['/missing.json', 'types'], /missing.json: the HTTP status is 404/],
  ]
  for (const [what, [path = '', ...words], message] of table) {
    test(`${what} is one line on stderr with status 1`, async () => {
      const { status, stdout, stderr } = await propylonHere(['rpc', url + path, ...words], cwd)
      assert.deepEqual([status, stdout], [1, ''])
      assert.match(stderr, message)
      assert.match(stderr, /^propylon: [^\n]+\n$/)
    })
  }

  for (const words of [['xmlrpc'], ['rpc', '--protocol', 'xmlrpc']]) {
    test(`a response that is not XML-RPC is refused by ${words.join(' ')}`, async () => {
      const [command = '', ...options] = words
      const { status, stderr } = await propylonHere([command, `${url}/sloppy`, ...options], cwd)
      assert.equal(status, 1)
      assert.match(stderr, /the response is not XML-RPC/)
    })
  }

  test('a service that refuses the caller is not called again by another protocol', async () => {
    const count = requests.length
    await propylonHere(['rpc', `${url}/denied`], cwd)
    assert.equal(requests.length, count + 1)
  })

  test('a message and generated types have no password', async () => {
    const address = `${url.replace('//', '//joe:secret@')}/html`
    for (const protocol of ['xmlrpc', 'jsonrpc', 'json']) {
      const { stderr } = await propylonHere(['rpc', address, 'list', '--protocol', protocol], cwd)
      assert.match(stderr, /127\.0\.0\.1/)
      assert.doesNotMatch(stderr, /secret/)
    }
    for (const [path, ...words] of [
      ['/other.json', 'types'],
      ['/api.json', 'types'],
      ['/html', 'types', 'x', '--protocol=json'],
      ['/html', 'types', 'x', '--protocol=jsonrpc'],
      ['/unlisted', 'types', 'x'],
    ]) {
      const address = `${url.replace('//', '//joe:secret@')}${path}`
      const { stdout, stderr } = await propylonHere(['rpc', address, ...words], cwd)
      assert.match(stdout + stderr, /127\.0\.0\.1/)
      assert.doesNotMatch(stdout + stderr, /secret/)
    }
  })

  for (const protocol of ['xmlrpc', 'jsonrpc', 'json']) {
    for (const action of [['list'], ['call', 'm', 'unnamed']]) {
      test(`an unreachable server is named with its port and the cause, by ${protocol}: ${action.join(' ')}`, async () => {
        const address = `http://127.0.0.1:${await freePort()}`
        const words = ['rpc', `${address}/x`, ...action, '--protocol', protocol]
        const { status, stderr } = await propylonHere(words, cwd)
        assert.equal(status, 1)
        assert.match(stderr, /^propylon: [^\n]+ECONNREFUSED\)\n$/)
        assert.ok(stderr.includes(`(${new URL(address).host}, `), stderr)
      })
    }
  }

  test('a service that does not answer within --timeout is an error', async () => {
    const silent = recordingServer(() => ({ body: '' }))
    silent.server.removeAllListeners('request')
    const address = await silent.listen()
    const { status, stderr } = await propylonHere(['xmlrpc', address, 'list', '--timeout', '50'], cwd)
    assert.equal(status, 1)
    assert.match(stderr, /no response within 50 ms/)
    silent.server.closeAllConnections()
    silent.server.close()
  })
})

describe('rpc, by JSON-RPC', () => {
  const document = {
    openrpc: '1.3.2',
    servers: [{ url: './rpc' }],
    methods: [
      {
        name: 'stock.find',
        description: 'Finds an article.',
        params: [{ name: 'sku', required: true, description: 'its number', schema: { type: 'string' } }],
        result: { name: 'count', schema: { type: 'integer' } },
      },
    ],
  }
  const call = jsonrpcAnswer((name, params) => {
    if (name === 'rpc.discover') return document
    return name === 'echo' ? params : undefined
  })
  const plain = jsonrpcAnswer((name) => (name === 'system.listMethods' ? ['a.b', 'c'] : undefined))
  const { server, requests, listen } = recordingServer((request) => {
    if (request.path === 'GET /openrpc.json') return { body: document }
    if (request.path === 'GET /elsewhere/openrpc.json')
      return { body: { ...document, servers: [{ url: url.replace('127.0.0.1', 'localhost') }] } }
    if (request.body.startsWith('<')) return { status: 400, body: '' }
    if (request.path === 'POST /old')
      return { body: '{"version":"1.1","result":9007199254740993,"error":null}' }
    if (request.path === 'POST /error')
      return { status: 500, body: { id: null, error: { code: 5, message: 'no\nstock', data: { sku: 1 } } } }
    const [, sent] = /^POST \/odd\/(.+)$/.exec(request.path) ?? []
    if (sent !== undefined) return { body: `{"id":1,"result":null,"error":${decodeURIComponent(sent)}}` }
    return request.path === 'POST /plain' ? plain(request) : call(request)
  })
  let url: string
  before(async () => {
    url = await listen()
  })
  after(() => server.close())
  const output = async (...words: string[]) => {
    const { status, stdout, stderr } = await propylonHere(['rpc', ...words], cwd)
    assert.equal(status, 0, stderr)
    return stdout
  }

  test('is found by a call that changes nothing', async () => {
    const count = requests.length
    assert.equal(await output(`${url}/rpc`), 'stock.find\n')
    assert.deepEqual(
      requests.slice(count).map(({ body }) => /(listMethods|discover)/.exec(body)?.[0]),
      ['listMethods', 'discover'],
    )
  })

  const printed: [words: string[], stdout: string][] = [
    [
      ['/rpc', 'help', 'stock.find'],
      'stock.find(sku: string): Promise<number>\n\nFinds an article.\n\n@param sku its number\n',
    ],
    [['/openrpc.json', 'list'], 'stock.find\n'],
    [['/openrpc.json', 'call', 'echo', 'a'], '[\n  "a"\n]\n'],
    [['/plain', 'list', '--only', 'a'], 'a.b\n'],
    [['/old', 'call', 'big'], '"9007199254740993"\n'],
  ]
  for (const [[path = '', ...words], stdout] of printed) {
    test(`${path} ${words.join(' ')} prints ${JSON.stringify(stdout)}`, async () => {
      assert.equal(await output(url + path, ...words), stdout)
    })
  }

  test('arguments are passed by position, with the values that JSON has', async () => {
    const words = [
      'int:5',
      'i8:9007199254740993',
      'date:2026-01-31T12:00:00Z',
      'base64:AQID',
      'double:1',
      '[2.5]',
    ]
    await output(`${url}/rpc`, 'call', 'echo', ...words, '--protocol', 'jsonrpc')
    assert.deepEqual(JSON.parse(requests.at(-1)?.body ?? '').params, [
      5,
      '9007199254740993',
      '2026-01-31T12:00:00Z',
      'AQID',
      1,
      [2.5],
    ])
  })

  test('--named passes arguments by name', async () => {
    await output(
      `${url}/rpc`,
      'call',
      'echo',
      'sku=string:5',
      '__proto__={"a":1}',
      '--named',
      '--protocol=jsonrpc',
    )
    assert.match(requests.at(-1)?.body ?? '', /"params":\{"sku":"5","__proto__":\{"a":1\}\}/)
  })

  test('an error is shown with its code and data, whatever the HTTP status', async () => {
    const { status, stderr } = await propylonHere(
      ['rpc', `${url}/error`, 'call', 'x', '--protocol=jsonrpc'],
      cwd,
    )
    assert.deepEqual([status, stderr], [1, 'propylon: error 5: no\\u000astock ({"sku":1})\n'])
  })

  const odd: [error: string, text: string][] = [
    ['{"code":"E_STOCK","message":"no stock","data":1}', 'error E_STOCK: no stock (1)'],
    ['{"code":"-7","message":"no stock"}', 'error -7: no stock'],
    ['{"code":1.5,"message":"no stock"}', 'error 1.5: no stock'],
    ['{"code":12345678901234567890,"message":"no stock"}', 'error 12345678901234567890: no stock'],
    ['{"code":{"toString":1},"message":"no stock"}', 'error {"toString":1}: no stock'],
    ['{"code":null,"message":"no stock"}', 'error: no stock'],
    ['{"message":"no stock"}', 'error: no stock'],
    ['"no stock"', 'error: no stock'],
    ['{"code":12345678901234567890}', 'error 12345678901234567890: {"code":"12345678901234567890"}'],
    ['12345678901234567890', 'error: 12345678901234567890'],
  ]
  for (const [sent, text] of odd) {
    test(`the error ${sent} is shown with its text and the code that was sent`, async () => {
      const address = `${url}/odd/${encodeURIComponent(sent)}`
      const outcome = await propylonHere(['rpc', address, 'call', 'x', '--protocol=jsonrpc'], cwd)
      assert.deepEqual(outcome, { status: 1, stdout: '', stderr: `propylon: ${text}\n` })
    })
  }

  test('types are those of the document, or names', async () => {
    assert.match(await output(`${url}/rpc`, 'types'), /find\(sku: string\): Promise<number>/)
    assert.match(await output(`${url}/openrpc.json`, 'types'), /from its OpenRPC document/)
    assert.match(await output(`${url}/plain`, 'types'), /b\(\.\.\.params: unknown\[\]\): Promise<JSONResult>/)
    assert.match(await output(`${url}/plain`, 'types', 'x', '--method', 'y'), /x\(.*\n {2}y\(/)
  })

  test('a service elsewhere, which a document names, gets no credentials', async () => {
    const words = [`${url}/elsewhere/openrpc.json`, 'call', 'echo', '--header', 'X-Token: a', '--user=a:b']
    await output(...words)
    const { headers = {} } = requests.at(-1) ?? {}
    assert.match(headers.host ?? '', /^localhost:/)
    assert.deepEqual([headers['x-token'], headers.authorization], [undefined, undefined])
  })
})

describe('rpc, by plain JSON', () => {
  const document = {
    openapi: '3.1.1',
    servers: [{ url: '../stock' }],
    paths: {
      '/stock.find': {
        post: {
          description: 'Finds an article.',
          requestBody: {
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: { sku: { type: 'string' }, limit: {} },
                  required: ['sku'],
                },
              },
            },
          },
        },
      },
    },
  }
  const { server, requests, listen } = recordingServer(({ path, body }) => {
    switch (path) {
      case 'GET /stock/openapi.json':
        return { body: document }
      case 'POST /stock/stock.find':
        return { body: [JSON.parse(body)] }
      case 'GET /other/openapi.json':
        return { body: { swagger: '2.0' } }
      case 'GET /moved/openapi.json':
        return { status: 308, body: '', headers: { location: 'http://other.test/openapi.json' } }
      case 'POST /stock/nothing':
        return { status: 204, body: '' }
      case 'POST /stock/wrong':
        return {
          status: 400,
          type: 'application/problem+json',
          body: { title: 'Bad Request', detail: 'refused', errors: [{ name: 'sku', detail: 'is missing' }] },
        }
      default:
        return { status: 404, body: { title: 'Not Found' } }
    }
  })
  let url: string
  before(async () => {
    url = `${await listen()}/stock`
  })
  after(() => server.close())

  const table: [words: string[], outcome: Outcome][] = [
    [['', 'list'], { status: 0, stdout: 'stock.find\n', stderr: '' }],
    [
      ['', 'help', 'stock.find'],
      {
        status: 0,
        stdout: 'stock.find(sku: string, limit?: unknown): Promise<JSONResult>\n\nFinds an article.\n',
        stderr: '',
      },
    ],
    [['/openapi.json', 'list'], { status: 0, stdout: 'stock.find\n', stderr: '' }],
    [['/', 'call', 'nothing', '--protocol=json'], { status: 0, stdout: 'null\n', stderr: '' }],
    [
      ['', 'call', 'wrong', 'a=1'],
      { status: 1, stdout: '', stderr: 'propylon: error 400: refused; sku: is missing\n' },
    ],
    [
      ['', 'call', 'wrong', 'unnamed'],
      {
        status: 2,
        stdout: '',
        stderr: "propylon: the argument 'unnamed' has no name; write it as NAME=VALUE\n",
      },
    ],
    [
      ['', 'call', 'stock.find', 'a=1', 'a=2'],
      { status: 2, stdout: '', stderr: "propylon: there are two arguments 'a'\n" },
    ],
    [['', 'call', 'gone'], { status: 1, stdout: '', stderr: 'propylon: error 404: Not Found\n' }],
  ]
  for (const [[path = '', ...words], outcome] of table) {
    test(`${path} ${words.join(' ')}`, async () => {
      assert.deepEqual(await propylonHere(['rpc', url + path, ...words], cwd), outcome)
    })
  }

  for (const words of [
    ['sku=A1', 'limit=int:5'],
    ['A1', '5'],
  ]) {
    test(`arguments are passed by name: ${words.join(' ')}`, async () => {
      await propylonHere(['rpc', url, 'call', 'stock.find', ...words], cwd)
      assert.deepEqual(JSON.parse(requests.at(-1)?.body ?? ''), { sku: 'A1', limit: 5 })
    })
  }

  for (const [path, message] of [
    ['other', /openapi\.json: The document is neither OpenRPC nor OpenAPI 3\./],
    ['moved', /openapi\.json: the HTTP status is 308, a redirect to http:\/\/other\.test\/openapi\.json$/],
  ] as const) {
    for (const words of [[path, '--protocol=json'], [`${path}/openapi.json`]]) {
      test(`a document that cannot be used is an error of one line: ${words.join(' ')}`, async () => {
        const [name = '', ...options] = words
        const { status, stderr } = await propylonHere(
          ['rpc', new URL(name, url).href, 'list', ...options],
          cwd,
        )
        assert.equal(status, 1)
        assert.equal(stderr.trimEnd().split('\n').length, 1, stderr)
        assert.match(stderr.trimEnd(), message)
      })
    }
  }

  test('a document is requested without the type of a body', async () => {
    await propylonHere(['rpc', `${url}/openapi.json`, 'list'], cwd)
    const { headers } = requests.at(-1) ?? {}
    assert.deepEqual([headers?.accept, headers?.['content-type']], ['application/json', undefined])
  })

  test('types are those of the document', async () => {
    const { stdout } = await propylonHere(['rpc', `${url}/openapi.json`, 'types'], cwd)
    assert.match(stdout, /find\(sku: string, limit\?: unknown\): Promise<JSONResult>/)
  })
})

describe('rpc, by plain JSON over a socket', () => {
  const socket = join(cwd, 'app.sock')
  const { server, requests } = recordingServer(() => ({ body: [] }))
  before(() => new Promise<void>((resolve) => server.listen(socket, resolve)))
  after(() => server.close())

  const urls: [url: string, path: string][] = [
    ['unix:SOCKET', '/find'],
    ['unix:SOCKET:', '/find'],
    ['unix:SOCKET:/stock', '/stock/find'],
    ['unix://SOCKET:/stock/', '/stock/find'],
    ['http+unix://ENCODED', '/find'],
  ]
  for (const [url, path] of urls) {
    test(`a call of ${url} is a request of ${path}`, async () => {
      const address = url.replace('SOCKET', socket).replace('ENCODED', encodeURIComponent(socket))
      const outcome = await propylonHere(['rpc', address, 'call', 'find', '--protocol=json'], cwd)
      assert.deepEqual(outcome, { status: 0, stdout: '[]\n', stderr: '' })
      assert.equal(requests.at(-1)?.path, `POST ${path}`)
    })
  }

  test('a call of a socket of SCGI is a request of its root', async () => {
    const { stderr } = await propylonHere(
      ['rpc', 'scgi:///missing/app.sock', 'call', 'find', '--protocol=json'],
      cwd,
    )
    assert.match(
      stderr,
      /^propylon: scgi:\/\/\/missing\/app\.sock:\/find: .*\(\/missing\/app\.sock, ENOENT\)\n$/,
    )
  })
})

describe('rpc, over TLS', () => {
  const server = createTlsServer({ key: KEY, cert: CERTIFICATE }, (_request, response) => {
    response.end(encodeResponse(['a']))
  })
  let url: string
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `https://localhost:${(server.address() as AddressInfo).port}/`
  })
  after(() => {
    server.close()
    server.closeAllConnections()
  })

  test('an unknown certificate is refused, with what to do', async () => {
    const { status, stderr } = await propylon(['rpc', url], { cwd })
    assert.equal(status, 1)
    assert.match(stderr, /^propylon: [^\n]*certificate is self-signed[^\n]*\n$/)
  })

  test('--ca trusts a certificate', async () => {
    const { stdout, stderr } = await propylon(['rpc', url, '--ca', 'certificate.pem'], { cwd })
    assert.deepEqual([stdout, stderr], ['a\n', ''])
  })
})

/** Runs a command in this process, with streams that take themselves for a terminal without colours. */
async function onTerminal(words: readonly string[]): Promise<Outcome> {
  const terminal = () => Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true })
  const [stdout, stderr] = [terminal(), terminal()]
  const status = await run(words, { cwd, env: { NO_COLOR: '1' }, stdin: Readable.from([]), stdout, stderr })
  return { status, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') }
}
