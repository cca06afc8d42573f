import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'

class PagesController extends WSGIController {
  index() {
    return 'index'
  }
  show(id = '', { length } = id) {
    return `${id}${length}`
  }
  takes_all({ ...all }: Record<string, unknown>) {
    return Object.keys(all).join()
  }
}

class HookedController extends WSGIController {
  __before__(site: string) {
    this.c.site = site
  }
  index() {
    return String(this.c.site)
  }
}

function makeApp(map: Mapper<unknown>, debug = true): { app: FrameworkApp; logged: string[] } {
  const logged: string[] = []
  const log = (message: string) => void logged.push(message)
  const controllers = { pages: PagesController, hooked: HookedController }
  return {
    app: new FrameworkApp({ map, controllers, debug, logger: { info: log, warn: log, error: log } }),
    logged,
  }
}

async function get(app: FrameworkApp, path: string, init: RequestInit = {}): Promise<string> {
  return (await app.fetch(new Request(`http://localhost${path}`, init))).text()
}

describe('at start, in debug mode', () => {
  it('unreachable routes are reported with the place of their definition', () => {
    const { logged } = makeApp(new Mapper().connect('/{controller}').connect('late', '/pages', { controller: 'pages' }))
    assert.match(logged.join('\n'), /late.*diagnosis\.test\.ts:\d+/s)
  })

  it('duplicate names are reported', () => {
    const { logged } = makeApp(new Mapper().connect('twice', '/a').connect('twice', '/b'))
    assert.match(logged.join('\n'), /twice/)
  })

  it('nothing is reported in production', () => {
    assert.deepEqual(makeApp(new Mapper().connect('twice', '/a').connect('twice', '/b'), false).logged, [])
  })
})

describe('when a controller is loaded, in debug mode', () => {
  for (const [languageFrom, reported] of [
    [['path', 'header'], false],
    [['header'], true],
  ] as const) {
    it(`the parameter language is ${reported ? 'reported' : 'not reported'} with languageFrom ${languageFrom.join()}`, async () => {
      const logged: string[] = []
      const log = (message: string) => void logged.push(message)
      const app = new FrameworkApp({
        map: new Mapper().connect('/{language}', { controller: 'pages', action: 'index' }),
        controllers: { pages: PagesController },
        debug: true,
        logger: { info: log, warn: log, error: log },
        messages: { en: {} },
        languages: ['en'],
        languageFrom,
      })
      await get(app, '/en')
      assert.equal(/has the parameter "language"/.test(logged.join()), reported, logged.join())
    })
  }

  const rows: [path: string, url: string, options: { controller: string; action: string }, reported: boolean][] = [
    ['/pages/{id}', '/pages/7', { controller: 'pages', action: 'index' }, true],
    ['/all/{id}', '/all/7', { controller: 'pages', action: 'takes_all' }, false],
    ['/hooked/{site}', '/hooked/x', { controller: 'hooked', action: 'index' }, false],
    ['/pages/x{.format}', '/pages/x', { controller: 'pages', action: 'index' }, false],
    ['/rest/{path_info:.*}', '/rest/x', { controller: 'pages', action: 'index' }, false],
  ]
  for (const [path, url, options, reported] of rows) {
    it(`${path} to ${options.action} is ${reported ? 'reported: the parameter is not used' : 'not reported'}`, async () => {
      const { app, logged } = makeApp(new Mapper().connect('route', path, options))
      await get(app, url)
      assert.equal(/has the parameter "id", which PagesController.index does not take/.test(logged.join()), reported)
    })
  }
})

describe('a controller whose declaration is wrong, in debug mode', () => {
  it('is reported by one line when it is loaded', async () => {
    class WrongController extends WSGIController {
      static statuses = { index: 404 }
      index() {
        return 'index'
      }
    }
    const warned: string[] = []
    const logger = { info() {}, warn: (message: string) => void warned.push(message), error() {} }
    const map = new Mapper().connect('/', { controller: 'wrong', action: 'index' })
    await get(new FrameworkApp({ map, controllers: { wrong: WrongController }, debug: true, logger }), '/')
    assert.deepEqual(warned, ['WrongController.statuses.index is 404. Write a status from 200 to 299.'])
  })
})

describe('the 404 page', () => {
  const map = () =>
    new Mapper().connect('user', '/users/{id:\\d+}', {
      controller: 'pages',
      action: 'index',
      conditions: { method: 'GET' },
    })

  it('lists the nearest routes and the condition that failed, in debug mode', async () => {
    const text = await get(makeApp(map()).app, '/users/joe')
    assert.match(text, /No route matches GET \/users\/joe\. The nearest routes:\s+user \/users\/\{id:\\d\+\}/)
  })

  it('escapes the path', async () => {
    const text = await get(makeApp(map()).app, '/users/<b>', { headers: { accept: 'text/html' } })
    assert.doesNotMatch(text, /<b>/)
  })

  it('lists no routes in production', async () => {
    assert.doesNotMatch(await get(makeApp(map(), false).app, '/users/joe'), /nearly/)
  })
})
