import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { project, routing } from '../wiring/project.ts'
import { propylon } from './command-line.ts'

describe('routes --guards', () => {
  let cwd: string
  before(() => {
    cwd = project({
      'config/routing.ts': routing(
        "resource('user', 'users', { only: ['index', 'create', 'show', 'delete'] })",
        "connect('/login', { controller: 'login', action: 'index' })",
        "connect('/login/send', { controller: 'login', action: 'send', conditions: { method: 'POST' } })",
        "connect('/demo', { controller: 'demo' })",
        "connect('/{controller}/{action}')",
      ),
      'lib/base.ts': "export { WSGIController as BaseController } from 'propylon'\n",
      'lib/members.ts': `import { WSGIController } from 'propylon'

export class MembersController extends WSGIController {
  __before__(environ: object) { this.c.environ = environ }
}
`,
      'controllers/users.ts': `import { int, optional } from 'propylon/converters'
import { decorate, jsonify, restrict } from 'propylon/decorators'
import { BaseController } from '../lib/base.ts'

export class UsersController extends BaseController {
  static args = { index: { page: optional(int, 1) } }
  index(page: number, format = 'html') { return { page, format } }
  create() { return null }
  show(id: string) { return id }
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
    assert.match(
      stdout,
      /^users +GET +\/users +users +index\(page: optional\(int, 1\), format\) +__after__$/m,
    )
    assert.match(
      stdout,
      /DELETE +\/users\/\{id\} +users +delete\(id\) +__after__ +restrict\('DELETE'\) jsonify$/m,
    )
    assert.match(stdout, /POST +\/login\/send +login +send +__before__$/m)
  })

  test('lists the actions that unsafe methods reach without a guard', async () => {
    const { stdout } = await propylon(['routes', '--guards'], { cwd })
    assert.deepEqual(
      stdout.split('\n').filter((line) => line.startsWith('no guard:')),
      [
        'no guard: demo (POST)',
        'no guard: users.create (POST)',
        'no guard: any method reaches users.index, users.show',
      ],
    )
  })

  test('prints both as JSON', async () => {
    const { stdout } = await propylon(['routes', '--guards', '--json', 'users', 'POST'], { cwd })
    const row = JSON.parse(stdout).at(-1)
    assert.deepEqual(
      [row.path, row.arguments, row.hooks, row.decorators, row.guards, row.unguarded],
      ['/users', [], ['__after__'], ['jsonify'], [], true],
    )
  })

  test('the help says what a guard is', async () => {
    const { stdout } = await propylon(['routes', '--help'], { cwd })
    assert.match(stdout, /A guard can refuse a request.*__before__.*decorators/s)
  })
})
