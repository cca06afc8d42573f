import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import type { FrameworkApp } from 'propylon'
import { createEnviron, type HeaderPair, lint, run } from 'propylon/wsgi'
import { events, logged, stockApp } from './stock.ts'

const app = stockApp()

interface Answer {
  status: number
  type: string | undefined
  header(name: string): string | undefined
  body: unknown
}

/** Headers of a request that a page of the host itself sends. */
const own = (host: string): HeaderPair[] => [
  ['Host', host],
  ['Origin', `http://${host}`],
]

interface Sent {
  readonly served?: FrameworkApp
  readonly method?: string
  readonly headers?: readonly HeaderPair[]
}

async function post(
  body: string | Uint8Array,
  { method = 'POST', headers = [], served = app }: Sent = {},
): Promise<Answer> {
  const environ = createEnviron({
    method,
    url: '/stock/mcp',
    body,
    headers: [['Content-Type', 'application/json'], ['Accept', 'application/json, text/event-stream'], ...headers],
  })
  const result = await run(lint(served.wsgi), environ)
  const header = (name: string) => result.headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
  const text = await result.text()
  const type = header('content-type')
  return {
    status: Number(result.status.slice(0, 3)),
    type,
    header,
    body: type === 'application/json' ? JSON.parse(text) : text,
  }
}

const send = (message: unknown, sent?: Sent) => post(JSON.stringify(message), sent)
const version = (date: string): Sent => ({ headers: [['MCP-Protocol-Version', date]] })
const NEWEST = version('2025-11-25')

const request = (method: string, params?: unknown, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
const result = (value: unknown, id: unknown = 1) => ({ jsonrpc: '2.0', id, result: value })
const failure = (code: number, message: string, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})
const call = (name: string, args?: unknown, id?: unknown) => request('tools/call', { name, arguments: args }, id)
const text = (value: string) => ({ content: [{ type: 'text', text: value }] })
const isError = (value: string) => ({ ...text(value), isError: true })

beforeEach(() => {
  events.length = 0
  logged.length = 0
})

describe('initialize', () => {
  const versions: [requested: string, agreed: string][] = [
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['2024-10-07', '2025-11-25'],
    ['2099-01-01', '2025-11-25'],
  ]
  for (const [requested, agreed] of versions) {
    it(`agrees to ${agreed} for ${requested}`, async () => {
      const params = { protocolVersion: requested, capabilities: {}, clientInfo: { name: 'a', version: '1' } }
      const { status, type, header, body } = await send(request('initialize', params))
      assert.equal(status, 200)
      assert.equal(type, 'application/json')
      assert.equal(header('mcp-session-id'), undefined)
      assert.deepEqual(
        body,
        result({
          protocolVersion: agreed,
          capabilities: { tools: {} },
          serverInfo: { name: 'Stock', title: 'Stock of the shop', version: '2.1.0' },
          instructions: 'Articles and their numbers.',
        }),
      )
    })
  }

  it('requires a version', async () => {
    const { body } = await send(request('initialize', {}))
    assert.deepEqual(body, failure(-32602, 'Invalid params: "protocolVersion" must be a string'))
  })
})

describe('tools/list', () => {
  it('lists the procedures with the schemas of their arguments and objects', async () => {
    const { status, body } = await send(request('tools/list'))
    assert.equal(status, 200)
    const { tools } = (body as { result: { tools: Record<string, unknown>[] } }).result
    const names = tools.map(({ name }) => name)
    assert.deepEqual(names, [
      'blocks',
      'breaks',
      'greet',
      'inform',
      'nothing',
      'page',
      'refuse',
      'stock_broken',
      'stock_count',
      'stock_find',
      'stock_order',
    ])
    assert.deepEqual(
      tools.find(({ name }) => name === 'stock_find'),
      {
        name: 'stock_find',
        title: 'stock.find',
        description: 'Finds articles.\n\nCompares the beginning of names.',
        inputSchema: {
          type: 'object',
          properties: {
            query: { type: 'string', description: 'words of the name' },
            limit: {
              type: 'integer',
              minimum: -(2 ** 31),
              maximum: 2 ** 31 - 1,
              description: 'maximum number of articles',
            },
          },
          required: ['query', 'limit'],
          additionalProperties: false,
        },
      },
    )
    assert.deepEqual(
      tools.find(({ name }) => name === 'greet'),
      {
        name: 'greet',
        title: 'greet',
        description: 'greet',
        inputSchema: {
          type: 'object',
          properties: { name: {}, greeting: {} },
          required: ['name'],
          additionalProperties: false,
        },
      },
    )
    assert.deepEqual(
      tools.filter((tool) => 'outputSchema' in tool).map(({ name }) => name),
      ['stock_broken', 'stock_order'],
    )
  })

  it('has no second page', async () => {
    const { body } = await send(request('tools/list', { cursor: 'next' }))
    assert.deepEqual(body, failure(-32602, 'Invalid params: there is no page "next"'))
  })
})

