import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { abort, FrameworkApp, JSONRPCController, JSONRPCError } from 'propylon'
import { Mapper } from 'propylon/routing'
import { TestApp } from 'propylon/testing'
import { createEnviron, type HeaderPair, lint, run } from 'propylon/wsgi'

let events: string[] = []

class Service extends JSONRPCController {
  static override max_body_length = 20_000
  static override batchLimit = 5

  __before__(action: string, params: unknown) {
    events.push(`before ${action} ${JSON.stringify(params)}`)
    if (action === 'refused') throw new JSONRPCError(9, 'refused')
  }
  __after__(action: string, error?: Error) {
    events.push(`after ${action}${error === undefined ? '' : ` ${error.message}`}`)
  }
  subtract(minuend: number, subtrahend: number) {
    return minuend - subtrahend
  }
  async greet(name: string, greeting = 'Hello') {
    return `${greeting}, ${name}!`
  }
  destructured({ name, age = 0 }: { name: string; age?: number }) {
    return `${name} ${age}`
  }
  everything({ ...all }: Record<string, unknown>) {
    return all
  }
  sum(...numbers: number[]) {
    return numbers.reduce((a, b) => a + b, 0)
  }
  echo(value: unknown) {
    return value
  }
  nothing() {}
  fails() {
    throw new JSONRPCError(7, 'no', { why: 'because' })
  }
  fails_by_return() {
    return new JSONRPCError(7, 'no')
  }
  breaks() {
    throw new RangeError('swordfish')
  }
  unsendable() {
    return 1n
  }
  callback() {
    return () => 1
  }
  unsendable_error() {
    throw new JSONRPCError(7, 'no', 1n)
  }
  forbidden() {
    abort(403, 'not you')
  }
  refused() {
    return true
  }
  _secret() {
    return 'secret'
  }
}

const logged: string[] = []
function service(debug = false): FrameworkApp {
  const log = (message: string) => void logged.push(message)
  return new FrameworkApp({
    map: new Mapper().connect('/{controller}', { action: 'index' }),
    controllers: { rpc: Service },
    debug,
    logger: { info: log, warn: log, error: log },
  })
}
const app = service()

async function send(body: string | Uint8Array, headers: HeaderPair[] = [], method = 'POST', to = app) {
  const environ = createEnviron({
    method,
    url: '/rpc',
    body,
    headers: [['Content-Type', 'application/json'], ...headers],
  })
  const result = await run(lint(to.wsgi), environ)
  const header = (name: string) => result.headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
  return { status: result.status, header, bytes: await result.bytes() }
}

async function answerTo(message: unknown, to = app): Promise<unknown> {
  const { bytes } = await send(JSON.stringify(message), [], 'POST', to)
  return bytes.length === 0 ? undefined : JSON.parse(new TextDecoder().decode(bytes))
}

const call = (method: string, params?: unknown, id: unknown = 1) => ({ jsonrpc: '2.0', method, params, id })
const result = (value: unknown, id: unknown = 1) => ({ jsonrpc: '2.0', result: value, id })
const failure = (code: number, message: string, id: unknown = 1) => ({
  jsonrpc: '2.0',
  error: { code, message },
  id,
})
/** An error of which only the code is compared. */
async function codeOf(message: unknown): Promise<unknown> {
  const answer = (await answerTo(message)) as { error?: { code: number } }
  return answer.error?.code
}

describe('a call', () => {
  const calls: [string, unknown, unknown][] = [
    ['subtract', [42, 23], 19],
    ['subtract', { subtrahend: 23, minuend: 42 }, 19],
    ['greet', ['Joe'], 'Hello, Joe!'],
    ['greet', { name: 'Joe' }, 'Hello, Joe!'],
    ['greet', { name: 'Joe', greeting: 'Bye' }, 'Bye, Joe!'],
    ['destructured', { name: 'Joe' }, 'Joe 0'],
    ['destructured', [{ name: 'Joe', age: 7 }], 'Joe 7'],
    ['everything', { a: 1, b: [2] }, { a: 1, b: [2] }],
    ['sum', [1, 2, 3], 6],
    ['sum', undefined, 0],
    ['echo', ['a+b%41 é\u{1f600}'], 'a+b%41 é\u{1f600}'],
    ['echo', [null], null],
    ['nothing', [], null],
    ['nothing', undefined, null],
    ['nothing', {}, null],
  ]
  for (const [method, params, value] of calls) {
    it(`of ${method} with ${JSON.stringify(params)} is answered`, async () => {
      assert.deepEqual(await answerTo(call(method, params)), result(value))
    })
  }

  for (const id of [0, 'x', '', null, 1.5]) {
    it(`returns its id ${JSON.stringify(id)}`, async () => {
      assert.deepEqual(await answerTo(call('echo', ['x'], id)), result('x', id))
    })
  }

  it('is answered as JSON with its length', async () => {
    const { status, header, bytes } = await send(JSON.stringify(call('echo', ['é'])))
    assert.equal(status, '200 OK')
    assert.equal(header('content-type'), 'application/json')
    assert.equal(header('content-length'), String(bytes.length))
  })

  const misfits: [string, unknown][] = [
    ['subtract', [1]],
    ['subtract', [1, 2, 3]],
    ['subtract', undefined],
    ['subtract', { minuend: 1 }],
    ['subtract', { minuend: 1, subtrahend: 2, more: 3 }],
    ['subtract', { minuend: 1, subtrahend: 2, constructor: 3 }],
    ['greet', []],
    ['destructured', {}],
    ['destructured', { name: 'Joe', sex: 'm' }],
    ['nothing', [1]],
  ]
  for (const [method, params] of misfits) {
    it(`of ${method} with ${JSON.stringify(params)} is refused`, async () => {
      events = []
      assert.equal(await codeOf(call(method, params)), -32602)
      assert.deepEqual(events, [])
    })
  }

  for (const name of [
    'nope',
    '_secret',
    '__before__',
    '__call__',
    'constructor',
    'toString',
    '__proto__',
    'render',
    'rpc.list',
    '',
    'fails-by-return',
  ]) {
    it(`does not run ${JSON.stringify(name)}`, async () => {
      assert.deepEqual(await answerTo(call(name)), failure(-32601, 'Method not found'))
    })
  }
})

