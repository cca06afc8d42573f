import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { abort, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { toFetch } from 'propylon/fetch'
import { TestApp } from 'propylon/testing'
import { firstText, libraryApp, messageOf, modern } from './library.ts'

const app = libraryApp()
const META = 'io.modelcontextprotocol/'

function legacy(method: string, params: object = {}, version = '2025-11-25', served = app) {
  const message = { jsonrpc: '2.0', id: 1, method, params }
  const headers = { 'MCP-Protocol-Version': version }
  return new TestApp(served, { errors: 'page' }).postJson('/mcp', message, { headers })
}

describe('version 2026-07-28', () => {
  it('describes the server without initialize', async () => {
    const { result } = messageOf(await modern(app, 'server/discover'))
    assert.deepEqual(result, {
      resultType: 'complete',
      ttlMs: 300_000,
      cacheScope: 'public',
      _meta: { [`${META}serverInfo`]: { name: 'library', version: '2.0.0' } },
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      instructions: 'Books.',
    })
  })

  const refused: [what: string, method: string, options: Parameters<typeof modern>[3], status: number, code: number][] =
    [
      ['no version in the body', 'tools/list', { meta: { [`${META}protocolVersion`]: undefined } }, 400, -32602],
      ['no capabilities', 'tools/list', { meta: { [`${META}clientCapabilities`]: undefined } }, 400, -32602],
      [
        'another version in the body',
        'tools/list',
        { meta: { [`${META}protocolVersion`]: '2025-11-25' } },
        400,
        -32020,
      ],
      ['another method in the header', 'tools/list', { headers: { 'Mcp-Method': 'tools/call' } }, 400, -32020],
      ['the method in capitals', 'tools/list', { headers: { 'Mcp-Method': 'Tools/List' } }, 400, -32020],
      ['another name in the header', 'tools/call', { headers: { 'Mcp-Name': 'books_index' } }, 400, -32020],
      ['a malformed name', 'tools/call', { headers: { 'Mcp-Name': '=?base64?Ym9va3Nfc2hvd?=' } }, 400, -32020],
      [
        'an unknown version',
        'tools/list',
        { headers: { 'MCP-Protocol-Version': 'v9' }, meta: { [`${META}protocolVersion`]: 'v9' } },
        400,
        -32022,
      ],
      ['initialize', 'initialize', {}, 404, -32601],
      ['ping', 'ping', {}, 404, -32601],
      ['an unknown method', 'unknown/method', {}, 404, -32601],
      ['a cursor', 'tools/list', { meta: {} }, 200, 0],
    ]
  for (const [what, method, options, status, code] of refused) {
    it(`answers ${status} to ${what}`, async () => {
      const params = method === 'tools/call' ? { name: 'books_show', arguments: { id: 7 } } : {}
      const response = await modern(app, method, params, options)
      assert.equal(response.status, status)
      const { id } = response.json<{ id: unknown }>()
      assert.equal(id, 1)
      assert.equal(messageOf(response).error?.code ?? 0, code)
    })
  }

  it('lists its versions for one that it does not have', async () => {
    const options = { headers: { 'MCP-Protocol-Version': 'v9' }, meta: { [`${META}protocolVersion`]: 'v9' } }
    const { error } = messageOf(await modern(app, 'tools/list', {}, options))
    assert.deepEqual(error?.data, { supported: ['2026-07-28'], requested: 'v9' })
  })

  it('takes a name in base64', async () => {
    const headers = { 'Mcp-Name': `=?base64?${btoa('books_show')}?=` }
    const { result } = messageOf(
      await modern(app, 'tools/call', { name: 'books_show', arguments: { id: 7 } }, { headers }),
    )
    assert.match(firstText(result), /Emma/)
  })

  it('has no batches', async () => {
    const response = await new TestApp(app).postJson('/mcp', [], {
      headers: { 'MCP-Protocol-Version': '2026-07-28' },
    })
    assert.equal(response.status, 400)
  })
})

describe('versions with initialize', () => {
  for (const version of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']) {
    it(`agree to ${version}`, async () => {
      const { result } = messageOf(await legacy('initialize', { protocolVersion: version }, version))
      assert.equal(result.protocolVersion, version)
      assert.deepEqual(Object.keys(result.capabilities ?? {}), ['tools', 'resources', 'prompts', 'completions'])
      assert.deepEqual(result.serverInfo, { name: 'library', version: '2.0.0' })
    })

    it(`have tools without the members of later versions in ${version}`, async () => {
      const { result } = messageOf(await legacy('tools/list', {}, version))
      assert.deepEqual(Object.keys(result), ['tools'])
      const tools = result.tools as { name: string; outputSchema?: { type?: string } }[]
      for (const { outputSchema } of tools) assert.ok([undefined, 'object'].includes(outputSchema?.type))
      assert.equal('outputSchema' in (tools.find(({ name }) => name === 'books_index') ?? {}), false)
      const called = messageOf(await legacy('tools/call', { name: 'books_index' }, version)).result
      assert.deepEqual(Object.keys(called), ['content'])
      const shown = messageOf(await legacy('tools/call', { name: 'books_show', arguments: { id: 7 } }, version))
      assert.deepEqual(shown.result.structuredContent, { id: 7, title: 'Emma' })
    })
  }

  it('read resources and prompts', async () => {
    const uri = 'http://localhost/books/7'
    const read = messageOf(await legacy('resources/read', { uri }))
    assert.deepEqual(read.result, {
      contents: [{ uri, mimeType: 'application/json', text: '{"id":7,"title":"Emma"}' }],
    })
    const prompt = messageOf(await legacy('prompts/get', { name: 'books_plain', arguments: { subject: 'x' } }))
    assert.deepEqual(prompt.result.messages, [{ role: 'user', content: { type: 'text', text: 'About x.' } }])
  })

  it('report wrong arguments to the model since 2025-11-25, and as errors before', async () => {
    const wrong = { name: 'books_show', arguments: { nope: 1 } }
    assert.equal(messageOf(await legacy('tools/call', wrong)).result.isError, true)
    assert.equal(messageOf(await legacy('tools/call', wrong, '2025-06-18')).error?.code, -32602)
  })

  it('send no stream, unless the client asks for progress', async () => {
    const response = await new TestApp(app).postJson(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'books_count' } },
      { headers: { Accept: 'application/json, text/event-stream' } },
    )
    assert.equal(response.headers.get('Content-Type'), 'application/json')
  })

  it('answer a batch in order, up to 8 MiB', async () => {
    const call = (id: number, name: string) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name },
    })
    const batch = [call(1, 'books_page'), { jsonrpc: '2.0', method: 'x' }, call(2, 'books_secret')]
    const response = await new TestApp(app).postJson('/mcp', batch)
    const [first, second] = response.json<{ id: number; result: { isError?: boolean } }[]>()
    assert.deepEqual([first?.id, second?.id], [1, 2])
    assert.deepEqual([first?.result.isError, second?.result.isError], [undefined, true])
    const many = Array.from({ length: 101 }, (_, id) => call(id, 'books_page'))
    assert.equal((await new TestApp(app).postJson('/mcp', many)).status, 400)
  })
})

