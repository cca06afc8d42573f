import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { XMLRPCClient } from 'propylon/xmlrpc'
import { ADMIN_PASSWORD, Client, describeWiki, type Place, sqlitePlace, Wiki } from './wiki.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

type Call = (method: string, params: Record<string, unknown>, client: Client) => Promise<unknown>

/** Functions that send a call, by face. Each returns the result, or `fault CODE`, or `status CODE` for a failure. */
const faces: Record<string, Call> = {
  async xmlrpc(method, params, client) {
    const { status, text } = await client.post('/rpc', encode(method, Object.values(params)), {
      'content-type': 'text/xml',
    })
    if (status !== 200) return `status ${status}`
    const code = /<name>faultCode<\/name><value><int>(-?\d+)/.exec(text)?.[1]
    return code === undefined ? text : `fault ${code}`
  },
  async jsonrpc(method, params, client) {
    const body = { jsonrpc: '2.0', id: 1, method, params }
    const { status, json } = await client.post('/rpc', body, JSON_TYPE)
    if (status !== 200) return `status ${status}`
    return json.error === undefined ? json.result : `fault ${json.error.code}`
  },
  async json(method, params, client) {
    const { status, json } = await client.post(`/rpc/${method}`, params, JSON_TYPE)
    return status === 200 ? json : `status ${status}`
  },
  async mcp(method, params, client) {
    const call = { name: method.replace('.', '_'), arguments: params }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }
    const { status, json } = await client.post('/rpc/mcp', body, {
      ...JSON_TYPE,
      accept: 'application/json, text/event-stream',
    })
    if (status !== 200) return `status ${status}`
    if (json.error !== undefined) return `fault ${json.error.code}`
    return json.result.isError ? 'isError' : JSON.parse(json.result.content[0].text)
  },
}

function encode(method: string, params: readonly unknown[]): string {
  const values = params.map((param) => {
    if (param instanceof Date) {
      const time = param.toISOString().slice(0, 19).replaceAll('-', '')
      return `<param><value><dateTime.iso8601>${time}</dateTime.iso8601></value></param>`
    }
    const type = typeof param === 'number' ? 'int' : 'string'
    return `<param><value><${type}>${param}</${type}></value></param>`
  })
  return `<methodCall><methodName>${method}</methodName><params>${values.join('')}</params></methodCall>`
}

