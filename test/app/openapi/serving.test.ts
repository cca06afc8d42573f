import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { body, int } from 'propylon/converters'
import type { Middleware } from 'propylon/wsgi'
import * as v from 'valibot'
import { BooksController } from '../../controllers/declarations/books.ts'
import { fetchFrom } from '../../rpc/faces/documents.ts'

type Options = NonNullable<ConstructorParameters<typeof FrameworkApp>[0]['openapi']>

const marked: Middleware = (app) => (environ, start_response) =>
  app(environ, (status, headers, error) => start_response(status, [...headers, ['X-Seen', 'yes']], error))

function site(openapi?: Options): FrameworkApp {
  return new FrameworkApp({
    map: new Mapper().resource('book', 'books'),
    controllers: { books: BooksController },
    logger: { info() {}, warn() {}, error() {} },
    middleware: [marked],
    ...(openapi && { openapi }),
  })
}

const options = { title: 'Books', version: '2.0.0' }
const url = '/openapi.json'

describe('a request for the OpenAPI document', () => {
  it('is answered within the middleware', async () => {
    const { status, text, header } = await fetchFrom(site(options), { url })
    assert.equal(status, 200)
    assert.equal(header('content-type'), 'application/json')
    assert.equal(header('cache-control'), 'no-cache')
    assert.equal(header('x-seen'), 'yes')
    const { openapi, info, servers } = JSON.parse(text)
    assert.deepEqual([openapi, info.version, servers], ['3.1.1', '2.0.0', [{ url: '/' }]])
  })

  it('is 304 if the client has the document', async () => {
    const app = site(options)
    const etag = (await fetchFrom(app, { url })).header('etag') ?? ''
    assert.match(etag, /^W\//)
    const again = await fetchFrom(app, { url, headers: [['If-None-Match', etag]] })
    assert.deepEqual([again.status, again.text], [304, ''])
  })

  it('by HEAD has no body', async () => {
    const { status, text, header } = await fetchFrom(site(options), { url, method: 'HEAD' })
    assert.deepEqual([status, text], [200, ''])
    assert.notEqual(header('etag'), undefined)
  })

  it('by OPTIONS is 204, and by another method 405', async () => {
    const results = ['OPTIONS', 'POST'].map((method) => fetchFrom(site(options), { url, method }))
    for (const [index, { status, header }] of (await Promise.all(results)).entries()) {
      assert.equal(status, [204, 405][index])
      assert.equal(header('allow'), 'GET, HEAD, OPTIONS')
    }
  })

  it('has the mount point as server', async () => {
    const { text } = await fetchFrom(site(options), { url: `/st%C3%B6re${url}`, scriptName: '/st\u00f6re' })
    assert.deepEqual(JSON.parse(text).servers, [{ url: '/st%C3%B6re' }])
    const servers = [{ url: 'https://books.example' }]
    const own = await fetchFrom(site({ ...options, servers }), { url: `/store${url}`, scriptName: '/store' })
    assert.deepEqual(JSON.parse(own.text).servers, servers)
  })

  it('uses the path of the options', async () => {
    const app = site({ ...options, path: '/api/v2.json' })
    assert.equal((await fetchFrom(app, { url: '/api/v2.json' })).status, 200)
    assert.equal((await fetchFrom(app, { url })).status, 404)
  })

  it('is 404 without the option', async () => {
    assert.equal((await fetchFrom(site(), { url })).status, 404)
  })

  it('has routes that were added later', async () => {
    const map = new Mapper()
    const app = new FrameworkApp({ map, controllers: { books: BooksController }, openapi: options })
    assert.deepEqual(Object.keys((await app.openapi())?.paths ?? {}), [])
    map.resource('book', 'books')
    assert.deepEqual(Object.keys((await app.openapi())?.paths ?? {}), ['/books', '/books/{id}'])
  })

  it('is made again if a controller could not be loaded', async () => {
    let isBroken = true
    const app = new FrameworkApp({
      map: new Mapper().resource('book', 'books'),
      controllers: {
        books: async () => {
          if (isBroken) throw new Error('not yet')
          return { BooksController }
        },
      },
      openapi: options,
      logger: { info() {}, warn() {}, error() {} },
    })
    await assert.rejects(app.openapi(), /not yet/)
    isBroken = false
    app.controllers.scan()
    assert.equal(Object.keys((await app.openapi())?.paths ?? {}).length, 2)
  })

  class DestructuringController extends WSGIController {
    static args = { show: { id: int, book: body(v.object({ title: v.string() })) } }
    static results = { show: v.any() }
    static tools = ['show']
    show(id: number, { title }: { title: string }) {
      return { id, title }
    }
  }
  class InsecureController extends WSGIController {
    static security = 'bearer'
    static results = { show: v.any() }
    static tools = ['show']
    show(id: string) {
      return { id }
    }
  }
  const others: [label: string, controller: object, reason: RegExp][] = [
    ['does not load', () => Promise.reject(new Error('no such package')), /"other" cannot be loaded: no such package/],
    ['has parameters that cannot be read', DestructuringController, /DestructuringController\.show: its parameters/],
    ['has an invalid static property', InsecureController, /InsecureController: static security has/],
  ]
  for (const [label, controller, reason] of others) {
    it(`leaves out a controller that ${label}, as tools do, and logs it once`, async () => {
      class ItemsController extends WSGIController {
        static results = { show: v.any() }
        static tools = ['show']
        show(id: string) {
          return { id }
        }
      }
      const logged: string[] = []
      const app = new FrameworkApp({
        map: new Mapper()
          .connect('/other/{id}', { controller: 'other', action: 'show' })
          .connect('/items/{id}', { controller: 'items', action: 'show' }),
        controllers: Object.assign(Object.create(null), { items: ItemsController, other: controller }),
        openapi: options,
        mcp: {},
        logger: { info() {}, warn() {}, error: (message) => void logged.push(message) },
      })
      for (let n = 0; n < 2; n++) {
        const { text } = await fetchFrom(app, { url })
        assert.deepEqual(Object.keys(JSON.parse(text).paths), ['/items/{id}'])
        const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
        const listed = await fetchFrom(app, {
          url: '/mcp',
          method: 'POST',
          headers: [
            ['Content-Type', 'application/json'],
            ['MCP-Protocol-Version', '2025-06-18'],
          ],
          body: list,
        })
        assert.deepEqual(
          JSON.parse(listed.text).result.tools.map(({ name }: { name: string }) => name),
          ['items_show'],
        )
      }
      assert.equal(logged.length, 1)
      assert.match(logged[0] ?? '', reason)
      await assert.rejects(app.openapi(), reason)
    })
  }
})

describe('the option openapi', () => {
  const wrong: [string, object, RegExp][] = [
    ['without a title', { version: '1' }, /requires the option title\. Pass text/],
    ['with a number as version', { title: 'Books', version: 1 }, /the option version is 1\. Pass text/],
    ['with a relative path', { ...options, path: 'api.json' }, /the option path is "api\.json"\. Pass a path/],
  ]
  for (const [what, given, message] of wrong) {
    it(`${what} is refused`, () => {
      assert.throws(() => site(given as Options), { name: 'TypeError', message })
    })
  }
})