describe('the address', () => {
  it('refuses other methods, and pages of other sites', async () => {
    const client = new TestApp(app)
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await client.request(method, '/mcp')
      assert.equal(status, 405)
      assert.match(headers.get('Allow') ?? '', /POST/)
    }
    assert.equal((await client.options('/mcp')).status, 204)
    const rebinding = { Host: 'evil.example', Origin: 'http://evil.example' }
    assert.equal((await modern(app, 'tools/list', {}, { headers: rebinding })).status, 403)
  })

  it('is an option, and below the mount point', async () => {
    const other = libraryApp({ mcp: { path: '/tools' } })
    const message = { jsonrpc: '2.0', id: 1, method: 'resources/list' }
    const client = new TestApp(other)
    assert.equal((await client.postJson('/mcp', message)).status, 404)
    const mounted = new TestApp((environ, start_response) => other.wsgi(environ, start_response), {
      environ: { SCRIPT_NAME: '/app' },
    })
    const { result } = messageOf(await mounted.postJson('/tools', message))
    assert.equal((result.resources as { uri: string }[])[0]?.uri, 'http://localhost/app/books')
    const read = {
      jsonrpc: '2.0',
      id: 1,
      method: 'resources/read',
      params: { uri: 'http://localhost/app/books/7' },
    }
    const { result: found } = messageOf(await mounted.postJson('/tools', read))
    assert.equal((found.contents as object[]).length, 1)
  })

  it('does not have methods for what no class declares', async () => {
    const empty = new FrameworkApp({ map: new Mapper(), controllers: {}, mcp: {} })
    assert.deepEqual(
      messageOf(await legacy('initialize', { protocolVersion: '2025-11-25' }, '2025-11-25', empty)).result.capabilities,
      {},
    )
    for (const method of ['tools/list', 'resources/read', 'prompts/get']) {
      assert.equal(messageOf(await legacy(method, {}, '2025-11-25', empty)).error?.code, -32601)
    }
  })
})