describe('tools/call', () => {
  const order = { article: { name: 'lamp' }, count: 2 }
  const calls: [name: string, args: unknown, expected: unknown][] = [
    ['greet', { name: 'Joe' }, text('Hello, Joe!')],
    ['greet', { greeting: 'Bye', name: 'Joe' }, text('Bye, Joe!')],
    ['stock_find', { query: 'la', limit: 1 }, text('["lamp"]')],
    ['stock_count', { name: 'lamp' }, text('4')],
    ['nothing', undefined, text('null')],
    ['nothing', {}, text('null')],
    ['inform', { title: 'a' }, { ...text('{"title":"a","tags":[]}'), structuredContent: { title: 'a', tags: [] } }],
    ['stock_order', { ordered: order }, { ...text(JSON.stringify(order)), structuredContent: order }],
    ['stock_count', { name: 'table' }, isError('No such article.')],
    ['page', {}, isError('404 Not Found: There is no such page.')],
  ]
  for (const [name, args, expected] of calls) {
    it(`of ${name} with ${JSON.stringify(args)} returns its result`, async () => {
      const { status, body } = await send(call(name, args), NEWEST)
      assert.equal(status, 200)
      assert.deepEqual(body, result(expected))
    })
  }

  const wrong: [name: string, args: unknown][] = [
    ['greet', {}],
    ['greet', { name: 'Joe', more: 1 }],
    ['greet', { name: 'Joe', constructor: 1 }],
    ['stock_find', { query: 'la', limit: 'one' }],
    ['stock_order', { ordered: { article: { name: 'lamp' }, count: 0 } }],
    ['inform', {}],
  ]
  for (const [name, args] of wrong) {
    it(`of ${name} with ${JSON.stringify(args)} reports the wrong argument to the model`, async () => {
      const { status, body } = await send(call(name, args), NEWEST)
      assert.equal(status, 200)
      const { isError, content } = (body as { result: { isError: boolean; content: { text: string }[] } }).result
      assert.equal(isError, true)
      assert.match(content[0]?.text ?? '', /name|more|constructor|limit|count|title/)
      assert.deepEqual(events, [])
    })

    it(`of ${name} with ${JSON.stringify(args)} is an error of older protocols`, async () => {
      const { body } = await send(call(name, args), version('2025-06-18'))
      assert.equal((body as { error: { code: number } }).error.code, -32602)
      assert.deepEqual(events, [])
    })
  }

  for (const name of [
    'nope',
    '_secret',
    '__before__',
    'constructor',
    'toString',
    '__proto__',
    'system_listMethods',
    '',
  ]) {
    it(`does not know ${JSON.stringify(name)}`, async () => {
      const { status, body } = await send(call(name), NEWEST)
      assert.equal(status, 200)
      assert.deepEqual(body, failure(-32602, `Unknown tool: ${name}`))
    })
  }

  const malformed: [params: unknown, message: string][] = [
    [{}, 'Invalid params: "name" must be a string'],
    [{ name: 1 }, 'Invalid params: "name" must be a string'],
    [{ name: 'greet', arguments: [] }, 'Invalid params: "arguments" must be an object'],
    [{ name: 'greet', arguments: 'Joe' }, 'Invalid params: "arguments" must be an object'],
  ]
  for (const [params, message] of malformed) {
    it(`refuses ${JSON.stringify(params)}`, async () => {
      const { body } = await send(request('tools/call', params), NEWEST)
      assert.deepEqual(body, failure(-32602, message))
    })
  }

  it('runs the hooks with the name of the method', async () => {
    await send(call('greet', { name: 'Joe' }), NEWEST)
    assert.deepEqual(events, ['greet greet'])
  })

  for (const status of [401, 403]) {
    it(`answers ${status} by HTTP`, async () => {
      const answer = await send(call('refuse', { status }), NEWEST)
      assert.equal(answer.status, status)
    })
  }

  for (const [name, why] of [
    ['breaks', 'RangeError: swordfish'],
    ['stock_broken', 'declares an object'],
  ] as const) {
    it(`hides and logs an unexpected error of ${name}`, async () => {
      const { status, body } = await send(call(name), NEWEST)
      assert.equal(status, 200)
      assert.deepEqual(body, failure(-32603, 'Internal error'))
      assert.equal(logged.length, 1)
      assert.ok(logged[0]?.includes(why), logged[0])
    })
  }
})

