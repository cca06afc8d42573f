import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { project, routing } from '../check/project.ts'
import { createdProject, propylon } from './command-process.ts'

describe('routes --guards', () => {
  let cwd: string
  before(() => {
    cwd = project({
      'app.ts': `import { FrameworkApp } from 'propylon'
import { map } from './config/routing.ts'

const controllers = new URL('./controllers/', import.meta.url)
export default new FrameworkApp({ map, controllers, mcp: { path: '/tools' }, openapi: { title: 'Users', version: '1' } })
`,
      'config/routing.ts': routing(
        "resource('user', 'users', { only: ['index', 'create', 'show', 'delete'] })",
        "connect('/login', { controller: 'login', action: 'index' })",
        "connect('/login/send', { controller: 'login', action: 'send', conditions: { method: 'POST' } })",
        "connect('/demo', { controller: 'demo' })",
        "connect('/{controller}/{action}')",
      ),
      'lib/base.ts': "export { WSGIController as BaseController } from 'propylon'\n",
      'lib/members.ts': `import { abort, WSGIController } from 'propylon'

export class MembersController extends WSGIController {
  __before__(environ: object) { if (this.request.method === 'POST') abort(403, String(environ)) }
}
`,
      'controllers/users.ts': `import { int, optional, string } from 'propylon/converters'
import { decorate, jsonify, restrict } from 'propylon/decorators'
import { BaseController } from '../lib/base.ts'

export class UsersController extends BaseController {
  static tools = ['create']
  static resources = ['index']
  static results = { show: string, hidden: string }
  static args = { index: { page: optional(int, 1) } }
  index(page: number, format = 'html') { return { page, format } }
  create() { return null }
  show(id: string) { return id }
  hidden() { return '' }
  delete(id: string) { return id }
  __after__() {}

  static {
    decorate(this, { create: [jsonify], delete: [restrict('DELETE'), jsonify] })
  }
}
`,
      'controllers/login.ts':
        "import { MembersController } from '../lib/members.ts'\n\nexport class LoginController extends MembersController {\n  index() { return 'x' }\n  send() { return 'y' }\n}\n",
      'controllers/demo.ts':
        "import { JSONRPCController } from 'propylon'\n\nexport class DemoController extends JSONRPCController {\n  add(a: number, b: number) { return a + b }\n}\n",
    })
  })

  test('shows arguments with converters, hooks and decorators', async () => {
    const { status, stdout, stderr } = await propylon(['routes', '--guards'], { cwd })
    assert.deepEqual([status, stderr], [0, ''])
    assert.match(stdout, /^Name +Methods +Path +Controller +Action +Hooks +Decorators$/m)
    assert.match(stdout, /^users +GET +\/users +users +index\(page: optional\(int, 1\), format\) +__after__$/m)
    assert.match(stdout, /DELETE +\/users\/\{id\} +users +delete\(id\) +__after__ +restrict\('DELETE'\) jsonify$/m)
    assert.match(stdout, /POST +\/login\/send +login +send +__before__$/m)
  })

  test('lists the actions that unsafe methods reach without a guard', async () => {
    const { stdout } = await propylon(['routes', '--guards'], { cwd })
    assert.deepEqual(
      stdout.split('\n').filter((line) => line.startsWith('no guard:')),
      [
        'no guard: demo (POST)',
        'no guard: users.create (POST)',
        'no guard: any method reaches users.index, users.show, users.hidden',
      ],
    )
  })

  test('lists who reaches each action', async () => {
    const { stdout } = await propylon(['routes', '--guards'], { cwd })
    assert.match(stdout, /^Action +Guards +Reached by$/m)
    assert.match(stdout, /^demo +JSON-RPC POST \/demo; /m)
    assert.match(stdout, /^users\.create +route POST \/users\.{format}; .*; route POST \/{controller}\/{action}; /m)
    assert.match(stdout, /^users\.delete +restrict\('DELETE'\) +.*; route DELETE \/{controller}\/{action}$/m)
    assert.match(stdout, /^users\.show +route GET .*; route any \/{controller}\/{action}; client /m)
    assert.match(stdout, /^users\.create .*; tool \/tools$/m)
    assert.match(stdout, /^users\.index .*; resource \/tools$/m)
    assert.match(stdout, /^users\.show .*; client \/openapi\.json$/m)
    assert.match(stdout, /^users\.hidden +route any \/{controller}\/{action}$/m)
    assert.match(stdout, /^login\.send +__before__ +route POST \/login\/send; /m)
  })

  test('prints both as JSON', async () => {
    const { stdout } = await propylon(['routes', '--guards', '--json', 'users', 'POST'], { cwd })
    const row = JSON.parse(stdout).at(-1)
    assert.deepEqual(
      [row.path, row.arguments, row.hooks, row.decorators, row.guards, row.unguarded],
      ['/users', [], ['__after__'], ['jsonify'], [], true],
    )
  })

  test('prints the actions that each route reaches as JSON', async () => {
    const { stdout } = await propylon(['routes', '--guards', '--json', '{action}'], { cwd })
    const [row] = JSON.parse(stdout)
    const reaches: { action: string }[] = row.reaches
    assert.deepEqual(
      reaches.filter(({ action }) => !action.startsWith('login.')),
      [
        { action: 'demo', methods: null },
        { action: 'users.index', methods: null },
        { action: 'users.create', methods: ['POST'] },
        { action: 'users.show', methods: null },
        { action: 'users.hidden', methods: null },
        { action: 'users.delete', methods: ['DELETE'] },
      ],
    )
  })

  test('the help says what a guard is', async () => {
    const { stdout } = await propylon(['routes', '--help'], { cwd })
    assert.match(stdout, /A guard can refuse a request before the action runs/)
  })
})

