import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { FrameworkApp, Mapper } from 'propylon'
import { type ServerHandle, serve } from 'propylon/node'
import {
  JSONRPCClient,
  type JSONRPCClientOptions,
  JSONRPCError,
  JSONRPCProtocolError,
  JSONRPCTransportError,
  RPCController,
} from 'propylon/rpc'

interface Api {
  test: {
    (loud: boolean): string
    battingOrder(position: number): string
  }
  add(a: number, b: number): Promise<number>
  listMethods(): string
  system: { listMethods(): string }
}

interface Request {
  readonly jsonrpc: '2.0'
  readonly method: string
  readonly params: unknown
  readonly id?: number
}

const URL = 'http://server.test/rpc'

/** A client of a server that answers with the body and the status that the function returns. */
function clientOf(answer: (message: Request & readonly Request[]) => unknown, options: JSONRPCClientOptions = {}) {
  const sent: Request[] = []
  const client = new JSONRPCClient<Api>(URL, {
    fetch: async (_url, init) => {
      const message = JSON.parse(new TextDecoder().decode(init.body as Uint8Array))
      sent.push(message)
      const made = answer(message)
      return made instanceof Response ? made : new Response(typeof made === 'string' ? made : JSON.stringify(made))
    },
    ...options,
  })
  return { client, sent }
}

const result = (value: unknown) => (request: Request) => ({ jsonrpc: '2.0', id: request.id, result: value })

describe('a client', () => {
  it('calls a method by its name', async () => {
    const { client, sent } = clientOf(result([1]))
    assert.deepEqual(await client.call('any-name.at all', 1, 'a', null), [1])
    assert.deepEqual(sent, [{ jsonrpc: '2.0', id: 1, method: 'any-name.at all', params: [1, 'a', null] }])
  })

  it('calls a method by properties, one for each part of the name', async () => {
    const { client, sent } = clientOf(result(3))
    assert.equal(await client.add(1, 2), 3)
    await client.test(true)
    await client.test.battingOrder(4)
    assert.deepEqual(
      sent.map(({ id, method, params }) => [id, method, params]),
      [
        [1, 'add', [1, 2]],
        [2, 'test', [true]],
        [3, 'test.battingOrder', [4]],
      ],
    )
    // @ts-expect-error the position is a number
    await client.test.battingOrder('4')
    // @ts-expect-error there is no such method
    await client.test.nothing()
  })

  it('calls any name without a description of the server', async () => {
    const { client, sent } = clientOf(result(true))
    const untyped: JSONRPCClient = Object.assign(client)
    assert.equal(await untyped.a?.b?.constructor?.(1), true)
    assert.equal(sent[0]?.method, 'a.b.constructor')
  })

  it('passes parameters by name', async () => {
    const { client, sent } = clientOf(result(null))
    assert.equal(await client.callNamed('add', { a: 1, b: 2 }), null)
    assert.deepEqual(sent[0]?.params, { a: 1, b: 2 })
  })

  it('sends no call when it is awaited, printed or written as JSON', async () => {
    const { client, sent } = clientOf(result('called'))
    assert.equal((await client).url, URL)
    assert.equal(typeof (await client.test), 'function')
    assert.equal(JSON.stringify({ client: client.test }), '{}')
    assert.equal(JSON.stringify(client), JSON.stringify({ url: URL }))
    assert.equal(String(client), `JSONRPCClient ${URL}`)
    assert.equal(`${client.test}`, '[remote method test]')
    assert.equal(Reflect.get(client, 'then'), undefined)
    assert.equal(sent.length, 0)
  })

  it('is an instance of JSONRPCClient', () => {
    assert.ok(clientOf(result(1)).client instanceof JSONRPCClient)
  })

  it('sends JSON with the headers of its options and of a call', async () => {
    let headers = new Headers()
    const client = new JSONRPCClient('http://joe:secret@server.test/rpc', {
      headers: { 'X-A': '1' },
      fetch: async (_url, init) => {
        headers = new Headers(init.headers)
        return new Response('{"jsonrpc":"2.0","id":1,"result":null}')
      },
    })
    await client.with({ headers: { 'X-B': '2' } }).call('a')
    assert.equal(headers.get('content-type'), 'application/json')
    assert.equal(headers.get('accept'), 'application/json')
    assert.equal(headers.get('authorization'), `Basic ${btoa('joe:secret')}`)
    assert.equal(headers.get('x-a'), '1')
    assert.equal(headers.get('x-b'), '2')
    assert.equal(client.url, URL)
  })

  const values: [unknown, unknown][] = [
    [new Date(Date.UTC(2026, 0, 31, 12)), '2026-01-31T12:00:00Z'],
    [Uint8Array.of(1, 2, 3), 'AQID'],
    [12n, 12],
    [2n ** 60n, '1152921504606846976'],
    [{ a: [undefined] }, { a: [null] }],
  ]
  for (const [value, json] of values) {
    it(`sends ${JSON.stringify(json)} for a value of JavaScript`, async () => {
      const { client, sent } = clientOf(result(null))
      await client.call('echo', value)
      assert.deepEqual(sent[0]?.params, [json])
    })
  }

  for (const value of [Number.NaN, { a: [Number.POSITIVE_INFINITY] }, () => 1, Symbol('a')]) {
    it(`refuses a parameter without a JSON form: ${typeof value}`, async () => {
      const { client, sent } = clientOf(result(null))
      await assert.rejects(client.call('echo', value), TypeError)
      assert.equal(sent.length, 0)
    })
  }
})

