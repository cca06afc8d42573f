import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Binary, DateTime, decodeCall, double, encodeResponse, Fault } from 'propylon/xmlrpc'
import { freePort } from '../../free-port.ts'
import { CERTIFICATE, KEY } from './certificate.ts'
import { type Outcome, propylonHere, temporaryFolder } from './command-line.ts'
import { propylon } from './command-process.ts'
import { recordingServer, xmlrpcAnswer } from './rpc-server.ts'

/** Serves three methods. */
function answer(methodName: string, params: readonly unknown[]): unknown {
  const help: Record<string, string> = { 'test.add': 'Adds.\n\nMethod signature: [[...]]' }
  switch (methodName) {
    case 'system.listMethods':
      return ['system.listMethods', 'test.add', 'test.echo']
    case 'system.methodHelp':
      return help[String(params[0])] ?? ''
    case 'system.methodSignature':
      return params[0] === 'test.add' ? [['int', 'int', 'int']] : 'undef'
    case 'test.add':
      return Number(params[0]) + Number(params[1])
    case 'test.echo':
      return params[0]
    case 'test.big':
      return 1234567890123456789n
    case 'test.time':
      return new DateTime('19980717T14:08:55')
    default:
      return new Fault(-32601, `there is no method ${methodName}`)
  }
}

describe('xmlrpc', () => {
  const cwd = temporaryFolder()
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const call = decodeCall(Buffer.concat(chunks), { allowNil: true, doubles: 'wrapped' })
    received = call.params
    const result = answer(call.methodName, call.params)
    response.setHeader('content-type', 'text/xml')
    response.end(encodeResponse(result as never, { allowNil: true, i8: true }))
  })
  let url: string
  let received: readonly unknown[] = []
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })
  after(() => server.close())

  const table: [words: string[], stdout: string][] = [
    [[], 'system.listMethods\ntest.add\ntest.echo\n'],
    [['list'], 'system.listMethods\ntest.add\ntest.echo\n'],
    [['help', 'test.add'], 'test.add(int, int): int\n\nAdds.\n'],
    [['help', 'test.echo'], 'test.echo(...)\n'],
    [['call', 'test.add', '2', '-5'], '-3\n'],
    [['call', 'test.echo', 'two words'], '"two words"\n'],
    [['call', 'test.echo', '{"a":[1,true,null]}'], '{\n  "a": [\n    1,\n    true,\n    null\n  ]\n}\n'],
  ]
  for (const [words, stdout] of table) {
    test(`${words.join(' ') || 'without an action'} prints ${JSON.stringify(stdout)}`, async () => {
      assert.deepEqual(await propylon(['xmlrpc', url, ...words], { cwd }), { status: 0, stdout, stderr: '' })
    })
  }

  const values: [text: string, value: unknown][] = [
    ['5', 5],
    ['-5', -5],
    ['2.0', double(2)],
    ['1e3', double(1000)],
    ['true', true],
    ['null', null],
    ['"5"', '5'],
    ['text', 'text'],
    ['', ''],
    ['12abc', '12abc'],
    ['[1, 2.5]', [1, double(2.5)]],
  ]
  for (const [text, value] of values) {
    test(`the argument ${JSON.stringify(text)} is sent as a value`, async () => {
      const { status, stderr } = await propylonHere(['xmlrpc', url, 'call', 'test.echo', text], cwd)
      assert.equal(status, 0, stderr)
      assert.deepEqual(received, [value])
    })
  }

  test('an integer that is too large is refused with its exact value', async () => {
    const words = ['xmlrpc', url, 'call', 'test.echo', '12345678901234567890']
    const { status, stderr } = await propylonHere(words, cwd)
    assert.equal(status, 1)
    assert.match(stderr, /12345678901234567890 does not fit/)
  })

  const results: [words: string[], stdout: string][] = [
    [['test.big'], '"1234567890123456789"\n'],
    [['test.time'], `${JSON.stringify(new DateTime('19980717T14:08:55'))}\n`],
  ]
  for (const [words, stdout] of results) {
    test(`the result of ${words.join(' ')} is printed as JSON`, async () => {
      assert.equal((await propylonHere(['xmlrpc', url, 'call', ...words], cwd)).stdout, stdout)
    })
  }

  test('a fault is shown on stderr with status 1', async () => {
    assert.deepEqual(await propylon(['xmlrpc', url, 'call', 'nothing'], { cwd }), {
      status: 1,
      stdout: '',
      stderr: 'propylon: fault -32601: there is no method nothing\n',
    })
  })

  test('an unreachable server is one line on stderr with status 1', async () => {
    const { status, stdout, stderr } = await propylon(['xmlrpc', 'http://127.0.0.1:1/x', 'list'], { cwd })
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(stderr, /^propylon: [^\n]+\n$/)
  })
})

