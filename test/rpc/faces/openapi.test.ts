import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { FrameworkApp, Mapper } from 'propylon'
import { RPCController } from 'propylon/rpc'
import { assertOpenAPI, fetchFrom } from './documents.ts'
import { events, StockController, stockApp } from './stock.ts'

const app = stockApp()
const URL_OF_DOCUMENT = '/stock/openapi.json'

interface Operation {
  readonly operationId: string
  readonly deprecated?: boolean
  readonly summary?: string
  readonly description?: string
  readonly requestBody: { readonly required: boolean }
}

interface OpenAPI {
  readonly info: unknown
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, { readonly post: Operation }>>
  readonly security?: unknown
  readonly components: {
    readonly securitySchemes?: unknown
    readonly schemas: Readonly<Record<string, { readonly properties: Readonly<Record<string, { type?: string }>> }>>
    readonly responses: Readonly<Record<string, { readonly content: unknown }>>
  }
}

async function documentOf(url = URL_OF_DOCUMENT, served = app): Promise<OpenAPI> {
  const { status, text } = await fetchFrom(served, { url })
  assert.equal(status, 200)
  return JSON.parse(text)
}

beforeEach(() => {
  events.length = 0
})

/** Returns the document of a service with static members. */
async function documentWith(statics: object): Promise<OpenAPI> {
  class OrdersController extends RPCController {
    static faces = ['json', 'jsonrpc', 'openapi']
    ping() {}
  }
  Object.assign(OrdersController, statics)
  const map = new Mapper().rpc('orders', '/orders')
  const log = (message: string) => void logs.push(message)
  const logger = { info: log, warn: log, error: log }
  const logs: string[] = []
  const orders = new FrameworkApp({ map, controllers: { orders: OrdersController }, logger })
  return documentOf('/orders/openapi.json', orders)
}

