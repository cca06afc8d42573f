import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { bareProject, contents, propylonHere, temporaryFolder, tree, writeTree } from './command-line.ts'
import { propylon } from './command-process.ts'

const LINES: readonly (readonly [singular: string, plural: string, line: string])[] = [
  ['comment', 'comments', "map.resource('comment', 'comments')"],
  ['blog-post', 'blog-posts', "map.resource('blog_post', 'blog_posts')"],
  [
    'admin/trackback',
    'admin/trackbacks',
    "map.resource('trackback', 'trackbacks', { controller: 'admin/trackbacks', pathPrefix: '/admin', namePrefix: 'admin_' })",
  ],
  [
    'trackback',
    'admin/trackbacks',
    "map.resource('trackback', 'trackbacks', { controller: 'admin/trackbacks', pathPrefix: '/admin', namePrefix: 'admin_' })",
  ],
  [
    'x/thing',
    'a/b-c/things',
    "map.resource('thing', 'things', { controller: 'a/b_c/things', pathPrefix: '/a/b_c', namePrefix: 'a_b_c_' })",
  ],
]

describe('controller', () => {
  test('writes a controller and its test', async () => {
    const cwd = bareProject()
    const { status, stderr } = await propylon(['controller', 'with-dash'], { cwd })
    assert.deepEqual([status, stderr], [0, ''])
    assert.deepEqual(tree(cwd), ['controllers/with_dash.ts', 'package.json', 'tests/functional/test_with_dash.ts'])
    const text = readFileSync(join(cwd, 'controllers/with_dash.ts'), 'utf8')
    assert.match(text, /export class WithDashController extends WSGIController/)
    assert.match(text, /from 'propylon'/)
  })

  test('creates the directories, and extends the class of lib/base.ts', async () => {
    const cwd = bareProject()
    writeTree(cwd, { 'lib/base.ts': '' })
    assert.equal((await propylon(['controller', 'admin/panel'], { cwd })).status, 0)
    const text = readFileSync(join(cwd, 'controllers/admin/panel.ts'), 'utf8')
    assert.match(text, /^import \{ BaseController \} from '\.\.\/\.\.\/lib\/base\.ts'/)
    assert.match(text, /class PanelController extends BaseController/)
    assert.ok(tree(cwd).includes('tests/functional/test_admin_panel.ts'))
  })

  test('--no-test writes no test', async () => {
    const cwd = bareProject()
    assert.equal((await propylon(['controller', 'hello', '--no-test'], { cwd })).status, 0)
    assert.deepEqual(tree(cwd), ['controllers/hello.ts', 'package.json'])
  })

  test('accepts options before and after the name', async () => {
    const { stdout } = await propylonHere(['controller', '--no-test', 'hello', '-n'], bareProject())
    assert.equal(stdout.split('\n')[0], 'would create controllers/hello.ts')
    assert.doesNotMatch(stdout, /test/)
  })

  test('--dry-run lists the files and writes nothing', async () => {
    const cwd = bareProject()
    const { status, stdout } = await propylon(['controller', 'admin/panel', '-n'], { cwd })
    assert.equal(status, 0)
    assert.match(
      stdout,
      /would create controllers\/admin\/panel\.ts\nwould create tests\/functional\/test_admin_panel\.ts\n/,
    )
    assert.deepEqual(tree(cwd), ['package.json'])
  })

  test('finds the project from a folder deep inside it', async () => {
    const root = bareProject()
    mkdirSync(join(root, 'tests/functional/deep'), { recursive: true })
    assert.equal((await propylon(['controller', 'hello'], { cwd: join(root, 'tests/functional/deep') })).status, 0)
    assert.ok(tree(root).includes('controllers/hello.ts'))
  })

  test('works in a project that is reached through a symbolic link', async () => {
    const root = bareProject()
    const link = join(temporaryFolder(), 'verknüpft')
    symlinkSync(root, link)
    assert.equal((await propylon(['controller', 'hello'], { cwd: link })).status, 0)
    assert.ok(tree(root).includes('controllers/hello.ts'))
  })

  test('of two at once, one creates the controller and the other is refused', async () => {
    const cwd = bareProject()
    const outcomes = await Promise.all([
      propylon(['controller', 'hello'], { cwd }),
      propylon(['controller', 'hello'], { cwd }),
    ])
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), [0, 2])
    assert.deepEqual(tree(cwd), ['controllers/hello.ts', 'package.json', 'tests/functional/test_hello.ts'])
  })
})