describe('the option mcp', () => {
  const wrong: [options: object, message: RegExp][] = [
    [{ pth: '/x' }, /FrameworkApp\(\{ mcp \}\) has no option "pth".*path/],
    [{ path: 'mcp' }, /mcp.*path is "mcp"/],
    [{ name: 1 }, /mcp.*name is 1/],
    [{ authorizationServers: ['login.example'] }, /mcp.*authorizationServers/],
    [{ authorizationServers: 'https://login.example' }, /mcp.*authorizationServers/],
  ]
  for (const [mcp, message] of wrong) {
    it(`refuses ${JSON.stringify(mcp)}`, () => {
      assert.throws(() => libraryApp({ mcp } as never), { name: 'TypeError', message })
    })
  }
})

describe('authorization', () => {
  const guarded = libraryApp({ mcp: { authorizationServers: ['https://login.example'] } })
  const METADATA = 'http://localhost/.well-known/oauth-protected-resource/mcp'

  for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
    it(`has metadata at ${path}`, async () => {
      const response = await new TestApp(guarded).get(path)
      assert.deepEqual(response.json(), {
        resource: 'http://localhost/mcp',
        authorization_servers: ['https://login.example'],
        bearer_methods_supported: ['header'],
      })
      assert.equal(response.headers.get('Access-Control-Allow-Origin'), '*')
    })
  }

  it('has metadata at the well-known path that is inserted before the mount point', async () => {
    const mounted = toFetch(guarded, { scriptName: '/shop' })
    const proxied = toFetch(guarded, { trustProxy: true })
    const get = async (handler: typeof mounted, path: string, headers: Record<string, string> = {}) => {
      const response = await handler(new Request(`http://localhost${path}`, { headers }))
      return response.status === 200 ? Reflect.get(Object(await response.json()), 'resource') : response.status
    }
    const prefix = { 'X-Forwarded-Prefix': '/shop' }
    const well = '/.well-known/oauth-protected-resource'
    assert.equal(await get(mounted, `/shop${well}/mcp`), 'http://localhost/shop/mcp')
    assert.equal(await get(mounted, `${well}/shop/mcp`), 'http://localhost/shop/mcp')
    assert.equal(await get(mounted, `${well}/shop`), 'http://localhost/shop/mcp')
    assert.equal(await get(proxied, `${well}/shop/mcp`, prefix), 'http://localhost/shop/mcp')
    assert.equal(await get(proxied, `${well}/mcp`, prefix), 'http://localhost/shop/mcp')
    assert.equal(await get(mounted, `${well}/shopping/mcp`), 404)
    assert.equal(await get(mounted, `${well}/shop/other`), 404)
    assert.equal(await get(toFetch(guarded), `${well}/shop/mcp`), 404)
  })

  it('has none without the option', async () => {
    const { status } = await new TestApp(app).get('/.well-known/oauth-protected-resource')
    assert.equal(status, 404)
  })

  it('names the scopes of the class in 401 and 403, and in the metadata', async () => {
    class ScopedController extends WSGIController {
      static security = [{ bearer: ['read', 'write'] }]
      static tools = ['show']
      show() {
        abort(this.request.header('authorization') === undefined ? 401 : 403)
      }
    }
    const scoped = new FrameworkApp({
      map: new Mapper().connect('/scoped', { controller: 'scoped', action: 'show' }),
      controllers: { scoped: ScopedController },
      mcp: { authorizationServers: ['https://login.example'] },
    })
    const metadata = await new TestApp(scoped).get('/.well-known/oauth-protected-resource/mcp')
    assert.deepEqual(metadata.json<{ scopes_supported: string[] }>().scopes_supported, ['read', 'write'])
    const challenges: [headers: Record<string, string>, status: number, challenge: string][] = [
      [{}, 401, `Bearer realm="application", scope="read write", resource_metadata="${METADATA}"`],
      [
        { Authorization: 'Bearer x' },
        403,
        `Bearer error="insufficient_scope", scope="read write", resource_metadata="${METADATA}"`,
      ],
    ]
    for (const [headers, status, challenge] of challenges) {
      const response = await modern(scoped, 'tools/call', { name: 'scoped_show' }, { headers })
      assert.equal(response.status, status)
      assert.equal(response.headers.get('WWW-Authenticate'), challenge)
    }
  })

  it('names the metadata in the 401 of middleware', async () => {
    const closed = libraryApp({
      mcp: { authorizationServers: ['https://login.example'] },
      middleware: [() => () => abort(401)],
    })
    const response = await modern(closed, 'tools/list')
    assert.equal(response.status, 401)
    assert.match(response.headers.get('WWW-Authenticate') ?? '', /resource_metadata="http:.*\/mcp"$/)
  })

  it('names the metadata in the 401 of a call', async () => {
    const response = await modern(guarded, 'tools/call', { name: 'books_secret' })
    assert.equal(response.status, 401)
    assert.equal(response.headers.get('WWW-Authenticate'), `Bearer realm="books", resource_metadata="${METADATA}"`)
  })
})