describe('hooks', () => {
  it('run before and after each call', async () => {
    events = []
    await answerTo([call('echo', ['x']), call('breaks'), call('fails')])
    assert.deepEqual(events, [
      'before echo ["x"]',
      'after echo',
      'before breaks []',
      'after breaks swordfish',
      'before fails []',
      'after fails',
    ])
  })

  it('can refuse a call', async () => {
    assert.deepEqual(await answerTo(call('refused')), failure(9, 'refused'))
  })
})

describe('an error', () => {
  it('has the code, text and data of the method', async () => {
    assert.deepEqual(await answerTo(call('fails')), {
      jsonrpc: '2.0',
      error: { code: 7, message: 'no', data: { why: 'because' } },
      id: 1,
    })
    assert.deepEqual(await answerTo(call('fails_by_return')), failure(7, 'no'))
  })

  for (const name of ['breaks', 'unsendable', 'callback', 'unsendable_error']) {
    it(`that is unexpected is logged, and its text is not in the response (${name})`, async () => {
      logged.length = 0
      assert.deepEqual(await answerTo(call(name)), failure(-32603, 'Internal error'))
      assert.equal(logged.length, 1)
      assert.match(logged[0] ?? '', new RegExp(`\\("${name}"\\)`))
    })
  }

  it('that is unexpected has its text in the response in debug mode', async () => {
    const answer = (await answerTo(call('breaks'), service(true))) as { error: { data: string } }
    assert.equal(answer.error.data, 'RangeError: swordfish')
  })

  it('by HTTP is sent as it is', async () => {
    assert.equal((await send(JSON.stringify(call('forbidden')))).status, '403 Forbidden')
  })

  it('refuses a code that is not an integer', () => {
    assert.throws(() => new JSONRPCError(1.5, 'x'), TypeError)
  })
})

describe('a notification', () => {
  for (const method of ['echo', 'nothing', 'nope', 'breaks', 'fails', 'forbidden']) {
    it(`is never answered (${method})`, async () => {
      const { status, bytes } = await send(
        JSON.stringify({ jsonrpc: '2.0', method, params: method === 'echo' ? [1] : [] }),
      )
      assert.equal(status, '204 No Content')
      assert.equal(bytes.length, 0)
    })
  }

  it('is run', async () => {
    events = []
    await answerTo({ jsonrpc: '2.0', method: 'echo', params: [1] })
    assert.deepEqual(events, ['before echo [1]', 'after echo'])
  })
})

describe('null for the parameters', () => {
  it('is no parameters', async () => {
    const answer = await answerTo({ jsonrpc: '2.0', method: 'echo', params: null, id: 3 })
    assert.deepEqual(answer, await answerTo({ jsonrpc: '2.0', method: 'echo', id: 3 }))
  })
})

describe('an invalid request', () => {
  const malformed: [unknown, unknown][] = [
    [1, null],
    ['x', null],
    [null, null],
    [{}, null],
    [{ jsonrpc: '2.0' }, null],
    [{ jsonrpc: '1.0', method: 'echo', id: 3 }, 3],
    [{ method: 'echo', id: 3 }, 3],
    [{ jsonrpc: '2.0', method: 1, id: 3 }, 3],
    [{ jsonrpc: '2.0', method: 'echo', params: 'x', id: 3 }, 3],
    [{ jsonrpc: '2.0', method: 'echo', id: {} }, null],
    [{ jsonrpc: '2.0', method: 'echo', id: true }, null],
    [{ jsonrpc: '2.0', method: 'echo', params: [1], id: 2 ** 53 }, null],
    [{ jsonrpc: '2.0', method: 'echo', params: [1], id: -1e300 }, null],
  ]
  for (const [message, id] of malformed) {
    it(`${JSON.stringify(message)} is refused`, async () => {
      const answer = (await answerTo(message)) as { error: { code: number }; id: unknown }
      assert.equal(answer.error.code, -32600)
      assert.deepEqual(answer.id, id)
    })
  }

  for (const body of ['{', 'hello', '[1,', '{"jsonrpc": "2.0", "method": "echo", "id": 1,}', '\xff']) {
    it(`${JSON.stringify(body)} is refused as invalid JSON`, async () => {
      const { bytes } = await send(Buffer.from(body, 'latin1'))
      assert.deepEqual(JSON.parse(new TextDecoder().decode(bytes)), failure(-32700, 'Parse error', null))
    })
  }
})