describe('an error', () => {
  it('has the code, the message and the data of the server', async () => {
    const { client } = clientOf(({ id }) => ({
      jsonrpc: '2.0',
      id,
      error: { code: 26, message: 'no', data: [1] },
    }))
    await assert.rejects(client.add(1, 2), (error) => {
      assert.ok(error instanceof JSONRPCError)
      assert.equal(error.code, 26)
      assert.equal(error.message, 'no')
      assert.deepEqual(error.data, [1])
      return true
    })
  })

  for (const status of [200, 400, 404, 500]) {
    it(`is read from a response with the status ${status}`, async () => {
      const body = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}'
      const { client } = clientOf(() => new Response(body, { status }))
      await assert.rejects(client.add(1, 2), { name: 'JSONRPCError', code: -32600 })
    })
  }

  const statuses: [Response, RegExp][] = [
    [new Response('<h1>no</h1>', { status: 404 }), /^http:\/\/server\.test\/rpc: the HTTP status is 404$/],
    [new Response('{"jsonrpc":"2.0","id":1,"result":1}', { status: 500 }), /status is 500$/],
    [
      new Response(null, { status: 302, headers: { location: 'http://joe:secret@other.test/' } }),
      /status is 302, a redirect to http:\/\/other\.test\/$/,
    ],
  ]
  for (const [response, message] of statuses) {
    it(`of HTTP has the status ${response.status}`, async () => {
      const { client } = clientOf(() => response)
      await assert.rejects(client.add(1, 2), (error) => {
        assert.ok(error instanceof JSONRPCTransportError)
        assert.equal(error.status, response.status)
        assert.match(error.message, message)
        return true
      })
    })
  }

  it('of the connection has its cause', async () => {
    const client = new JSONRPCClient('http://127.0.0.1:1/', { timeout: 60_000 })
    await assert.rejects(client.call('a'), (error) => {
      assert.ok(error instanceof JSONRPCTransportError)
      assert.equal(error.status, undefined)
      assert.match(error.message, /^http:\/\/127\.0\.0\.1:1\/: the connection failed/)
      return true
    })
  })

  it('is the reason of an aborted signal', async () => {
    const { client } = clientOf(result(1), {
      fetch: async (_url, init) => {
        init.signal?.throwIfAborted()
        return new Response()
      },
    })
    const reason = new Error('stop')
    await assert.rejects(client.with({ signal: AbortSignal.abort(reason) }).add(1, 2), reason)
  })

  it('reports that the time limit was exceeded', async () => {
    const { client } = clientOf(result(1), {
      timeout: 1,
      fetch: (_url, init) =>
        new Promise((_resolve, reject) => {
          init.signal?.addEventListener('abort', () => reject(init.signal?.reason))
        }),
    })
    await assert.rejects(client.add(1, 2), {
      name: 'JSONRPCTransportError',
      message: /no response within 1 ms/,
    })
  })

  it('refuses a URL of another scheme', () => {
    assert.throws(() => new JSONRPCClient('ftp://server.test/'), TypeError)
  })
})

