/** Rules of the face `mcp` that are those of the tools of an application: progress, logs, cancellation, authorization. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { abort, FrameworkApp, Mapper } from 'propylon'
import { RPCController } from 'propylon/rpc'
import { TestApp, type TestResponse } from 'propylon/testing'
import { z } from 'zod'

const ended: string[] = []
const reported: string[] = []

class ImportController extends RPCController {
  static faces = ['xmlrpc', 'jsonrpc', 'json', 'mcp']
  static security = [{ bearer: ['books:write', 'books:read'] }]
  static results = {
    counted: z.object({ count: z.number() }),
    malformed: z.object({ count: z.number() }),
  }

  __before__(action: string) {
    const sent = this.request.headers.get('authorization')
    if (action !== 'secret') return
    if (sent === undefined) abort(401, 'Sign in.', { 'WWW-Authenticate': 'Bearer realm="books"' })
    if (sent !== 'Bearer right') abort(403, 'You may not.')
  }

  secret() {
    return 'secret'
  }

  /** Imports all books. */
  async *books(fails = false) {
    try {
      yield { event: 'log', data: { level: 'info', data: 'Reading' } }
      for (const progress of [1, 1, 2]) yield { event: 'progress', data: { progress, total: 2 } }
      if (fails) throw new Error('no books')
      return 'Imported 2 books.'
    } finally {
      ended.push('books')
    }
  }

  async *counted() {
    yield { event: 'progress', data: { progress: 1 } }
    return { count: 2, more: true }
  }

  async *malformed() {
    yield { event: 'progress', data: { progress: 'half' } }
    return { count: 'two' }
  }

  async *refused() {
    yield { event: 'progress', data: { progress: 1 } }
    abort(409, 'Another import runs.')
  }

  async *expired() {
    yield { event: 'progress', data: { progress: 1 } }
    abort(401, 'The token has expired.')
  }

  async *endless() {
    try {
      for (let progress = 1; ; progress++) yield { event: 'progress', data: { progress } }
    } finally {
      ended.push('endless')
    }
  }
}

const appWith = (mcp?: { authorizationServers: string[] }) =>
  new FrameworkApp({
    map: new Mapper().rpc('import', '/import').rpc('import', '/{shop}/import'),
    controllers: { import: ImportController },
    logger: { error: (text) => reported.push(text), warn() {}, info() {} },
    ...(mcp && { mcp }),
  })

const app = appWith()

const EVENTS = { Accept: 'application/json, text/event-stream' }

function callTool(
  name: string,
  { meta = {}, headers = EVENTS, served = app, args = {} }: CallOptions = {},
): Promise<TestResponse> {
  const params = { name, arguments: args, _meta: meta }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  return new TestApp(served).postJson('/import/mcp', message, { headers })
}

interface CallOptions {
  readonly meta?: object
  readonly headers?: Record<string, string>
  readonly served?: FrameworkApp
  readonly args?: object
}

const PROGRESS = { progressToken: 'p' }
const PREFIX = 'io.modelcontextprotocol/'
const MODERN = {
  [`${PREFIX}protocolVersion`]: '2026-07-28',
  [`${PREFIX}clientCapabilities`]: {},
  [`${PREFIX}logLevel`]: 'info',
}

/** Returns the messages of an event stream. */
const messagesOf = ({ text }: TestResponse) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line): unknown => JSON.parse(line.slice(5)))

const progress = (value: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: 'p', progress: value, total: 2 },
})
const done = (result: object) => ({ jsonrpc: '2.0', id: 1, result })
const text = (value: string) => ({ content: [{ type: 'text', text: value }] })

