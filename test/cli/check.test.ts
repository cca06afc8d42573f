import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { controller, project, routing } from '../wiring/project.ts'
import { bareProject, createdProject, propylon } from './command-line.ts'

describe('check', () => {
  const route = "connect('/users/{id}', { controller: 'users', action: 'show' })"
  let wrong: string
  let warned: string
  before(() => {
    wrong = project({
      'config/routing.ts': routing(route),
      'controllers/users.ts': controller(
        'UsersController',
        'show(id: number, nme = "x") { return { id, nme } }',
      ),
    })
    warned = project({
      'config/routing.ts': routing(route),
      'controllers/users.ts': controller('UsersController', 'show(id: string) { this.render(id) }'),
    })
  })

  test('prints one line for each mistake, with its place, and fails', async () => {
    const { status, stdout, stderr } = await propylon(['check'], { cwd: wrong })
    assert.deepEqual([status, stderr], [1, ''])
    const lines = stdout.trimEnd().split('\n')
    assert.equal(lines.length, 3)
    assert.match(
      lines[0] ?? '',
      /^controllers\/users\.ts:4:8 error: UsersController\.show\(\) .*"id" as number/,
    )
    assert.match(lines[1] ?? '', /^controllers\/users\.ts:4:20 error: UsersController\.show\(\) .*"nme"/)
    assert.equal(lines[2], '2 errors')
  })

  test('succeeds with warnings alone', async () => {
    const { status, stdout } = await propylon(['check'], { cwd: warned })
    assert.equal(status, 0)
    assert.match(stdout, /^controllers\/users\.ts:4:22 warning: UsersController\.show\(\) .*\n1 warning\n$/)
  })

  test('--json prints the findings as data', async () => {
    const { status, stdout } = await propylon(['check', '--json'], { cwd: wrong })
    assert.equal(status, 1)
    const [first] = JSON.parse(stdout)
    assert.deepEqual(
      { ...first, message: '', fix: '' },
      {
        code: 'argument-type',
        severity: 'error',
        file: 'controllers/users.ts',
        line: 4,
        column: 8,
        message: '',
        fix: '',
        controller: 'users',
        action: 'show',
        argument: 'id',
      },
    )
  })

  test('names the places of routes also if NODE_ENV is production', async () => {
    const cwd = project({ 'config/routing.ts': routing("connect('/', { controller: 'nobody' })") })
    const { status, stdout } = await propylon(['check'], { cwd, env: { NODE_ENV: 'production' } })
    assert.equal(status, 1)
    assert.match(stdout, /^config\/routing\.ts:4:\d+ error: .*"nobody"/)
  })

  test('reports an error of the application at its place, without a stack', async () => {
    const cwd = project({ 'config/routing.ts': "export const map = missing('no database')\n" })
    const { status, stdout, stderr } = await propylon(['check'], { cwd })
    assert.deepEqual([status, stderr], [1, ''])
    assert.match(
      stdout,
      /^config\/routing\.ts:1:20 error: app\.ts does not load: ReferenceError: missing is not defined\. .*\n1 error\n$/,
    )
  })

  test('needs a project with an application', async () => {
    const { status, stderr } = await propylon(['check'], { cwd: bareProject() })
    assert.equal(status, 2)
    assert.match(stderr, /has no app\.ts/)
  })
})

describe('a created project is wired correctly', () => {
  for (const options of [['--database', 'sqlite'], ['--login']]) {
    test(`with ${options.join(' ')}, and with a resource`, async () => {
      const cwd = await createdProject(...options)
      await propylon(['restcontroller', 'blog-post', 'admin/blog-posts', '--map'], { cwd })
      const { status, stdout, stderr } = await propylon(['check'], { cwd })
      assert.deepEqual([status, stderr], [0, ''], stdout)
    })
  }
})
