/** Every guarded action is tried by HTTP, as a tool and as a resource. What one refuses, the others refuse. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { abort, FrameworkApp, HTTPForbidden, Mapper, type Middleware, redirect, WSGIController } from 'propylon'
import { int, list, number, optional, string } from 'propylon/converters'
import { authenticateForm, decorate, restrict } from 'propylon/decorators'
import { basicAuth, limit } from 'propylon/middleware'
import { RPCController } from 'propylon/rpc'
import { TestApp } from 'propylon/testing'
import { messageOf, modern } from './library.ts'

/** Names of the actions that ran. */
const ran: string[] = []

class GuardedController extends WSGIController {
  static tools = ['index', 'change']
  static resources = ['index']

  index() {
    ran.push('index')
    return { secret: true }
  }

  change() {
    ran.push('change')
    return { secret: true }
  }
}

const isOpened = (controller: WSGIController) => controller.request.header('x-token') === 'good'

class HookController extends GuardedController {
  __before__() {
    if (!isOpened(this)) abort(401)
  }
}

class ForbiddenController extends GuardedController {
  __before__() {
    if (!isOpened(this)) throw new HTTPForbidden()
  }
}

class HiddenController extends GuardedController {
  __before__() {
    if (!isOpened(this)) abort(404)
  }
}

class RedirectController extends GuardedController {
  __before__() {
    if (!isOpened(this)) redirect('/login')
  }
}

/** Guards by the name of the action. */
class NamedController extends GuardedController {
  __before__(action: string) {
    if ((action === 'index' || action === 'change') && !isOpened(this)) abort(401)
  }
}

/** Guards every request, around the hooks. */
class CallController extends GuardedController {
  override __call__(...call: Parameters<WSGIController['__call__']>) {
    const [environ] = call
    if (environ.HTTP_X_TOKEN !== 'good') return new HTTPForbidden().wsgi(...call)
    return super.__call__(...call)
  }
}

class SessionController extends GuardedController {
  __before__() {
    if (this.session.get('user') !== 'joe' && !isOpened(this)) abort(401)
  }
}

class DecoratedController extends WSGIController {
  static tools = ['index', 'change']
  static resources = ['index']

  index() {
    ran.push('index')
    return {}
  }

  change() {
    ran.push('change')
    return {}
  }

  static {
    decorate(this, { index: [restrict('DELETE')], change: [authenticateForm] })
  }
}

/** Guarded by middleware that compares the path. */
class PathController extends GuardedController {}

/** Guarded by its routes: no request with the host of the test matches. */
class ElsewhereController extends GuardedController {}

const guardPath: Middleware = (app) => (environ, start_response) => {
  const isGuarded = environ.PATH_INFO.startsWith('/path') && environ.HTTP_X_TOKEN !== 'good'
  if (isGuarded) throw new HTTPForbidden()
  return app(environ, start_response)
}

const controllers = {
  hook: HookController,
  forbidden: ForbiddenController,
  hidden: HiddenController,
  redirect: RedirectController,
  named: NamedController,
  call: CallController,
  session: SessionController,
  decorated: DecoratedController,
  path: PathController,
  elsewhere: ElsewhereController,
}

const map = new Mapper()
for (const controller of Object.keys(controllers)) {
  const isElsewhere = { function: () => controller !== 'elsewhere' }
  map.connect(`/${controller}`, { controller, conditions: { method: 'GET', ...isElsewhere } })
  map.connect(`/${controller}/change`, {
    controller,
    action: 'change',
    conditions: { method: 'POST', ...isElsewhere },
  })
}

const app = new FrameworkApp({
  map,
  controllers,
  session: { secret: 'a secret of the test that is long enough' },
  middleware: [guardPath],
  logger: { info() {}, warn() {}, error() {} },
  mcp: {},
})

type Outcome = 'ran' | 'refused' | number

function outcomeOf(status: number, isError: boolean): Outcome {
  if (status === 401 || status === 403) return status
  return isError || status >= 300 ? 'refused' : 'ran'
}