describe('a batch', () => {
  it('is answered in order, without its notifications', async () => {
    assert.deepEqual(
      await answerTo([
        call('subtract', [3, 2], 'a'),
        { jsonrpc: '2.0', method: 'echo', params: [1] },
        call('nope', [], 'b'),
        1,
        call('echo', ['x'], null),
      ]),
      [
        result(1, 'a'),
        failure(-32601, 'Method not found', 'b'),
        failure(-32600, 'Invalid Request: a request is an object', null),
        result('x', null),
      ],
    )
  })

  it('of notifications is not answered', async () => {
    const { status, bytes } = await send('[{"jsonrpc":"2.0","method":"nothing"}]')
    assert.equal(status, '204 No Content')
    assert.equal(bytes.length, 0)
  })

  it('has an error for an HTTP response', async () => {
    assert.deepEqual(await answerTo([call('forbidden'), call('echo', [1])]), [
      failure(-32000, '403 Forbidden: not you'),
      result(1),
    ])
  })

  it('must not be empty or too long', async () => {
    for (const batch of [[], Array.from({ length: 6 }, () => call('nothing'))]) {
      assert.equal(await codeOf(batch), -32600)
    }
    assert.equal(((await answerTo(Array.from({ length: 5 }, () => call('nothing')))) as unknown[]).length, 5)
  })
})

describe('the name of a method', () => {
  it('of more than 255 characters is unknown, also in a batch, and the error does not repeat it', async () => {
    class Long extends JSONRPCController {
      ['x'.repeat(255)]() {
        return 'longest'
      }
      ['x'.repeat(256)]() {
        return 'too long'
      }
    }
    const map = new Mapper().connect('/{controller}', { action: 'index' })
    const app = new TestApp(new FrameworkApp({ map, controllers: { long: Long } }))
    const request = (length: number) => ({ jsonrpc: '2.0', method: 'x'.repeat(length), id: 1 })
    const unknown = { jsonrpc: '2.0', error: { code: -32601, message: 'Method not found' }, id: 1 }
    const longest = { jsonrpc: '2.0', result: 'longest', id: 1 }
    for (const [sent, answer] of [
      [request(255), longest],
      [request(256), unknown],
      [request(1_000_000), unknown],
      [
        [request(1_000_000), request(255)],
        [unknown, longest],
      ],
    ]) {
      assert.deepEqual((await app.postJson('/long', sent)).json(), answer)
    }
  })
})

describe('over HTTP', () => {
  const body = JSON.stringify(call('echo', ['x'.repeat(5_000)]))

  it('only POST and OPTIONS are answered', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { status, header } = await send(body, [], method)
      assert.equal(status, '405 Method Not Allowed')
      assert.equal(header('allow'), 'OPTIONS, POST')
    }
  })

  const refusals: [string, string | Uint8Array, HeaderPair[]][] = [
    ['411', '', []],
    ['413', 'x'.repeat(20_001), []],
    ['413', gzipSync(' '.repeat(20_001)), [['Content-Encoding', 'gzip']]],
    ['415', body, [['Content-Encoding', 'br']]],
    ['403', body, [['Sec-Fetch-Site', 'cross-site']]],
    ['403', body, [['Origin', 'https://evil.example']]],
  ]
  for (const [status, sent, headers] of refusals) {
    it(`refuses with ${status} a request of ${sent.length} bytes with ${JSON.stringify(headers)}`, async () => {
      assert.equal((await send(sent, headers)).status.slice(0, 3), status)
    })
  }

  it('requests and responses can be compressed', async () => {
    const { header, bytes } = await send(gzipSync(body), [
      ['Content-Encoding', 'gzip'],
      ['Accept-Encoding', 'gzip'],
    ])
    assert.equal(header('content-encoding'), 'gzip')
    assert.deepEqual(JSON.parse(gunzipSync(bytes).toString()), result('x'.repeat(5_000)))
  })

  it('deep nesting is answered', async () => {
    const deep = `{"jsonrpc":"2.0","method":"echo","id":1,"params":[${'['.repeat(9_000)}${']'.repeat(9_000)}]}`
    assert.equal((await send(deep)).status, '200 OK')
  })
})