describe('a message', () => {
  for (const id of [0, -1, 'x', '']) {
    it(`returns its id ${JSON.stringify(id)}`, async () => {
      assert.deepEqual((await send(request('ping', undefined, id))).body, result({}, id))
    })
  }

  const silent: [string, unknown][] = [
    ['the notification that the client is ready', { jsonrpc: '2.0', method: 'notifications/initialized' }],
    ['a cancellation', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'slow' } }],
    ['any notification', { jsonrpc: '2.0', method: 'notifications/else' }],
    ['a response', { jsonrpc: '2.0', id: 7, result: {} }],
    ['an error response', { jsonrpc: '2.0', id: 7, error: { code: 1, message: 'no' } }],
  ]
  for (const [what, message] of silent) {
    it(`that is ${what} is accepted without a body`, async () => {
      const { status, body, type } = await send(message)
      assert.equal(status, 202)
      assert.equal(type, undefined)
      assert.equal(body, '')
    })
  }

  for (const method of ['resources/list', 'prompts/list', 'server/discover', 'stock.find', '']) {
    it(`of the method ${JSON.stringify(method)} is unknown`, async () => {
      const { status, body } = await send(request(method))
      assert.equal(status, 200)
      assert.deepEqual(body, failure(-32601, 'Method not found'))
    })
  }

  const broken: [body: string | Uint8Array, code: number, id: unknown][] = [
    ['{', -32700, null],
    ['\ufeff{}x', -32700, null],
    [Uint8Array.of(0x22, 0xff, 0x22), -32700, null],
    ['['.repeat(10_000), -32700, null],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{}}}', -32700, null],
    ['1', -32600, null],
    ['null', -32600, null],
    ['{}', -32600, null],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, 1],
    ['{"jsonrpc":"2.0","id":1}', -32600, 1],
    ['{"jsonrpc":"2.0","id":1,"method":7}', -32600, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600, 1],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, null],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, null],
    ['{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}', -32600, null],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
  ]
  for (const [body, code, id] of broken) {
    it(`such as ${String(body).slice(0, 70)} is refused`, async () => {
      const answer = await post(body)
      assert.equal(answer.status, 400)
      const { error, id: sent } = answer.body as { error: { code: number; message: string }; id: unknown }
      assert.equal(error.code, code)
      assert.equal(sent, id)
    })
  }

  it('that is too long is refused', async () => {
    assert.equal((await send(request('ping', { text: 'x'.repeat(20_000) }))).status, 413)
  })

  it('that is missing is refused', async () => {
    assert.equal((await post('')).status, 411)
  })

  for (const accept of ['application/json', 'text/event-stream', '*/*', 'text/html']) {
    it(`is answered as JSON for Accept: ${accept}`, async () => {
      const environ = createEnviron({
        method: 'POST',
        url: '/stock/mcp',
        body: JSON.stringify(request('ping')),
        headers: [['Accept', accept]],
      })
      const answer = await run(lint(app.wsgi), environ)
      assert.equal(answer.status, '200 OK')
      assert.deepEqual(JSON.parse(await answer.text()), result({}))
    })
  }
})

describe('version 2026-07-28', () => {
  const META = 'io.modelcontextprotocol/'
  const modern = (method: string, params: Record<string, unknown> = {}) => {
    const _meta = { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: {} }
    const headers: HeaderPair[] = [
      ['MCP-Protocol-Version', '2026-07-28'],
      ['Mcp-Method', method],
      ...(typeof params.name === 'string' ? [['Mcp-Name', params.name] satisfies HeaderPair] : []),
    ]
    return send(request(method, { ...params, _meta }), { headers })
  }
  const complete = {
    resultType: 'complete',
    _meta: { [`${META}serverInfo`]: { name: 'Stock', title: 'Stock of the shop', version: '2.1.0' } },
  }

  it('describes the service', async () => {
    const { status, body } = await modern('server/discover')
    assert.equal(status, 200)
    assert.deepEqual(
      body,
      result({
        ...complete,
        // The hook of the class may guard it.
        ttlMs: 300_000,
        cacheScope: 'private',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        instructions: 'Articles and their numbers.',
      }),
    )
  })

  it('calls methods', async () => {
    const { body } = await modern('tools/call', { name: 'greet', arguments: { name: 'Joe' } })
    assert.deepEqual(body, result({ ...complete, ...text('Hello, Joe!') }))
  })

  it('sends the content blocks that a method returns', async () => {
    const { body } = await modern('tools/call', { name: 'blocks' })
    const content = [{ type: 'image', data: 'AA==', mimeType: 'image/png' }]
    assert.deepEqual(body, result({ ...complete, content }))
  })

  for (const method of ['initialize', 'ping', 'resources/list']) {
    it(`does not have ${method}`, async () => {
      const { status, body } = await modern(method)
      assert.equal(status, 404)
      assert.deepEqual(body, failure(-32601, 'Method not found'))
    })
  }
})