describe('the OpenAPI document', () => {
  it('is valid', async () => {
    await assertOpenAPI(await documentOf())
  })

  it('describes all failures as problem details', async () => {
    const { schemas, responses } = (await documentOf()).components
    const types = Object.entries(schemas.Problem?.properties ?? {}).map(([name, { type }]) => [name, type])
    assert.deepEqual(Object.fromEntries(types), {
      type: 'string',
      title: 'string',
      status: 'integer',
      detail: 'string',
      errors: 'array',
      code: 'integer',
      data: undefined,
    })
    assert.deepEqual(Object.keys(responses), ['BadRequest', 'Failure', 'InternalError', 'Problem'])
    for (const { content } of Object.values(responses)) {
      assert.deepEqual(content, {
        'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
      })
    }
  })

  it('names the service', async () => {
    const { info } = await documentOf()
    assert.deepEqual(info, {
      title: 'Stock of the shop',
      version: '2.1.0',
      description: 'Articles and their numbers.',
    })
  })

  it('marks the procedures in static deprecated', async () => {
    const document = await documentWith({ deprecated: ['ping'] })
    await assertOpenAPI(document)
    assert.equal(document.paths['/ping']?.post.deprecated, true)
    await assert.rejects(documentWith({ deprecated: ['pong'] }), /OrdersController\.deprecated names "pong"/)
  })

  describe('with static security', () => {
    it('says how clients sign in', async () => {
      const key = { type: 'apiKey', in: 'cookie', name: 'session' }
      const security = [{ basic: [] }, { bearer: [] }, { session: [] }, {}]
      const document = await documentWith({ security, securitySchemes: { session: key, unused: key } })
      await assertOpenAPI(document)
      assert.deepEqual(document.security, security)
      assert.deepEqual(document.components.securitySchemes, {
        basic: { type: 'http', scheme: 'basic' },
        bearer: { type: 'http', scheme: 'bearer' },
        session: key,
      })
    })

    for (const [security, message] of [
      [[{ session: [] }], /OrdersController\.security names "session"\. Describe the scheme/],
      [{ basic: [] }, /OrdersController: static security has an object/],
      [[{ basic: true }], /Write a list of security schemes with their scopes/],
    ] as const) {
      it(`refuses ${JSON.stringify(security)}`, () => assert.rejects(documentWith({ security }), message))
    }
  })

  it('names a service after its class by default', async () => {
    class OrdersController extends RPCController {
      static faces = ['json', 'openapi']
      ping() {}
    }
    const orders = new FrameworkApp({
      map: new Mapper().rpc('orders', '/orders'),
      controllers: { orders: OrdersController },
    })
    const document = await documentOf('/orders/openapi.json', orders)
    assert.deepEqual(document.info, { title: 'Orders', version: '1.0.0' })
    await assertOpenAPI(document)
  })

  it('has a path for each procedure', async () => {
    const { paths } = await documentOf()
    assert.deepEqual(Object.keys(paths), [
      '/blocks',
      '/breaks',
      '/greet',
      '/inform',
      '/nothing',
      '/page',
      '/refuse',
      '/stock.broken',
      '/stock.count',
      '/stock.find',
      '/stock.order',
    ])
    const operation = paths['/stock.find']?.post
    assert.ok(operation !== undefined)
    const { operationId, summary, description, requestBody } = operation
    assert.equal(operationId, 'stock_find')
    assert.equal(summary, 'Finds articles')
    assert.equal(description, 'Finds articles.\n\nCompares the beginning of names.')
    assert.equal(requestBody.required, true)
    assert.equal(paths['/nothing']?.post.requestBody.required, false)
  })

  const places: [prefix: string, path: string, base: string][] = [
    ['', '/stock', 'http://localhost/stock'],
    ['/shop', '/stock', 'http://localhost/shop/stock'],
    ['', '/a b/c:d', 'http://localhost/a%20b/c:d'],
    ['/stock', '', 'http://localhost/stock'],
  ]
  for (const [prefix, path, base] of places) {
    it(`has a server URL that leads to ${base}`, async () => {
      const served = new FrameworkApp({
        map: new Mapper().rpc('stock', path === '' ? '/' : path),
        controllers: { stock: StockController },
      })
      const { text } = await fetchFrom(served, {
        scriptName: prefix,
        url: `${prefix}${encodeURI(path)}/openapi.json`,
      })
      const { servers } = JSON.parse(text) as OpenAPI
      assert.equal(new URL(servers[0]?.url ?? '', `${base}/openapi.json`).href, base)
    })
  }

  it('describes calls that are answered', async () => {
    const { servers } = await documentOf()
    const { pathname } = new URL(`${servers[0]?.url}`, `http://localhost${URL_OF_DOCUMENT}`)
    const { status, text } = await fetchFrom(app, {
      method: 'POST',
      url: `${pathname}/stock.find`,
      body: JSON.stringify({ query: 'la', limit: 1 }),
      headers: [['Content-Type', 'application/json']],
    })
    assert.equal(status, 200)
    assert.deepEqual(JSON.parse(text), ['lamp'])
  })

  it('describes calls by unusual names, and none that another face answers', async () => {
    class NamesController extends RPCController {
      static faces = ['json', 'mcp', 'openapi']
      static override publicNames = { slash: 'a/b:c' }
      slash() {
        return 'called'
      }
      größe() {
        return 'called'
      }
      $x() {
        return 'called'
      }
      index() {}
      mcp() {}
      openapi_json() {}
    }
    const names = new FrameworkApp({
      map: new Mapper().rpc('names', '/names'),
      controllers: { names: NamesController },
    })
    const paths = Object.keys((await documentOf('/names/openapi.json', names)).paths)
    assert.deepEqual(paths, ['/%24x', '/a%2Fb%3Ac', '/gr%C3%B6%C3%9Fe'])
    for (const path of paths) {
      const { text } = await fetchFrom(names, { method: 'POST', url: `/names${path}` })
      assert.equal(text, '"called"')
    }
  })

  it('is not sent again to a client that has it', async () => {
    const { header, text } = await fetchFrom(app, { url: URL_OF_DOCUMENT })
    const tag = header('etag') ?? ''
    assert.match(tag, /^W\/"/)
    assert.equal(header('content-type'), 'application/json')
    assert.notEqual(text, '')
    const again = await fetchFrom(app, { url: URL_OF_DOCUMENT, headers: [['If-None-Match', tag]] })
    assert.equal(again.status, 304)
    assert.equal(again.text, '')
  })

  it('is answered to HEAD without its body', async () => {
    const { status, header, text } = await fetchFrom(app, { method: 'HEAD', url: URL_OF_DOCUMENT })
    assert.equal(status, 200)
    assert.notEqual(header('etag'), undefined)
    assert.equal(text, '')
  })

  it('is read only', async () => {
    const { status, header } = await fetchFrom(app, { method: 'POST', url: URL_OF_DOCUMENT, body: '{}' })
    assert.equal(status, 405)
    assert.equal(header('allow'), 'GET, HEAD, OPTIONS')
  })

  it('can be refused by a hook', async () => {
    const headers: [string, string][] = [['Authorization', 'Bearer wrong']]
    assert.equal((await fetchFrom(app, { url: URL_OF_DOCUMENT, headers })).status, 401)
  })

  it('is absent without the face', async () => {
    class OrdersController extends RPCController {
      static faces = ['json']
      ping() {}
    }
    const orders = new FrameworkApp({
      map: new Mapper().rpc('orders', '/orders'),
      controllers: { orders: OrdersController },
    })
    assert.equal((await fetchFrom(orders, { url: '/orders/openapi.json' })).status, 404)
  })
})