describe('a method that is an async generator', () => {
  it('reports its progress to a client that asks for it', async () => {
    const response = await callTool('books', { meta: PROGRESS })
    assert.equal(response.headers.get('Content-Type'), 'text/event-stream')
    assert.deepEqual(messagesOf(response), [progress(1), progress(2), done(text('Imported 2 books.'))])
  })

  it('writes its log to a client that asks for it', async () => {
    const headers = {
      ...EVENTS,
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'books',
    }
    const [first, last, ...others] = messagesOf(await callTool('books', { meta: MODERN, headers }))
    assert.deepEqual(first, {
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'info', data: 'Reading' },
    })
    assert.match(JSON.stringify(last), /"text":"Imported 2 books\."/)
    assert.deepEqual(others, [])
  })

  it('returns the result alone to other clients', async () => {
    for (const options of [{}, { meta: PROGRESS, headers: { Accept: 'application/json' } }]) {
      const response = await callTool('books', options)
      assert.equal(response.headers.get('Content-Type'), 'application/json')
      assert.deepEqual(response.json(), done(text('Imported 2 books.')))
    }
  })

  it('has a result that the schema of its signature converts', async () => {
    const { result } = (await callTool('counted')).json<{ result: { structuredContent: unknown } }>()
    assert.deepEqual(result.structuredContent, { count: 2 })
    const last = messagesOf(await callTool('counted', { meta: PROGRESS })).at(-1)
    assert.match(JSON.stringify(last), /"structuredContent":\{"count":2\}/)
  })

  for (const meta of [{}, PROGRESS]) {
    const how = meta === PROGRESS ? 'in a stream' : 'alone'
    it(`fails ${how} with the text of a refusal`, async () => {
      const response = await callTool('refused', { meta })
      const message = meta === PROGRESS ? messagesOf(response).at(-1) : response.json()
      assert.match(JSON.stringify(message), /"text":"409 Conflict: Another import runs\."\}\],"isError":true/)
    })

    it(`fails ${how} with an unexpected error, which is logged and not sent`, async () => {
      reported.length = 0
      const response = await callTool('books', { meta, args: { fails: true } })
      const message = meta === PROGRESS ? messagesOf(response).at(-1) : response.json()
      const error = { code: -32603, message: 'Internal error' }
      assert.deepEqual(message, { jsonrpc: '2.0', id: 1, error })
      assert.match(reported.join(), /no books/)
    })
  }

  it('fails with a result that the schema refuses', async () => {
    assert.match((await callTool('malformed')).text, /"code":-32603/)
  })

  it('fails in a stream with malformed data of an event', async () => {
    reported.length = 0
    const last = messagesOf(await callTool('malformed', { meta: PROGRESS })).at(-1)
    assert.match(JSON.stringify(last), /"code":-32603/)
    assert.match(reported.join(), /An event "progress" has the data/)
  })

  it('fails in a stream with the text of a 401 that is too late for a status', async () => {
    const last = messagesOf(await callTool('expired', { meta: PROGRESS })).at(-1)
    const content = [{ type: 'text', text: '401 Unauthorized: The token has expired.' }]
    assert.deepEqual(last, done({ content, isError: true }))
  })

  it('ends when its client closes the connection', async () => {
    ended.length = 0
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'endless', _meta: PROGRESS },
    })
    const headers = { ...EVENTS, 'Content-Type': 'application/json' }
    const response = await app.fetch(new Request('http://localhost/import/mcp', { method: 'POST', body, headers }))
    const reader = response.body?.getReader() ?? assert.fail()
    await reader.read()
    await reader.cancel()
    assert.deepEqual(ended, ['endless'])
  })

  it('is run to its end by the other faces', async () => {
    const client = new TestApp(app)
    const rpc = await client.postJson('/import', { jsonrpc: '2.0', id: 1, method: 'books' })
    assert.deepEqual(rpc.json(), { jsonrpc: '2.0', id: 1, result: 'Imported 2 books.' })
    assert.equal((await client.postJson('/import/books', {})).json(), 'Imported 2 books.')
    const xml = '<methodCall><methodName>books</methodName></methodCall>'
    const answer = await client.post('/import', xml, { headers: { 'Content-Type': 'text/xml' } })
    assert.match(answer.text, /Imported 2 books\./)
  })
})

describe('a service with authorization servers', () => {
  const served = appWith({ authorizationServers: ['https://login.example'] })
  const METADATA = '/.well-known/oauth-protected-resource'

  it('has metadata at its path', async () => {
    const response = await new TestApp(served).get(`${METADATA}/import/mcp`)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('Access-Control-Allow-Origin'), '*')
    assert.deepEqual(response.json(), {
      resource: 'http://localhost/import/mcp',
      authorization_servers: ['https://login.example'],
      scopes_supported: ['books:write', 'books:read'],
      bearer_methods_supported: ['header'],
    })
  })

  for (const path of ['/import', '/import/books', '/nothing', '/import/mcp/more']) {
    it(`has no metadata at ${path}`, async () => {
      assert.equal((await new TestApp(served).get(METADATA + path)).status, 404)
    })
  }

  it('names the metadata and the scopes to clients that must sign in', async () => {
    const { status, headers } = await callTool('secret', { served })
    assert.equal(status, 401)
    assert.equal(
      headers.get('WWW-Authenticate'),
      'Bearer realm="books", scope="books:write books:read", resource_metadata="http://localhost/.well-known/oauth-protected-resource/import/mcp"',
    )
  })

  it('names the metadata with the path percent-encoded', async () => {
    const client = new TestApp(served, { errors: 'page' })
    const params = { name: 'secret' }
    for (const shop of ['a%22%20b=%22c', 'caf%C3%A9', 'a%0Db']) {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      const refused = await client.postJson(`/${shop}/import/mcp`, message, { status: 401 })
      const path = `${METADATA}/${shop}/import/mcp`
      const challenge = refused.headers.get('WWW-Authenticate') ?? ''
      assert.equal(challenge.split('resource_metadata=')[1], `"http://localhost${path}"`)
      const { resource } = (await client.get(path)).json<{ resource: string }>()
      assert.equal(resource, `http://localhost/${shop}/import/mcp`)
    }
  })

  it('names the scopes to clients that lack them', async () => {
    const { status, headers } = await callTool('secret', {
      served,
      headers: { ...EVENTS, Authorization: 'Bearer wrong' },
    })
    assert.equal(status, 403)
    assert.match(
      headers.get('WWW-Authenticate') ?? '',
      /^Bearer error="insufficient_scope", scope="books:write books:read", resource_metadata=/,
    )
  })

  it('changes no other response', async () => {
    const answer = await new TestApp(served).postJson('/import/secret', {})
    assert.deepEqual([answer.status, answer.headers.get('WWW-Authenticate')], [401, 'Bearer realm="books"'])
    const headers = { ...EVENTS, Authorization: 'Bearer right' }
    assert.equal((await callTool('secret', { served, headers })).status, 200)
  })
})
