/** Names of tools, resources and prompts. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { serve } from 'propylon/node'
import { RPCController } from 'propylon/rpc'
import { TestApp } from 'propylon/testing'

const long = `a${'b'.repeat(63)}`

class CitiesController extends WSGIController {
  static tools: unknown = ['find']
  static resources: unknown = []
  static prompts: unknown = {}
  find() {
    return { found: true }
  }
  größe() {
    return {}
  }
  $x() {
    return {}
  }
  [long]() {
    return {}
  }
}

function appOf(statics: object, controller = 'cities', path = '/mcp') {
  class OwnController extends CitiesController {}
  Object.assign(OwnController, statics)
  return new FrameworkApp({
    map: new Mapper().connect('/cities/{action}', { controller }),
    controllers: { [controller]: OwnController },
    templates: { review: 'Review' },
    logger: { info() {}, warn() {}, error: (message) => void logged.push(message) },
    mcp: { path },
  })
}

const logged: string[] = []

async function ask(app: FrameworkApp, method: string, params: object = {}) {
  const message = { jsonrpc: '2.0', id: 1, method, params }
  return new TestApp(app, { errors: 'page' }).postJson('/mcp', message, { status: [200, 500] })
}

describe('a tool with a name of its own', () => {
  const app = appOf({
    tools: { find: { name: 'find_city' }, größe: { name: 'size' } },
    resources: { find: {} },
  })

  it('is listed and called by that name', async () => {
    const { tools } = Object((await ask(app, 'tools/list')).json()).result
    assert.deepEqual(
      tools.map(({ name }: { name: string }) => name),
      ['find_city', 'size'],
    )
    const called = await ask(app, 'tools/call', { name: 'find_city', arguments: {} })
    assert.match(called.text, /\\"found\\":true/)
  })

  it('has its usual name without one', async () => {
    const { resources } = Object((await ask(app, 'resources/list')).json()).result
    assert.equal(resources[0].name, 'cities_find')
  })
})

describe('a name that clients of language models refuse', () => {
  const cases: [what: string, statics: object, controller?: string][] = [
    ['an accented tool', { tools: ['größe'] }],
    ['a tool with a sign', { tools: ['$x'] }],
    ['a tool of 71 characters', { tools: [long] }],
    ['a tool of 65 characters by its controller', { tools: ['find'] }, `a${'c'.repeat(59)}`],
    ['a given name with a dot', { tools: { find: { name: 'cities.find' } } }],
    ['an empty name', { tools: { find: { name: '' } } }],
    ['a resource', { tools: [], resources: ['größe'] }],
    ['a prompt', { tools: [], prompts: { 'zum-Ärger': 'review' } }],
  ]
  for (const [what, statics, controller] of cases) {
    it(`is an error: ${what}`, async () => {
      logged.length = 0
      assert.equal((await ask(appOf(statics, controller), 'tools/list')).status, 500)
      assert.match(logged.join(), /clients of language models refuse/)
    })
  }

  it('is an error as the method of a service with the face mcp', async () => {
    class StockController extends RPCController {
      static faces = ['mcp', 'json'] as const
      größe() {
        return 1
      }
    }
    const app = new FrameworkApp({
      map: new Mapper().rpc('stock', '/stock'),
      controllers: { stock: StockController },
      logger: { info() {}, warn() {}, error: (message) => void logged.push(message) },
    })
    logged.length = 0
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    assert.match((await new TestApp(app).postJson('/stock/mcp', message)).text, /Internal error/)
    assert.equal((await new TestApp(app).postJson('/stock/größe', {})).text, '1')
    assert.match(logged.join(), /"größe" of größe\(\), which clients of language models refuse/)
  })

  for (const [what, statics, controller] of cases) {
    it(`is an error before serve() listens: ${what}`, async () => {
      await assert.rejects(serve(appOf(statics, controller), { signals: false }), {
        name: 'TypeError',
        message: /clients of language models refuse/,
      })
    })
  }

  it('is an error before serve() listens as the method of a service', async () => {
    const load = async () => ({
      StockController: class extends RPCController {
        static faces = ['mcp'] as const
        größe() {
          return 1
        }
      },
    })
    const app = new FrameworkApp({ map: new Mapper().rpc('stock', '/stock'), controllers: { stock: load } })
    await assert.rejects(serve(app, { signals: false }), /"größe" of größe\(\), which clients/)
  })

  it('is not looked for without the option mcp: no controller of actions is loaded', async () => {
    let loads = 0
    const load = async () => {
      loads += 1
      return { CitiesController }
    }
    const app = new FrameworkApp({
      map: new Mapper().connect('/cities', { controller: 'cities', action: 'find' }).connect('/{controller}/{action}'),
      controllers: { cities: load },
    })
    const server = await serve(app, { signals: false })
    await server.close()
    assert.equal(loads, 0)
  })

  it('is refused as a declaration of another form', async () => {
    for (const tools of [{ find: 'find_city' }, { find: { title: 'x' } }, 'find']) {
      logged.length = 0
      assert.equal((await ask(appOf({ tools }), 'tools/list')).status, 500)
      assert.match(logged.join(), /tools (?:has|is) /)
    }
  })
})