describe('xmlrpc, a hostile server', () => {
  const cwd = temporaryFolder()
  const EVIL = 'x\x9b2J\x85\u061c\u200e\u200f\u202a\u202e\u2066\u2069*/ \'"`'
  const SHOWN = 'x\\u009b2J\\u0085\\u061c\\u200e\\u200f\\u202a\\u202e\\u2066\\u2069*/ \'"`'
  const answers: Record<string, () => unknown> = {
    'system.listMethods': () => [EVIL, `two\nlines${EVIL}`, `then.${EVIL}`],
    'system.methodHelp': () => `${EVIL}\n${EVIL}`,
    'system.methodSignature': () => [[EVIL, EVIL]],
    echo: () => ({ [EVIL]: EVIL }),
  }
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (request.url === '/redirect') {
      response.writeHead(302, { location: '/\x9b2J\x85' }).end()
      return
    }
    if (request.url === '/text') {
      response.end(`\x1b]0;title\x07${EVIL}`)
      return
    }
    const { methodName } = decodeCall(Buffer.concat(chunks))
    const result = answers[methodName]?.() ?? new Fault(1, EVIL)
    response.setHeader('content-type', 'text/xml')
    response.end(encodeResponse(result as never))
  })
  let url: string
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => server.close())

  const table: [path: string, words: string[], shown: string][] = [
    ['/', ['list'], `${SHOWN}\ntwo\\u000alines${SHOWN}\nthen.${SHOWN}\n`],
    ['/', ['help', 'echo'], `${SHOWN}\n${SHOWN}\n`],
    ['/', ['call', 'echo'], `"${SHOWN.replace('"', '\\"')}": "${SHOWN.replace('"', '\\"')}"`],
    ['/', ['call', 'fail'], `propylon: fault 1: ${SHOWN}\n`],
    ['/redirect', ['list'], '/\\u009b2J\\u0085'],
    ['/text', ['list'], '\\u009b2J\\u0085'],
  ]
  for (const [path, words, shown] of table) {
    test(`cannot send controls to the terminal: ${words.join(' ')} ${path}`, async () => {
      const { stdout, stderr } = await propylon(['xmlrpc', url + path, ...words], { cwd })
      assert.ok((stdout + stderr).includes(shown), stdout + stderr)
      assert.doesNotMatch(stdout + stderr, /(?!\n)[\p{Cc}\p{Cf}]/u)
    })
  }

  test('call prints the result as JSON', async () => {
    const { stdout } = await propylon(['xmlrpc', url, 'call', 'echo'], { cwd })
    assert.deepEqual(JSON.parse(stdout), { [EVIL]: EVIL })
  })
})

const results: Record<string, unknown> = {
  struct: { a: 1, b: 'x' },
  text: 'plain text',
  i8: 5n,
  big: 9007199254740993n,
  date: new DateTime('19980717T14:08:55'),
  bytes: new Binary(new Uint8Array([1, 2, 3])),
}

