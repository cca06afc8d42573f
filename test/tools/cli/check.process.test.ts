import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { controller, project, routing } from '../check/project.ts'
import { typedProject } from '../check/typed-project.ts'
import { bareProject, propylonHere } from './command-line.ts'
import { createdProject, propylon } from './command-process.ts'

const RIGHT = 'Routes, controllers, actions and arguments fit together.\n'
const UNTYPED = 'Types were not checked: the project has no tsconfig.json.\n'

describe('check', () => {
  const route = "connect('/users/{id}', { controller: 'users', action: 'show' })"
  let wrong: string
  let warned: string
  before(() => {
    wrong = typedProject({
      'config/routing.ts': routing(route),
      'controllers/users.ts': controller('UsersController', 'show(id: number, nme = "x") { return { id, nme } }'),
    })
    warned = typedProject({
      'config/routing.ts': routing(route.replace("'/", "'user', '/"), route.replace("'/users", "'user', '/people")),
      'controllers/users.ts': controller('UsersController', 'show(id: string) { return id }'),
    })
  })

  test('checks an application in a folder of a package', async () => {
    const folder = project({
      'site/app.ts': 'export { default } from "../app.ts"\n',
      'site/controllers/.keep': '',
      'config/routing.ts': routing("connect('/', { controller: 'pages', action: 'index' })"),
      'controllers/pages.ts': controller('PagesController', "index() { return '' }"),
    })
    const { status, stdout } = await propylonHere(['check'], `${folder}/site`)
    assert.deepEqual([status, stdout], [0, RIGHT + UNTYPED])
  })

  test('prints one line for each mistake, with its place, and fails', async () => {
    const { status, stdout, stderr } = await propylon(['check'], { cwd: wrong })
    assert.deepEqual([status, stderr], [1, ''])
    const lines = stdout.trimEnd().split('\n')
    assert.equal(lines.length, 3)
    assert.match(lines[0] ?? '', /^controllers\/users\.ts:4:8 error: UsersController\.show\(\) .*"id" as number/)
    assert.match(lines[1] ?? '', /^controllers\/users\.ts:4:20 error: UsersController\.show\(\) .*"nme"/)
    assert.equal(lines[2], '2 errors')
  })

  test('succeeds with warnings alone', async () => {
    const { status, stdout } = await propylon(['check'], { cwd: warned })
    assert.equal(status, 0)
    assert.match(stdout, /^config\/routing\.ts:5:4 warning: The route "user" .*\n1 warning\n$/)
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

  test('reports nothing that the fallback answers', async () => {
    const files = {
      'config/routing.ts': routing(
        "resource('book', 'books')",
        "connect('/old', { controller: 'old_pages', action: 'index' })",
        "connect('/{controller}/legacy', { action: 'legacy' })",
      ),
      'controllers/books.ts': controller('BooksController', 'index() { return "books" }'),
      'app.ts': `import { FrameworkApp } from 'propylon'
import { map } from './config/routing.ts'

const controllers = new URL('./controllers/', import.meta.url)
export default new FrameworkApp({ map, controllers, fallback: () => [] })
`,
    }
    const { status, stdout } = await propylon(['check'], { cwd: project(files) })
    assert.deepEqual([status, stdout.split('\n')[0]], [0, RIGHT.trim()])
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

  test('names the rule at the end of each line', async () => {
    const { stdout } = await propylon(['check'], { cwd: wrong })
    assert.match(stdout, /^.* \[argument-type\]\n.* \[argument-not-supplied\]\n2 errors\n$/)
  })

  test('reads .env, as serve does, and keeps variables that are set', async () => {
    const cwd = project({
      '.env': 'SECRET=from-file\nOTHER=from-file\n',
      'config/routing.ts': `import { env, Mapper } from 'propylon'
import { string } from 'propylon/converters'

const { SECRET, OTHER } = env({ SECRET: string, OTHER: string })
if (SECRET !== 'from-file' || OTHER !== 'set') throw new Error(SECRET + OTHER)

export const map = new Mapper()
`,
    })
    const { status, stdout } = await propylon(['check'], { cwd, env: { OTHER: 'set' } })
    assert.deepEqual([status, stdout], [0, RIGHT + UNTYPED])
  })

  test('lists the actions that only the default routes reach', async () => {
    const cwd = project({
      'config/routing.ts': routing(
        "connect('/users/{id}', { controller: 'users', action: 'show' })",
        "connect('/{controller}/{action}')",
      ),
      'controllers/users.ts': controller(
        'UsersController',
        'show(id = "") { return id }',
        'list() { return "x" }',
        '_part() { return "x" }',
      ),
    })
    const { status, stdout } = await propylon(['check'], { cwd })
    assert.deepEqual(
      [status, stdout],
      [0, `${RIGHT}Only the default routes reach users.list. This is not an error.\n${UNTYPED}`],
    )
  })

  test('says that types were not checked without TypeScript', async () => {
    const cwd = project({
      'tsconfig.json': '{}',
      'config/routing.ts': routing(route),
      'controllers/users.ts': controller('UsersController', 'show(id: number) { return { id } }'),
    })
    const { status, stdout } = await propylon(['check'], { cwd })
    assert.deepEqual(
      [status, stdout],
      [0, `${RIGHT}Types were not checked: TypeScript is not installed in the project.\n`],
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
      await propylon(['restcontroller', 'blog-post', 'admin/blog-posts', '--route'], { cwd })
      const { status, stdout, stderr } = await propylon(['check'], { cwd })
      assert.deepEqual([status, stderr], [0, ''], stdout)
    })
  }
})

describe('check ends although the application waits', () => {
  const socket = "import net from 'node:net'\nconst server = net.createServer().listen(0, '127.0.0.1')\n"
  const never = 'await new Promise(() => {})'
  const hello = {
    'config/routing.ts': `import '../lib/connect.ts'\n${routing("connect('/', { controller: 'pages' })")}`,
    'controllers/pages.ts': controller('PagesController', 'index() { return "Hello" }'),
  }

  const connect = `import net from 'node:net'
function connect() {
  return new Promise((resolve) => {
    const again = () => net.connect(1, '127.0.0.1').on('error', () => setTimeout(again, 50)).on('connect', resolve)
    again()
  })
}
await connect()
`
  const waits: Record<string, Record<string, string>> = {
    'for a promise that nothing can settle': { 'lib/connect.ts': `export const a = 1\n${never}\n` },
    'for a promise beside an open server': {
      'lib/connect.ts': `${socket}setInterval(() => server, 1000)\n${never}\n`,
    },
    'for a server that refuses every connection': { 'lib/connect.ts': connect },
    'for a controller that waits': {
      'lib/connect.ts': 'export {}\n',
      'controllers/pages.ts': `${hello['controllers/pages.ts']}${never}\n`,
    },
  }
  for (const [title, files] of Object.entries(waits)) {
    test(title, async () => {
      const { status, stdout, stderr } = await propylon(['check', '--timeout', '1'], {
        cwd: project({ ...hello, ...files }),
      })
      assert.deepEqual([status, stderr], [1, ''])
      assert.match(stdout, /^error: The application has not finished loading after 1 s: an await .* Do not wait/)
    })
  }

  test('does not run what the application does at its end, which may not end', async () => {
    const cwd = project({ ...hello, 'lib/connect.ts': "process.on('exit', () => { while (true) {} })\n" })
    const { status, stdout } = await propylon(['check'], { cwd })
    assert.equal(status, 0, stdout)
  })

  test('fails if the application ends the process', async () => {
    const cwd = project({ ...hello, 'lib/connect.ts': 'process.exit(0)\n' })
    const { status, stderr } = await propylon(['check'], { cwd })
    assert.equal(status, 1)
    assert.match(stderr, /ended the process while it loaded/)
  })

  test('succeeds with open connections and timers', async () => {
    const cwd = project({ ...hello, 'lib/connect.ts': `${socket}setInterval(() => server, 1000)\n` })
    const { status, stdout, stderr } = await propylon(['check'], { cwd })
    assert.deepEqual([status, stdout, stderr], [0, RIGHT + UNTYPED, ''])
  })

  for (const timeout of ['0', '-1', 'x', '1.5', '']) {
    test(`refuses --timeout=${timeout}`, async () => {
      const { status, stderr } = await propylonHere(['check', `--timeout=${timeout}`], project(hello))
      assert.equal(status, 2)
      assert.match(stderr, /--timeout/)
    })
  }
})