describe('an action', () => {
  const credentials: Record<string, string>[] = [
    {},
    { 'X-Token': 'wrong' },
    { 'X-Token': 'good' },
    { 'X-Token': 'good', Origin: 'https://evil.example' },
    { 'X-Token': 'good', 'Sec-Fetch-Site': 'cross-site' },
    { Cookie: 'session=forged' },
    { 'X-Token': 'good', 'X-HTTP-Method-Override': 'GET' },
  ]
  for (const controller of Object.keys(controllers)) {
    for (const action of ['index', 'change']) {
      for (const headers of credentials) {
        it(`${controller}.${action} answers a tool as it answers HTTP with ${JSON.stringify(headers)}`, async () => {
          const client = new TestApp(app, { errors: 'page' })
          ran.length = 0
          const json = { Accept: 'application/json', ...headers }
          const direct =
            action === 'index'
              ? await client.get(`/${controller}`, { headers: json })
              : await client.postJson(`/${controller}/change`, {}, { headers: json })
          const expected = outcomeOf(direct.status, false)
          assert.equal(ran.length > 0, expected === 'ran')

          ran.length = 0
          const tool = await modern(app, 'tools/call', { name: `${controller}_${action}` }, { headers })
          const isRefused = tool.status === 200 && messageOf(tool).result.isError === true
          const called = outcomeOf(tool.status, isRefused)
          // The server itself refuses pages of other sites, also for an action that reads.
          if (headers.Origin !== undefined || headers['Sec-Fetch-Site'] !== undefined) {
            assert.equal(called, 403)
          } else assert.equal(called, expected)
          assert.equal(ran.length > 0, called === 'ran')

          if (action !== 'index' || called === 403) return
          ran.length = 0
          const uri = `http://localhost/${controller}`
          const read = await modern(app, 'resources/read', { uri }, { headers })
          assert.equal(outcomeOf(read.status, messageOf(read).error !== undefined), expected)
          assert.equal(ran.length > 0, expected === 'ran')
        })
      }
    }
  }
})

describe('middleware around the server', () => {
  it('guards the server and the calls', async () => {
    const closed = new FrameworkApp({
      map: new Mapper().connect('/{controller}/{action}'),
      controllers: { hook: PathController },
      middleware: [basicAuth((user, password) => user === 'joe' && password === 'good')],
      mcp: {},
    })
    assert.equal((await modern(closed, 'tools/list')).status, 401)
    const headers = { Authorization: `Basic ${btoa('joe:good')}` }
    const call = await modern(closed, 'tools/call', { name: 'hook_index' }, { headers })
    assert.equal(messageOf(call).result.isError, undefined)
    assert.equal(call.status, 200)
  })

  it('counts each call as a request', async () => {
    const limited = new FrameworkApp({
      map: new Mapper().connect('/path', { controller: 'path' }).connect('/{controller}/{action}'),
      controllers: { path: PathController },
      middleware: [limit({ max: 3, window: 60 })],
      mcp: {},
    })
    const call = () => modern(limited, 'tools/call', { name: 'path_index' })
    assert.equal((await call()).status, 200)
    const second = messageOf(await call())
    assert.equal(second.result.isError, true)
    assert.equal((await call()).status, 429)
  })
})

describe('a method of a service', () => {
  class VaultController extends RPCController {
    static faces = ['json', 'mcp']

    __before__(action: string) {
      if (action === 'open_vault' && this.request.header('x-token') !== 'good') abort(403)
    }

    open_vault() {
      ran.push('open_vault')
      return {}
    }
  }
  const vault = new FrameworkApp({
    map: new Mapper().rpc('vault', '/vault'),
    controllers: { vault: VaultController },
  })
  for (const token of ['wrong', 'good']) {
    it(`answers a tool as it answers plain JSON with the token ${token}`, async () => {
      const headers = { 'X-Token': token }
      ran.length = 0
      const direct = await new TestApp(vault).postJson('/vault/open_vault', {}, { headers })
      const directRan = ran.splice(0).length
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'open_vault' } }
      const called = await new TestApp(vault).postJson('/vault/mcp', message, { headers })
      assert.equal(called.status, direct.status)
      assert.equal(ran.length, directRan)
    })
  }
})

describe('a hook with converters of its own', () => {
  const seen: unknown[] = []
  const shared = optional(list(string))
  class CitiesController extends WSGIController {
    static tools = ['show', 'find']
    static args = {
      __before__: { id: optional(string), near: optional(string), names: shared },
      show: { id: int },
      find: { near: number, names: shared },
    }
    __before__(id?: string, near?: string, names?: readonly string[]) {
      seen.push(id, near, names)
    }
    show(id: number) {
      return { id }
    }
    find(near: number, names?: readonly string[]) {
      return { near, names }
    }
  }
  const cities = new FrameworkApp({
    map: new Mapper()
      .connect('/cities/{id}', { controller: 'cities', action: 'show' })
      .connect('/cities', { controller: 'cities', action: 'find' }),
    controllers: { cities: CitiesController },
    mcp: {},
  })
  for (const [name, values, expected] of [
    ['show', { id: 3 }, ['3', undefined, undefined]],
    ['find', { near: 1e-7, names: ['a,b'] }, [undefined, '1e-7', ['a,b']]],
    ['find', { near: 5, names: [] }, [undefined, '5', []]],
  ] as const) {
    it(`receives from a tool what it receives from a URL: ${JSON.stringify(values)}`, async () => {
      seen.length = 0
      const params = { name: `cities_${name}`, arguments: values }
      const called = await new TestApp(cities).postJson('/mcp', {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params,
      })
      assert.deepEqual(JSON.parse(JSON.parse(called.text).result.content[0].text), values)
      assert.deepEqual(seen, expected)
    })
  }
})