describe('restcontroller', () => {
  for (const [singular, plural, line] of LINES) {
    test(`${singular} ${plural} prints the line to add`, async () => {
      const cwd = bareProject()
      const { status, stdout, stderr } = await propylon(['restcontroller', singular, plural], { cwd })
      assert.deepEqual([status, stderr], [0, ''])
      assert.equal(stdout.split('\n').filter((printed) => printed === line).length, 1)
      const path = plural.replaceAll('-', '_')
      assert.ok(tree(cwd).includes(`controllers/${path}.ts`))
      assert.ok(tree(cwd).includes(`tests/functional/test_${path.replaceAll('/', '_')}.ts`))
    })
  }

  test('prints how to install the schemas, unless the project has them', async () => {
    const install = 'Install the schemas: npm install valibot @valibot/to-json-schema\n'
    const cwd = bareProject()
    const lacking = await propylon(['restcontroller', 'comment', 'comments'], { cwd })
    assert.ok(lacking.stdout.includes(install))
    writeTree(cwd, { 'package.json': '{ "type": "module", "dependencies": { "valibot": "1" } }\n' })
    const having = await propylon(['restcontroller', 'remark', 'remarks'], { cwd })
    assert.deepEqual([having.status, having.stdout.includes(install)], [0, false])
  })

  test('writes the pages, which need no layout if the project has none', async () => {
    const cwd = bareProject()
    const { stdout } = await propylon(['restcontroller', 'admin/comment', 'admin/comments'], { cwd })
    for (const page of ['_form', 'edit', 'index', 'new', 'show']) {
      const text = readFileSync(join(cwd, `templates/admin/comments/${page}.eta`), 'utf8')
      assert.equal(text.startsWith('<!doctype html>'), page !== '_form', page)
      assert.doesNotMatch(text, /layout\(/)
    }
    assert.match(stdout, /templates: new URL\('\.\/templates\/', import\.meta\.url\)/)
  })

  for (const [title, members] of [
    ['without tables', ''],
    ['with a table in place', '  old: { id: string }\n'],
  ] as const) {
    test(`adds a table to an interface ${title}`, async () => {
      const cwd = bareProject()
      const tables = (added: string) => `export interface Tables {\n${members}${added}}\n`
      writeTree(cwd, { 'config/database.ts': 'sqliteDialect', 'model/tables.ts': tables('') })
      assert.equal((await propylonHere(['restcontroller', 'book', 'books', 'sold:bool?'], cwd)).status, 0)
      assert.equal(
        readFileSync(join(cwd, 'model/tables.ts'), 'utf8'),
        `${tables('  books: BooksTable\n')}\nexport interface BooksTable {\n  id: string\n  sold: number | null\n}\n`,
      )
    })
  }

  test('--memory keeps the data in memory in a project with a database', async () => {
    const cwd = bareProject()
    writeTree(cwd, { 'config/database.ts': '', 'model/tables.ts': 'export interface Tables {\n}\n' })
    await propylonHere(['restcontroller', 'book', 'books', '--memory'], cwd)
    assert.match(readFileSync(join(cwd, 'model/books.ts'), 'utf8'), /new Map<string, Item>/)
    assert.ok(tree(cwd).every((path) => !path.startsWith('migrations/')))
  })

  test('replaces all words of the template', async () => {
    const cwd = bareProject()
    await propylon(['restcontroller', 'admin/comment', 'admin/comments'], { cwd })
    for (const [path, text] of Object.entries(contents(cwd))) {
      assert.doesNotMatch(text, /\bthings?\b|Things|area|project\//, path)
    }
  })

  test('declares what the actions take and give, in 60 lines or less', async () => {
    const cwd = bareProject()
    await propylon(['restcontroller', 'comment', 'comments'], { cwd })
    const text = readFileSync(join(cwd, 'controllers/comments.ts'), 'utf8')
    assert.ok(text.trimEnd().split('\n').length <= 60)
    for (const declaration of [
      /static args = \{\n +create: \{ fields: body\(Fields, \{ form: 'new' \}\) \},\n +update: \{ fields: body\(Fields, \{ form: 'edit' \}\) \},/,
      /static results = \{ index: v\.array\(Item\), show: Item, create: Item, update: Item, delete: null \}/,
      /static pages = \{\n +index: 'comments\/index',\n +show: 'comments\/show',\n +new: 'comments\/new',\n +edit: 'comments\/edit',/,
      /\n {2}create\(fields: v\.InferOutput<typeof Fields>\)/,
      /\n {2}update\(id: string, fields: v\.InferOutput<typeof Fields>\)/,
      /return created\(this\.url\('comment', \{ id: item\.id \}\), item\)/,
      /return done\(this\.url\('comments'\)\)/,
    ]) {
      assert.match(text, declaration)
    }
  })
})

describe('create', () => {
  test('creates a project in a new folder, and prints the next steps', async () => {
    const cwd = temporaryFolder()
    const { status, stdout, stderr } = await propylon(['create', 'my site/ön'], { cwd })
    assert.deepEqual([status, stderr], [0, ''])
    assert.match(stdout, /cd "my site\/ön"\n {2}npm install/)
    const files = tree(join(cwd, 'my site/ön'))
    for (const path of [
      'app.ts',
      'config/routing.ts',
      'lib/base.ts',
      'package.json',
      'tsconfig.json',
      '.gitignore',
      'README.md',
      '.env',
      '.env.example',
    ]) {
      assert.ok(files.includes(path), path)
    }
    for (const folder of ['controllers', 'model', 'templates', 'public', 'tests/functional']) {
      assert.ok(
        files.some((path) => path.startsWith(`${folder}/`)),
        folder,
      )
    }
  })

  test('accepts an existing empty folder, including the current one', async () => {
    const cwd = temporaryFolder()
    assert.equal((await propylon(['create', '.'], { cwd })).status, 0)
    assert.ok(tree(cwd).includes('app.ts'))
  })

  test('describes the project as a package that depends on this one', async () => {
    const cwd = temporaryFolder()
    await propylon(['create', 'Möbel & Söhne', '--propylon', '../propylon-1.2.3.tgz'], { cwd })
    await propylon(['create', 'plain'], { cwd })
    const described = JSON.parse(readFileSync(join(cwd, 'Möbel & Söhne/package.json'), 'utf8'))
    assert.equal(described.name, 'mobel-sohne')
    const packages = ['@valibot/to-json-schema', 'propylon', 'valibot']
    assert.deepEqual(Object.keys(described.dependencies), packages)
    assert.equal(described.dependencies.propylon, '../propylon-1.2.3.tgz')
    assert.deepEqual(Object.keys(described.scripts).sort(), ['dev', 'start', 'test', 'typecheck'])
    const plain = JSON.parse(readFileSync(join(cwd, 'plain/package.json'), 'utf8'))
    assert.match(plain.dependencies.propylon, /^\^\d+\.\d+\.\d+$/)
  })

  test('writes a secret of its own to .env, which only its owner may read', async () => {
    const cwd = temporaryFolder()
    for (const name of ['one', 'two']) assert.equal((await propylon(['create', name], { cwd })).status, 0)
    const [one, two] = ['one', 'two'].map((name) => readFileSync(join(cwd, name, '.env'), 'utf8'))
    assert.match(one ?? '', /^SECRET=[\w+/=]{44}$/m)
    assert.notEqual(one, two)
    if (process.platform !== 'win32') assert.equal(statSync(join(cwd, 'one/.env')).mode & 0o077, 0)
    assert.match(readFileSync(join(cwd, 'one/.gitignore'), 'utf8'), /^\.env$/m)
  })

  test('--dry-run creates no folder', async () => {
    const cwd = temporaryFolder()
    const { status, stdout } = await propylon(['create', 'site', '--dry-run'], { cwd })
    assert.equal(status, 0)
    assert.match(stdout, /would create app\.ts/)
    assert.deepEqual(tree(cwd), [])
  })
})