describe('a batch', () => {
  const batch = [
    request('ping'),
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    call('greet', { name: 'Joe' }, 2),
  ]

  for (const sent of [version('2025-03-26'), {}]) {
    it(`is answered in order with the headers ${JSON.stringify(sent)}`, async () => {
      const { status, body } = await send(batch, sent)
      assert.equal(status, 200)
      assert.deepEqual(body, [result({}), result(text('Hello, Joe!'), 2)])
    })
  }

  for (const date of ['2025-11-25', '2025-06-18', '2024-11-05']) {
    it(`is refused in the protocol ${date}`, async () => {
      const { status, body } = await send(batch, version(date))
      assert.equal(status, 400)
      assert.equal((body as { error: { code: number } }).error.code, -32600)
      assert.deepEqual(events, [])
    })
  }

  it('of notifications and responses is accepted without a body', async () => {
    const { status, body } = await send([
      { jsonrpc: '2.0', method: 'notifications/a' },
      { jsonrpc: '2.0', id: 1, result: {} },
    ])
    assert.equal(status, 202)
    assert.equal(body, '')
  })

  it('reports each error in its place', async () => {
    const { status, body } = await send([
      1,
      call('refuse', { status: 403 }),
      call('breaks', {}, 2),
      request('nope', {}, 3),
    ])
    assert.equal(status, 200)
    assert.deepEqual(body, [
      failure(-32600, 'Invalid Request: a message is an object', null),
      result(isError('403 Forbidden: Not you.')),
      failure(-32603, 'Internal error', 2),
      failure(-32601, 'Method not found', 3),
    ])
  })

  for (const [what, messages] of [
    ['empty', []],
    ['too long', Array.from({ length: 501 }, () => 1)],
  ] as const) {
    it(`that is ${what} is refused`, async () => {
      const { status, body } = await send(messages)
      assert.equal(status, 400)
      assert.equal((body as { error: { code: number } }).error.code, -32600)
    })
  }
})

describe('the HTTP side', () => {
  for (const method of ['GET', 'HEAD', 'DELETE', 'PUT']) {
    it(`refuses ${method}`, async () => {
      const { status, header } = await post('', { method })
      assert.equal(status, 405)
      assert.match(header('allow') ?? '', /\bPOST\b/)
    })
  }

  for (const date of ['2024-10-07', 'latest', '']) {
    it(`refuses the protocol version ${JSON.stringify(date)}`, async () => {
      const { status, body } = await send(request('ping'), version(date))
      assert.equal(status, 400)
      const { error } = body as { error: { code: number; message: string } }
      assert.equal(error.code, -32000)
      assert.match(error.message, /2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05/)
    })
  }

  const origins: [HeaderPair[], number][] = [
    [[['Origin', 'https://evil.example']], 403],
    [[['Origin', 'null']], 403],
    [[['Sec-Fetch-Site', 'cross-site']], 403],
    [[['Origin', 'http://localhost']], 200],
    [[], 200],
  ]
  for (const [headers, expected] of origins) {
    it(`answers ${expected} to a request with ${JSON.stringify(headers)}`, async () => {
      assert.equal((await send(request('ping'), { headers })).status, expected)
    })
  }

  const listed = stockApp({ hosts: ['shop.example'] })
  const hosts: [string, FrameworkApp, HeaderPair[], number][] = [
    ['a page of a local host', app, own('localhost:5000'), 200],
    ['a page of a host that may be any site', app, own('rebinding.example'), 403],
    ['a program at any host', app, [['Host', 'shop.example']], 200],
    ['a page of a host that is listed', listed, own('shop.example'), 200],
    ['a page of a host that is not listed', listed, own('rebinding.example'), 400],
  ]
  for (const [what, served, headers, expected] of hosts) {
    it(`answers ${expected} to ${what}`, async () => {
      assert.equal((await send(request('ping'), { headers, served })).status, expected)
    })
  }

  for (const method of ['initialize', 'tools/list', 'ping']) {
    it(`lets a hook refuse ${method}`, async () => {
      const { status, header } = await send(request(method, { protocolVersion: '2025-11-25' }), {
        headers: [['Authorization', 'Bearer wrong']],
      })
      assert.equal(status, 401)
      assert.notEqual(header('www-authenticate'), undefined)
    })
  }
})