describe('a response', () => {
  const malformed: [body: string | Uint8Array, why: RegExp][] = [
    ['', /it has no body/],
    ['<h1>Hello</h1>', /it is not JSON\. It begins with "<h1>Hello<\/h1>"/],
    ['{"jsonrpc":"2.0","id":1,"result":1', /it is not JSON/],
    [Uint8Array.of(0x22, 0xff, 0x22), /it is not UTF-8/],
    [`{"jsonrpc":"2.0","id":1,"result":${'['.repeat(70)}${']'.repeat(70)}}`, /nested more than 64 deep/],
    ['null', /a response is an object/],
    ['1', /a response is an object/],
    ['[]', /the response to one call is an array/],
    ['{}', /"jsonrpc" must be "2\.0"/],
    ['{"id":1,"result":1,"error":null}', /"jsonrpc" must be "2\.0"/],
    ['{"jsonrpc":"2.0","result":1}', /"id" must be a string, a number or null/],
    ['{"jsonrpc":"2.0","id":1}', /either "result" or "error"/],
    ['{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}', /either "result" or "error"/],
    ['{"jsonrpc":"2.0","id":2,"result":1}', /its id is 2, not 1/],
    ['{"jsonrpc":"2.0","id":"1","result":1}', /its id is "1", not 1/],
    ['{"jsonrpc":"2.0","id":null,"result":1}', /its id is null, not 1/],
    ['{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"no"}}', /its id is 2, not 1/],
    ['{"jsonrpc":"2.0","id":1,"error":"no"}', /"error" must be an object/],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"no"}}', /"error\.code" must be an integer/],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":0.5,"message":"no"}}', /"error\.code" must be an integer/],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":1}}', /"error\.message" must be a string/],
  ]
  for (const [body, why] of malformed) {
    it(`such as ${String(body).slice(0, 70)} is refused`, async () => {
      const { client } = clientOf(() => new Response(body))
      await assert.rejects(client.add(1, 2), (error) => {
        assert.ok(error instanceof JSONRPCProtocolError)
        assert.match(error.message, why)
        return true
      })
    })
  }

  it('that is too long is refused', async () => {
    const { client } = clientOf(result('x'.repeat(1000)), { maxResponseLength: 100 })
    await assert.rejects(client.add(1, 2), JSONRPCProtocolError)
  })

  it('may begin with a byte order mark', async () => {
    const { client } = clientOf(() => '\ufeff{"jsonrpc":"2.0","id":1,"result":7}')
    assert.equal(await client.add(1, 2), 7)
  })
})

describe('a notification', () => {
  for (const [what, response] of [
    ['no content', () => new Response(null, { status: 204 })],
    ['a response that it does not expect', () => new Response('{"jsonrpc":"2.0","id":7,"result":1}')],
  ] as const) {
    it(`has no id and accepts ${what}`, async () => {
      const { client, sent } = clientOf(response)
      assert.equal(await client.notify('log', 'text'), undefined)
      assert.deepEqual(sent, [{ jsonrpc: '2.0', method: 'log', params: ['text'] }])
    })
  }

  it('fails by HTTP', async () => {
    const { client } = clientOf(() => new Response('no', { status: 503 }))
    await assert.rejects(client.notify('log'), { name: 'JSONRPCTransportError', status: 503, body: 'no' })
  })
})

