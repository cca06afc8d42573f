import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { DateTime, decodeCall, double, encodeResponse, Fault } from 'propylon/xmlrpc'
import { propylonHere, temporaryFolder } from './command-line.ts'
import { propylon } from './command-process.ts'

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
    [['help', 'test.add'], 'test.add(p1: number, p2: number): Promise<number>\n\nAdds.\n'],
    [['help', 'test.echo'], 'test.echo(...params: Encodable[]): Promise<ResultValue>\n'],
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

  test('types prints an interface', async () => {
    const { status, stdout } = await propylon(['xmlrpc', url, 'types'], { cwd })
    assert.equal(status, 0)
    assert.match(stdout, /interface/)
    assert.match(stdout, /add/)
  })

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
    ['/', ['types'], 'export interface Api {'],
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

  test('cannot break out of the comments and literals of types', async () => {
    const { stdout } = await propylon(['xmlrpc', url, 'types'], { cwd })
    const js = stripTypeScriptTypes(stdout)
    assert.equal(js.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|export/g, '').trim(), '')
  })

  test('call prints the result as JSON', async () => {
    const { stdout } = await propylon(['xmlrpc', url, 'call', 'echo'], { cwd })
    assert.deepEqual(JSON.parse(stdout), { [EVIL]: EVIL })
  })
})