describe('the version of a message', () => {
  const post = (message: object, headers: Record<string, string>) =>
    new TestApp(app, { errors: 'page' }).postJson('/mcp', { jsonrpc: '2.0', ...message }, { headers })
  const initialize = { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18' } }

  for (const header of ['2099-01-01', '2026-07-28', 'nonsense']) {
    it(`is negotiated by the body of initialize, whatever the header says: ${header}`, async () => {
      const response = await post(initialize, { 'MCP-Protocol-Version': header })
      assert.equal(messageOf(response).result.protocolVersion, '2025-06-18')
    })
  }

  const others: [what: string, message: object][] = [
    ['a request', { id: 1, method: 'ping' }],
    ['a notification', { method: 'notifications/initialized' }],
    ['a notification with null for its parameters', { method: 'notifications/initialized', params: null }],
    ['a response', { id: 1, result: {} }],
  ]
  for (const [what, message] of others) {
    it(`is 400 if it is unknown: ${what}`, async () => {
      assert.equal((await post(message, { 'MCP-Protocol-Version': '2099-01-01' })).status, 400)
      const known = await post(message, { 'MCP-Protocol-Version': '2025-06-18' })
      assert.equal(known.status, what === 'a request' ? 200 : 202)
    })
  }

  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'text/xml', 'nonsense']) {
    it(`is not read from ${type}`, async () => {
      const body = JSON.stringify({ jsonrpc: '2.0', ...initialize })
      const headers = { 'Content-Type': type, Accept: 'application/json' }
      assert.equal((await new TestApp(app, { errors: 'page' }).post('/mcp', body, { headers })).status, 415)
    })
  }
})