/** Members of a controller, and whether its hook can refuse. */
const HOOKS: readonly (readonly [title: string, isGuard: boolean, members: string])[] = [
  ['a hook that only stores', false, '__before__() { this.c.user = 1 }'],
  ['a hook that stores a function', false, '__before__() { this.c.refuse = () => abort(403) }'],
  ['throw', true, '__before__() { if (this.c.x) throw new Error("no") }'],
  ['throw that is caught', false, '__before__() { try { throw new Error("no") } catch { this.c.x = 1 } }'],
  ['throw in catch', true, '__before__() { try { this.c.x = 1 } catch (error) { throw error } }'],
  ['abort', true, '__before__() { abort(403) }'],
  ['abort under another name', true, '__before__() { stop(403) }'],
  ['abort of the application, which refuses nothing', false, '__before__() { own.abort(403) }'],
  ['redirect', true, '__before__() { redirect("/login") }'],
  ['an exception that is returned, which the framework ignores', false, '__before__() { return new HTTPForbidden() }'],
  ['a promise that rejects', true, '__before__() { return Promise.reject(new HTTPForbidden()) }'],
  ['a method', true, '__before__() { this._require() }\n  _require() { abort(403) }'],
  ['a method that refuses nothing', false, '__before__() { this._load() }\n  _load() { this._load() }'],
  ['a private method', true, '__before__() { this.#require() }\n  #require() { abort(403) }'],
  ['a getter', true, '__before__() { this.c.user = this.user }\n  get user() { return redirect("/login") }'],
  [
    'a method that is passed on',
    true,
    '__before__() { return Promise.resolve().then(this._require) }\n  _require() { abort(403) }',
  ],
  ['a function of the project', true, '__before__() { requireLogin() }'],
  ['a function of the project that calls another', true, '__before__() { first() }'],
  ['a function of an object', true, '__before__() { own.require() }'],
  ['a static method', true, '__before__() { Auth.require() }'],
  [
    'a hook of the base class',
    true,
    'async __before__() { await super.__before__() }\n  async _require() { abort(403) }',
  ],
  ['an inherited hook', true, 'async _require() { abort(403) }'],
]

describe('a hook counts as a guard only if it can refuse', () => {
  let guards: ReadonlyMap<string, readonly string[]>
  before(async () => {
    const base = `import { WSGIController } from 'propylon'

export class BaseController extends WSGIController {
  async __before__() { await this._require() }
  async _require() {}
}
`
    const lib = `import { abort } from 'propylon'

export function requireLogin() { abort(403) }
export const first = () => requireLogin()
export const own = { abort(status: number) { return status }, require() { requireLogin() } }
export class Auth { static require() { requireLogin() } }
`
    const controllers = HOOKS.map(([, , hook], index) => [
      `controllers/c${index}.ts`,
      `import { abort, abort as stop, HTTPForbidden, redirect } from 'propylon'
import { BaseController } from '../lib/base.ts'
import { Auth, first, own, requireLogin } from '../lib/auth.ts'

export class C${index}Controller extends BaseController {
  ${hook}
  send() { return 'x' }
}
`,
    ])
    const routes = HOOKS.map((_, index) => `connect('/${index}', { controller: 'c${index}', action: 'send' })`)
    const cwd = project({
      'config/routing.ts': routing(...routes),
      'lib/base.ts': base,
      'lib/auth.ts': lib,
      ...Object.fromEntries(controllers),
    })
    const { stdout } = await propylon(['routes', '--guards', '--json'], { cwd })
    const rows: { controller: string; guards: string[] }[] = JSON.parse(stdout)
    guards = new Map(rows.map((row) => [row.controller, row.guards]))
  })

  for (const [index, [title, isGuard]] of HOOKS.entries()) {
    test(`${isGuard ? '' : 'not '}${title}`, () => {
      assert.deepEqual(guards.get(`c${index}`), isGuard ? ['__before__'] : [])
    })
  }
})

test('the base class of a project with a login, which refuses nothing, is not a guard', async () => {
  const lists: string[][] = []
  for (const options of [['--database', 'sqlite'], ['--login']]) {
    const cwd = await createdProject(...options)
    await propylon(['restcontroller', 'book', 'books', '--route'], { cwd })
    const file = join(cwd, 'controllers/books.ts')
    const lines = readFileSync(file, 'utf8').split('\n')
    writeFileSync(file, lines.filter((line) => !line.includes('_requireUser()')).join('\n'))
    const { stdout } = await propylon(['routes', '--guards'], { cwd })
    lists.push(stdout.match(/^no guard: books.*$|books\.\w+(?=,|$)/gm) ?? [])
  }
  assert.ok((lists[0]?.length ?? 0) >= 3, String(lists[0]))
  assert.deepEqual(lists[1], lists[0])
})