describeWiki('/rpc of the wiki', (wiki) => {
  let ann: Client
  let visitor: Client

  before(async () => {
    ann = await Client.user(wiki(), 'ann')
    visitor = new Client(wiki())
    await ann.post('/page', { title: 'Versions', content: 'one' })
    await ann.put('/page/Versions', { content: 'two', version: '1' })
  })

  for (const [face, call] of Object.entries(faces)) {
    describe(face, () => {
      const missing = face === 'json' ? 'status 404' : face === 'mcp' ? 'isError' : 'fault 404'
      const stale = face === 'json' ? 'status 409' : face === 'mcp' ? 'isError' : 'fault 409'
      const refused = face === 'json' ? 'status 400' : 'fault -32602'
      const unknown = face === 'json' ? 'status 404' : face === 'mcp' ? 'fault -32602' : 'fault -32601'

      for (const [method, params, wanted] of [
        ['wiki.getPage', { title: 'Missing' }, missing],
        ['wiki.getPage', { title: 'a/b' }, missing],
        ['wiki.getPage', {}, refused],
        ['wiki.getPage', { title: 5 }, refused],
        ['wiki.getPageVersion', { title: 'Versions', version: 3 }, missing],
        ['wiki.getPageVersion', { title: 'Versions', version: 'x' }, refused],
        ['wiki.putPage', { title: 'x', content: 'x' }, 'status 401'],
        ['wiki.nothing', {}, unknown],
        ['_wiki', {}, unknown],
      ] as const) {
        it(`answers ${wanted} to ${method}(${JSON.stringify(params)})`, async () => {
          assert.equal(await call(method, params, visitor), wanted)
        })
      }

      it('stores pages of a user', async () => {
        const title = `By ${face}`
        const versionIn = (result: unknown) => Number(/\d+(?=<\/int>)|^\d+$/.exec(String(result))?.[0])
        assert.equal(versionIn(await call('wiki.putPage', { title, content: 'one' }, ann)), 1)
        assert.equal(versionIn(await call('wiki.putPage', { title, content: 'two', version: 1 }, ann)), 2)
        assert.equal(versionIn(await call('wiki.putPage', { title, content: 'three' }, ann)), 3)
        assert.equal(await call('wiki.putPage', { title, content: 'four', version: 1 }, ann), stale)
        assert.equal(await call('wiki.putPage', { title: 'Missing', content: 'x', version: 1 }, ann), missing)
        const invalid = face === 'json' ? 'status 400' : face === 'mcp' ? 'isError' : 'fault 400'
        assert.equal(await call('wiki.putPage', { title: 'a/b', content: 'x' }, ann), invalid)
        assert.equal((await visitor.get(`/page/By%20${face}.json`)).json.author, 'ann')
      })

      if (face !== 'xmlrpc') {
        it('returns pages, titles and changes', async () => {
          const page = await call('wiki.getPageVersion', { title: 'Versions', version: 1 }, visitor)
          assert.ok(typeof page === 'object' && page !== null && 'content' in page)
          assert.deepEqual(Object.keys(page), ['title', 'version', 'content', 'html', 'modified', 'author'])
          assert.equal(page.content, 'one')
          const titles = await call('wiki.getAllPages', {}, visitor)
          assert.ok(Array.isArray(titles) && titles.includes('FrontPage'))
          const since = new Date(Date.now() - 60_000).toISOString()
          const changes = await call('wiki.getRecentChanges', { since }, visitor)
          assert.ok(
            Array.isArray(changes) && changes.some(({ title, version }) => title === 'Versions' && version === 2),
          )
          const later = new Date(Date.now() + 60_000).toISOString()
          assert.deepEqual(await call('wiki.getRecentChanges', { since: later }, visitor), [])
        })
      }
    })
  }

  it('lists nothing that XML cannot carry, because nobody can store it', async () => {
    for (const [title, content] of [
      ['Not in XML: \uFFFF', 'x'],
      ['Not in XML: \uFFFE', 'x'],
      ['Control', 'not in XML: \u0001'],
      ['Control', 'not in XML: \uFFFF'],
    ] as const) {
      assert.equal((await ann.post('/page', { title, content })).status, 400)
      for (const face of ['jsonrpc', 'json'] as const) {
        const refused = await faces[face]?.('wiki.putPage', { title, content }, ann)
        assert.equal(refused, face === 'json' ? 'status 400' : 'fault 400')
      }
    }
    assert.equal((await ann.post('/page', { title: 'Tabs', content: 'a\tb\u0085' })).status, 201)
    const { text } = await visitor.post('/rpc', encode('wiki.getAllPages', []), {
      'content-type': 'text/xml',
    })
    assert.match(text, /<string>Tabs<\/string>/)
  })

  it('works with the client of the framework, by HTTP Basic', async () => {
    const url = wiki().url.replace('://', `://admin:${encodeURIComponent(ADMIN_PASSWORD)}@`)
    const client = new XMLRPCClient(`${url}/rpc`)
    assert.equal(await client.call('wiki.putPage', 'By client', 'ü\n'), 1)
    const page = await client.call('wiki.getPage', 'By client')
    assert.ok(typeof page === 'object' && page !== null && 'modified' in page && 'content' in page)
    assert.equal(page.content, 'ü\n')
    const changes = await client.call('wiki.getRecentChanges', page.modified)
    assert.ok(Array.isArray(changes) && changes.length > 0)
  })

  it('describes itself', async () => {
    const { json } = await visitor.get('/rpc/openapi.json')
    assert.match(json.openapi, /^3\.1\./)
    assert.deepEqual(Object.keys(json.paths).length, 5)
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const tools = (await visitor.post('/rpc/mcp', list, JSON_TYPE)).json.result.tools
    assert.deepEqual(tools.map(({ name }: { name: string }) => name).sort(), [
      'wiki_getAllPages',
      'wiki_getPage',
      'wiki_getPageVersion',
      'wiki_getRecentChanges',
      'wiki_putPage',
    ])
  })
})

describe('/rpc of a wiki with pages that version 0.2 stored and XML cannot carry', () => {
  let place: Place
  let wiki: Wiki
  let visitor: Client
  before(async () => {
    place = await sqlitePlace()
    await (await Wiki.start(place.variables)).stop()
    store(join(place.directory, 'wiki.db'), [
      ['Title \uFFFF', 'x'],
      ['Content', 'y \u0001'],
    ])
    wiki = await Wiki.start(place.variables)
    visitor = new Client(wiki)
  })
  after(async () => {
    await wiki?.stop()
    await place?.remove()
  })
  const call = async (method: string, ...params: unknown[]) =>
    (await visitor.post('/rpc', encode(method, params), { 'content-type': 'text/xml' })).text

  it('lists the others', async () => {
    for (const list of [await call('wiki.getAllPages'), await call('wiki.getRecentChanges', new Date(0))]) {
      assert.match(list, /<string>FrontPage<\/string>/)
      assert.match(list, /<string>Content<\/string>/)
      assert.doesNotMatch(list, /fault|Title/)
    }
  })

  it('names the character of a page that cannot be sent', async () => {
    assert.match(await call('wiki.getPage', 'Content'), /result\.content: XML forbids the character U\+0001 at 2/)
  })
})

/** Stores pages without the rules of the wiki. */
function store(file: string, pages: readonly [title: string, content: string][]): void {
  const database = new DatabaseSync(file)
  const modified = new Date().toISOString()
  const intoPages = database.prepare('INSERT INTO pages VALUES (?, ?, 1, ?, ?, ?, ?)')
  const intoVersions = database.prepare('INSERT INTO versions VALUES (?, ?, 1, ?, ?, ?)')
  for (const [title, content] of pages) {
    intoPages.run(title, title, content, modified, 'ann', title)
    intoVersions.run(title, title, content, modified, 'ann')
  }
  database.close()
}