describe('a batch', () => {
  it('returns results and errors in the order of its calls', async () => {
    const { client, sent } = clientOf((requests) => [
      { jsonrpc: '2.0', id: requests[2]?.id, result: 'last' },
      { jsonrpc: '2.0', id: requests[0]?.id, result: 'first' },
      { jsonrpc: '2.0', id: requests[1]?.id, error: { code: 1, message: 'no' } },
    ])
    const [first, second, last] = await client.batch([
      ['a', 1],
      { methodName: 'b', params: { x: 1 } },
      { methodName: 'c' },
    ])
    assert.equal(first, 'first')
    assert.ok(second instanceof JSONRPCError)
    assert.equal(last, 'last')
    assert.deepEqual(sent[0], [
      { jsonrpc: '2.0', id: 1, method: 'a', params: [1] },
      { jsonrpc: '2.0', id: 2, method: 'b', params: { x: 1 } },
      { jsonrpc: '2.0', id: 3, method: 'c', params: [] },
    ])
  })

  it('without calls sends nothing', async () => {
    const { client, sent } = clientOf(result(1))
    assert.deepEqual(await client.batch([]), [])
    assert.equal(sent.length, 0)
  })

  it('that is refused as a whole fails', async () => {
    const { client } = clientOf(() => ({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: 'no batches' },
    }))
    await assert.rejects(client.batch([['a']]), { name: 'JSONRPCError', message: 'no batches' })
  })

  const malformed: [body: unknown, why: RegExp][] = [
    [[], /it does not answer the call 1/],
    [[{ jsonrpc: '2.0', id: 1, result: 1 }], /it does not answer the call 2/],
    [[1, 1, 2].map((id) => ({ jsonrpc: '2.0', id, result: 1 })), /it answers the call 1 twice/],
    [[{ jsonrpc: '2.0', id: 7, result: 1 }], /no call with the id 7/],
    [{ jsonrpc: '2.0', id: 1, result: 1 }, /is not an array/],
    [[null], /a response is an object/],
  ]
  for (const [body, why] of malformed) {
    it(`refuses the response ${JSON.stringify(body)}`, async () => {
      const { client } = clientOf(() => body)
      await assert.rejects(client.batch([['a'], ['b']]), { name: 'JSONRPCProtocolError', message: why })
    })
  }
})

describe('a list of the methods', () => {
  it('is a method of those servers that have one', async () => {
    const { client } = clientOf(({ id, method }) => ({ jsonrpc: '2.0', id, result: method }))
    assert.equal(await client.system.listMethods(), 'system.listMethods')
    assert.equal(await client.listMethods(), 'listMethods')
  })
})

describe('a client of an RPCController', () => {
  class CalculatorController extends RPCController {
    static faces = ['jsonrpc']
    calc_add(a: number, b = 10) {
      return a + b
    }
    calc_fail() {
      throw new JSONRPCError(7, 'no', { why: 1 })
    }
  }
  const app = new FrameworkApp({
    map: new Mapper().rpc('calculator', '/calculator'),
    controllers: { calculator: CalculatorController },
  })
  let server: ServerHandle
  let client: JSONRPCClient<{ calc: { add(a: number, b?: number): number; fail(): null } }>

  before(async () => {
    server = await serve(app)
    client = new JSONRPCClient(`${server.url}/calculator`)
  })
  after(() => server.close())

  it('gets results and errors', async () => {
    assert.equal(await client.calc.add(1, 2), 3)
    assert.equal(await client.callNamed('calc.add', { a: 1 }), 11)
    assert.equal(await client.notify('calc.add', 1), undefined)
    await assert.rejects(client.calc.fail(), { name: 'JSONRPCError', code: 7, data: { why: 1 } })
    await assert.rejects(client.call('calc.nope'), { code: -32601 })
    await assert.rejects(client.call('calc.add'), { code: -32602 })
  })

  it('sends batches', async () => {
    const [sum, failure] = await client.batch([['calc.add', 1, 2], ['calc.fail']])
    assert.equal(sum, 3)
    assert.ok(failure instanceof JSONRPCError)
  })
})