describe('xmlrpc, arguments and results', () => {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, 'data'))
  writeFileSync(join(cwd, 'data/bytes'), new Uint8Array([1, 2, 255]))
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
    ['5', 5],
    ['5.0', double(5)],
    ['true', true],
    ['null', null],
    ['"5"', '5'],
    ['int:5', 'int:5'],
    ['string:5', '5'],
    ['string:i8:5', 'i8:5'],
    ['string:', ''],
    ['i8:5', 5n],
    ['i8:-9223372036854775808', -9223372036854775808n],
    ['date:2026-01-31T12:00:00', new DateTime('20260131T12:00:00')],
    ['date:2026-01-31T12:00:00+02:00', new DateTime('20260131T12:00:00+02:00')],
    ['date:20260131T12:00:00', new DateTime('20260131T12:00:00')],
    ['date:2026-01-31', new DateTime('20260131T00:00:00')],
    ['base64:AQL/', new Binary(new Uint8Array([1, 2, 255]))],
    ['base64:@data/bytes', new Binary(new Uint8Array([1, 2, 255]))],
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
    ['i8:9223372036854775808', /not an integer of 64 bits/],
    ['date:2026-02-30', /not a date and time/],
    ['date:yesterday', /not a date and time/],
    ['base64:?', /not base64/],
    ['base64:@missing', /the file 'missing' cannot be read \(ENOENT\)/],
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
    [['struct'], '{\n  "a": 1,\n  "b": "x"\n}\n'],
  ]
  for (const [words, stdout] of printed) {
    test(`the result of ${words.join(' ')} is printed`, async () => {
      assert.deepEqual(await call(...words), { status: 0, stdout, stderr: '' })
    })
  }

  test('--header sends headers', async () => {
    const words = ['text', '--header', 'X-Token: abc', '--header=X-Other:  d e ']
    assert.equal((await call(...words)).status, 0)
    const { headers = {} } = requests.at(-1) ?? {}
    assert.deepEqual([headers['x-token'], headers['x-other']], ['abc', 'd e'])
  })

  for (const [user, password, sent] of [
    ['joe', 'ä:/@', 'joe:ä:/@'],
    ['joe:own', 'other', 'joe:own'],
    ['joe', undefined, 'joe:'],
  ] as const) {
    test(`the user ${user} of a URL sends its password, or ${password} from the environment`, async () => {
      const env = password === undefined ? {} : { PROPYLON_RPC_PASSWORD: password }
      await propylon(['xmlrpc', url.replace('//', `//${user}@`), 'call', 'text'], { cwd, env })
      const authorization = `Basic ${Buffer.from(sent).toString('base64')}`
      assert.equal(requests.at(-1)?.headers.authorization, authorization)
    })
  }

  const misused: [words: string[], message: RegExp][] = [
    [['--header', 'no colon'], /'no colon' is not a header/],
    [['--header', 'X: a\nb'], /is not a header/],
    [['--timeout', '0'], /'0' is not a time limit in milliseconds/],
    [['--timeout', 'soon'], /'soon' is not a time limit in milliseconds/],
    [['--strict'], /no option '--strict'/],
  ]
  for (const [words, message] of misused) {
    test(`${JSON.stringify(words.join(' '))} is refused with status 2`, async () => {
      const count = requests.length
      const { status, stderr } = await call('text', ...words)
      assert.deepEqual([status, requests.length], [2, count])
      assert.match(stderr, message)
    })
  }

  for (const words of [
    ['call', ''],
    ['call', 'a b', '1'],
    ['help', 'a\n'],
  ]) {
    test(`${JSON.stringify(words)} is refused in one line`, async () => {
      const { status, stderr } = await propylonHere(['xmlrpc', url, ...words], cwd)
      assert.equal(status, 2)
      assert.match(stderr, /^propylon: '.*' is not a method name; write [^\n]+\n$/)
    })
  }

  test('types is an unknown action', async () => {
    const { status, stderr } = await propylonHere(['xmlrpc', url, 'types'], cwd)
    assert.equal(status, 2)
    assert.match(stderr, /^propylon: 'propylon xmlrpc' has no action 'types'; choose one of list, help, call\n$/)
  })

  for (const address of ['', 'x', 'ftp://x.test/', 'http://', 'unix:/run/app.sock', 'file:///etc/passwd']) {
    test(`the URL ${JSON.stringify(address)} is refused with status 2`, async () => {
      const { status, stderr } = await propylonHere(['xmlrpc', address], cwd)
      assert.equal(status, 2)
      assert.match(stderr, /is not the URL of a service/)
    })
  }

  test('a malformed URL is refused without its password', async () => {
    const { status, stderr } = await propylonHere(['xmlrpc', 'http://joe:se cret@bad host/'], cwd)
    assert.equal(status, 2)
    assert.match(stderr, /^propylon: 'http:\/\/bad host\/' is not the URL of a service/)
  })
})

describe('xmlrpc, failures', () => {
  const cwd = temporaryFolder()
  const { server, listen } = recordingServer(({ path }) => {
    if (path === 'POST /moved') return { status: 302, body: '', headers: { location: 'http://x.test/' } }
    return path === 'POST /html' ? { type: 'text/html', body: '<html>' } : { status: 404, body: 'not here' }
  })
  let url: string
  before(async () => {
    url = (await listen()).replace('//', '//joe:secret@')
  })
  after(() => server.close())

  for (const [path, message] of [
    ['/missing', /the HTTP status is 404/],
    ['/moved', /the HTTP status is 302, a redirect to http:\/\/x\.test\//],
    ['/html', /the response is not XML-RPC: .* It begins with "<html>"/],
  ] as const) {
    test(`${path} is one line on stderr with status 1, without the password`, async () => {
      const { status, stdout, stderr } = await propylonHere(['xmlrpc', url + path], cwd)
      assert.deepEqual([status, stdout], [1, ''])
      assert.match(stderr, message)
      assert.match(stderr, /^propylon: http:\/\/127\.0\.0\.1:[^\n]+\n$/)
    })
  }

  test('an unreachable server is named with its port and the cause', async () => {
    const address = `http://127.0.0.1:${await freePort()}`
    const { status, stderr } = await propylonHere(['xmlrpc', `${address}/x`], cwd)
    assert.equal(status, 1)
    assert.ok(stderr.endsWith(`: connect ECONNREFUSED ${new URL(address).host}\n`), stderr)
  })

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

  test('an unknown certificate is refused', async () => {
    const tls = createTlsServer({ key: KEY, cert: CERTIFICATE })
    await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve))
    const address = `https://localhost:${(tls.address() as AddressInfo).port}/`
    const { status, stderr } = await propylonHere(['xmlrpc', address], cwd)
    tls.close()
    assert.equal(status, 1)
    assert.match(stderr, /^propylon: [^\n]*self-signed certificate[^\n]* \(DEPTH_ZERO_SELF_SIGNED_CERT\)\n$/)
  })
})
