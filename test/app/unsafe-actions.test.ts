import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { body } from 'propylon/converters'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'

class ToolsController extends WSGIController {
  index() {
    return 'index'
  }
  lend() {
    return `lend by ${this.request.method}`
  }
  give_back() {
    return 'give back'
  }
  both() {
    return 'both'
  }
  free() {
    return 'free'
  }
}

class ResourceController extends WSGIController {
  new() {
    return 'form'
  }
}

class ReportsController extends WSGIController {
  index() {
    return 'reports'
  }
}

class NotesController extends WSGIController {
  static args = { keep: { note: body(v.object({ text: v.string() })) } }

  keep(note: { text: string }) {
    return note.text
  }
  read() {
    return 'a note'
  }
}

const POST = { conditions: { method: 'POST' } }

const map = new Mapper()
  .connect('lend', '/tools/{id}/lend', { controller: 'tools', action: 'lend', ...POST })
  .connect('/back/{id}', {
    controller: 'tools',
    action: 'give-back',
    conditions: { method: ['PUT', 'DELETE'] },
  })
  .connect('/both', { controller: 'tools', action: 'both', ...POST })
  .connect('/both', { controller: 'tools', action: 'both', conditions: { method: 'GET' } })
  .connect('/free', { controller: 'tools', action: 'free' })
  .connect('/make-report', { controller: 'reports', action: 'index', ...POST })
  .connect('/any-lend', { controller: 'tools', action: 'lend' })
  .connect('/{controller}')
  .connect('/{controller}/{action}{.format}')
  .connect('/{controller}/{action}/{id}')

const clientOf = (debug: boolean) =>
  new TestApp(
    new FrameworkApp({
      map,
      controllers: { tools: ToolsController, reports: ReportsController, notes: NotesController },
      debug,
      logger: { info() {}, warn() {}, error() {} },
    }),
  )

describe('an action that routes give methods that change things', () => {
  const client = clientOf(false)
  for (const [method, path, status, allow] of [
    ['POST', '/tools/7/lend', 200, null],
    ['POST', '/tools/lend', 200, null],
    ['POST', '/any-lend', 200, null],
    ['GET', '/tools/lend', 405, 'OPTIONS, POST'],
    ['HEAD', '/tools/lend', 405, 'OPTIONS, POST'],
    ['PUT', '/tools/lend', 405, 'OPTIONS, POST'],
    ['PROPFIND', '/tools/lend', 405, 'OPTIONS, POST'],
    ['QUERY', '/tools/lend', 405, 'OPTIONS, POST'],
    ['GET', '/tools/lend/7', 405, 'OPTIONS, POST'],
    ['GET', '/tools/lend.json', 405, 'OPTIONS, POST'],
    ['GET', '/tools/%6Cend', 405, 'OPTIONS, POST'],
    ['GET', '/any-lend', 405, 'OPTIONS, POST'],
    ['OPTIONS', '/tools/lend', 204, 'OPTIONS, POST'],
    ['GET', '/tools/give-back', 405, 'DELETE, OPTIONS, PUT'],
    ['GET', '/tools/give_back', 405, 'DELETE, OPTIONS, PUT'],
    ['POST', '/tools/give_back', 405, 'DELETE, OPTIONS, PUT'],
    ['DELETE', '/tools/give_back', 200, null],
    ['GET', '/reports', 405, 'OPTIONS, POST'],
    ['POST', '/reports', 200, null],
    ['GET', '/tools', 200, null],
    ['GET', '/tools/both', 200, null],
    ['PUT', '/tools/both', 200, null],
    ['GET', '/tools/free', 200, null],
    ['GET', '/notes/keep', 405, 'DELETE, OPTIONS, PATCH, POST, PUT'],
    ['GET', '/notes/read', 200, null],
    ['GET', '/notes/missing', 404, null],
  ] as const) {
    it(`is answered with ${status} to ${method} ${path}`, async () => {
      const response = await client.request(method, path)
      assert.equal(response.status, status)
      assert.equal(response.headers.get('allow'), allow)
    })
  }

  it('names the rule of resources in debug mode', async () => {
    const map = new Mapper().resource('tool', 'tools').connect('/{controller}/{action}')
    for (const debug of [true, false]) {
      const app = new FrameworkApp({
        map,
        controllers: { tools: ResourceController },
        debug,
        logger: { info() {}, warn() {}, error() {} },
      })
      const response = await new TestApp(app).post('/tools/new')
      assert.equal(response.status, 405)
      assert.equal(response.text.includes('The route /{controller}/{action} would run tools.new'), debug)
    }
  })

  it('names the rule in debug mode', async () => {
    const response = await clientOf(true).get('/tools/lend')
    assert.equal(response.status, 405)
    assert.match(response.text, /routes that name tools\.lend give it POST only/)
    assert.match(response.text, /add a route that names it/)
  })
})

describe('TRACE', () => {
  const traced = new Mapper()
    .connect('/traced', { controller: 'tools', action: 'free', conditions: { method: 'TRACE' } })
    .connect('/lend', { controller: 'tools', action: 'lend', ...POST })
    .connect('/{controller}/{action}')
  const client = new TestApp(new FrameworkApp({ map: traced, controllers: { tools: ToolsController } }))
  for (const [path, status, allow] of [
    ['/tools/index', 405, 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'],
    ['/tools/lend', 405, 'OPTIONS, POST'],
    ['/traced', 200, null],
  ] as const) {
    it(`of ${path} is ${status}`, async () => {
      const response = await client.request('TRACE', path)
      assert.equal(response.status, status)
      assert.equal(response.headers.get('allow'), allow)
    })
  }
})

describe('a route that names an action of any controller', () => {
  class AnyController extends WSGIController {
    delete() {
      return 'deleted'
    }
  }
  const app = new FrameworkApp({
    map: new Mapper()
      .connect('/{controller}/delete/{id}', {
        action: 'delete',
        requirements: { controller: 'tools|admin/tools' },
        ...POST,
      })
      .connect('/{controller}/{action}')
      .connect('/{controller}/{action}/{id}'),
    controllers: { tools: AnyController, 'admin/tools': AnyController, trash: AnyController },
    debug: false,
  })
  for (const [method, path, status] of [
    ['POST', '/tools/delete/7', 200],
    ['GET', '/tools/delete/7', 405],
    ['GET', '/tools/d%65lete', 405],
    ['HEAD', '/admin/tools/delete', 405],
    ['PROPFIND', '/tools/delete', 405],
    ['GET', '/trash/delete/7', 200],
  ] as const) {
    it(`answers ${method} ${path} with ${status}`, async () => {
      const response = await app.fetch(new Request(`http://localhost${path}`, { method }))
      assert.equal(response.status, status)
    })
  }
})
