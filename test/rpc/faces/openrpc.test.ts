import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, JSONRPCController, Mapper } from 'propylon'
import { assertOpenRPC, fetchFrom } from './documents.ts'
import { stockApp } from './stock.ts'

const app = stockApp()

interface OpenRPC {
  readonly info: unknown
  readonly servers: readonly { readonly name: string; readonly url: string }[]
  readonly methods: readonly {
    readonly name: string
    readonly summary?: string
    readonly paramStructure: string
    readonly params: readonly { readonly name: string }[]
    readonly result: unknown
  }[]
}

async function discover(served: FrameworkApp, url: string): Promise<OpenRPC> {
  const { status, text } = await fetchFrom(served, {
    method: 'POST',
    url,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'rpc.discover' }),
    headers: [['Content-Type', 'application/json']],
  })
  assert.equal(status, 200)
  const { result } = JSON.parse(text) as { result: OpenRPC }
  return result
}

describe('the OpenRPC document', () => {
  it('is valid', async () => {
    const { status, text, header } = await fetchFrom(app, { url: '/stock/openrpc.json' })
    assert.equal(status, 200)
    assert.equal(header('content-type'), 'application/json')
    assertOpenRPC(JSON.parse(text))
  })

  it('describes methods, their parameters and results', async () => {
    const { text } = await fetchFrom(app, { url: '/stock/openrpc.json' })
    const { info, methods } = JSON.parse(text) as OpenRPC
    assert.deepEqual(info, {
      title: 'Stock of the shop',
      version: '2.1.0',
      description: 'Articles and their numbers.',
    })
    assert.deepEqual(
      methods.map(({ name, paramStructure, params }) => [
        name,
        paramStructure,
        params.map(({ name }) => name),
      ]),
      [
        ['blocks', 'either', []],
        ['breaks', 'either', []],
        ['greet', 'either', ['name', 'greeting']],
        ['inform', 'by-name', ['title', 'tags']],
        ['nothing', 'either', []],
        ['page', 'either', []],
        ['refuse', 'either', ['status']],
        ['stock.broken', 'either', []],
        ['stock.count', 'either', ['name']],
        ['stock.find', 'either', ['query', 'limit']],
        ['stock.order', 'either', ['ordered']],
      ],
    )
    const found = methods.find(({ name }) => name === 'stock.find')
    assert.equal(found?.summary, 'Finds articles')
    assert.deepEqual(found?.params[0], {
      name: 'query',
      description: 'words of the name',
      required: true,
      schema: { type: 'string' },
    })
    assert.deepEqual(found?.result, { name: 'result', schema: { type: 'array', items: {} } })
  })

  it('is the result of rpc.discover', async () => {
    const document = await discover(app, '/stock')
    assertOpenRPC(document)
    const { text } = await fetchFrom(app, { url: '/stock/openrpc.json' })
    assert.deepEqual(document.methods, (JSON.parse(text) as OpenRPC).methods)
  })

  it('has the absolute URL of the service, whose format tools require', async () => {
    const init = { url: 'https://shop.example/prefix/stock/openrpc.json?x=1', scriptName: '/prefix' }
    const { text } = await fetchFrom(app, init)
    const url = 'https://shop.example/prefix/stock'
    const document = JSON.parse(text) as OpenRPC
    assert.deepEqual(
      document.servers.map(({ url }) => url),
      [url],
    )
    assertOpenRPC(document)
    const discovered = await discover(app, 'https://shop.example/stock?x=1')
    assert.deepEqual(
      discovered.servers.map(({ url }) => url),
      ['https://shop.example/stock'],
    )
    assertOpenRPC(discovered)
    const relative = { ...document, servers: [{ name: 'Stock', url: '../stock' }] }
    assert.throws(() => assertOpenRPC(relative), /must match format/)
  })

  it('is served by a JSONRPCController too', async () => {
    class MathController extends JSONRPCController {
      /** Subtracts. */
      subtract_from(minuend: number, subtrahend: number) {
        return minuend - subtrahend
      }
    }
    const math = new FrameworkApp({
      map: new Mapper().connect('/math', { controller: 'math', action: 'index' }),
      controllers: { math: MathController },
    })
    const document = await discover(math, '/math')
    assertOpenRPC(document)
    assert.deepEqual(
      document.methods.map(({ name, summary }) => [name, summary]),
      [['subtract_from', 'Subtracts']],
    )
  })

  it('is not sent again to a client that has it', async () => {
    const { header } = await fetchFrom(app, { url: '/stock/openrpc.json' })
    const headers: [string, string][] = [['If-None-Match', header('etag') ?? '']]
    assert.equal((await fetchFrom(app, { url: '/stock/openrpc.json', headers })).status, 304)
  })
})
