import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { contents, temporaryFolder, tree } from './command-line.ts'
import { createdProject, propylon } from './command-process.ts'
import { postgresDatabase } from './postgres-database.ts'
import { checked, RIGHT, tests } from './project-checks.ts'

const server = process.env.PROPYLON_TEST_POSTGRES

/** Options, and the dependencies beside those of every project. */
const VARIANTS: readonly (readonly [options: string, dependencies: readonly string[]])[] = [
  ['--database sqlite', ['kysely']],
  ['--database postgres --login --example', ['kysely', 'pg']],
  ['--database sqlite --database postgres --login --worker', ['kysely', 'pg']],
  ['--sessions redis --example', ['ioredis']],
  ['--sessions redis --login', ['ioredis', 'kysely']],
]

/** The files of the example, of the worker and of the seeds, which can be deleted. */
const PARTS = [
  ...['controllers/notes.ts', 'model/notes.ts', 'templates/notes'],
  ...['tests/factories/notes.ts', 'tests/functional/test_notes.ts'],
  ...['worker.ts', 'model/work.ts', 'model/outbox.ts', 'tests/functional/test_work.ts'],
  ...['migrations/20260101000002_create_outbox.ts', 'model/seed.ts'],
]

/** The lines about them, and the default routes. */
const LINES: readonly (readonly [file: string, lines: RegExp])[] = [
  ['config/routing.ts', /^(?:.*New routes go|map\.connect\('\/\{controller|map\.resource\('note').*\n/gm],
  ['templates/pages/index.eta', /^<h2>The example<\/h2>\n.*\n/gm],
]

const FIELDS = [
  'title',
  'pages:int',
  'price:number?',
  'sold:bool',
  'fresh:bool?',
  'on:date?',
  'mail:email',
  'text:text',
]

for (const [options, dependencies] of VARIANTS) {
  describe(`a project created with ${options}`, () => {
    let project: string
    const database = options.includes('postgres') && server !== undefined ? postgresDatabase(server) : undefined
    before(async () => {
      await database?.create()
      project = await createdProject(...options.split(' '))
      const generated = await propylon(['restcontroller', 'remark', 'admin/remarks', ...FIELDS, '--route'], {
        cwd: project,
      })
      assert.deepEqual([generated.status, generated.stderr], [0, ''])
    })
    after(() => database?.drop())

    test('depends on its packages', () => {
      const described = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
      const all = ['@valibot/to-json-schema', ...dependencies, 'propylon', 'valibot']
      assert.deepEqual(Object.keys(described.dependencies), all)
      const hasDatabase = dependencies.includes('kysely')
      assert.equal(described.scripts.migrate, hasDatabase ? 'propylon migrate' : undefined)
      assert.equal('@types/pg' in described.devDependencies, dependencies.includes('pg'))
    })
    test('passes propylon check, which runs the compiler', async () => assert.deepEqual(await checked(project), RIGHT))
    test('passes its tests, which never open the database of DATABASE_URL', () => {
      const isOnBoth = options.includes('sqlite') && options.includes('postgres')
      const url = options.includes('postgres') ? 'postgres://127.0.0.1:1/development' : 'sqlite:var/development.db'
      const testUrls = isOnBoth && database !== undefined ? [undefined, database.url] : [database?.url]
      for (const testUrl of testUrls) {
        const { status, output } = tests(project, {
          DATABASE_URL: url,
          TEST_DATABASE_URL: testUrl,
          REDIS_URL: 'redis://127.0.0.1:1',
        })
        assert.equal(status, 0, output)
        const isSkipped = options.includes('postgres') && !isOnBoth && database === undefined
        assert.match(output, isSkipped ? /skipped [1-9]/ : /skipped 0/)
      }
      assert.equal(existsSync(join(project, 'var')), false)
    })
    test('runs its tests with NODE_ENV=test and the settings of .env', () => {
      const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
      assert.equal(scripts.test, 'NODE_ENV=test node --env-file-if-exists=.env --test "tests/**/test_*.ts"')
    })
    test('names all settings in .env.example, and those with a value in .env', () => {
      const names = (path: string) =>
        [...readFileSync(join(project, path), 'utf8').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name)
      const settings = ['SECRET']
      if (dependencies.includes('kysely')) settings.push('DATABASE_URL')
      if (dependencies.includes('ioredis')) settings.push('REDIS_URL')
      assert.deepEqual(names('.env.example'), settings)
      assert.deepEqual(names('.env'), settings)
    })
    test('leaves no word of the templates in a file', () => {
      for (const [path, text] of Object.entries(contents(project)))
        assert.doesNotMatch(text, /\b(?:project-name|BOOLEANS|GUARD|HEADING|TITLE_|FIELDS_PLACES|things?_)/, path)
    })
    if (/--worker|redis --example/.test(options)) {
      test('goes on without the default routes, the example, the worker and the seeds', async () => {
        for (const path of PARTS) rmSync(join(project, path), { recursive: true, force: true })
        for (const [path, lines] of LINES) {
          const text = readFileSync(join(project, path), 'utf8')
          writeFileSync(join(project, path), text.replace(lines, ''))
        }
        assert.deepEqual(await checked(project), RIGHT)
        const { status, output } = tests(project, { DATABASE_URL: '', REDIS_URL: 'redis://127.0.0.1:1' })
        assert.equal(status, 0, output)
      })
    }
  })
}

test('a project for both databases refuses the URL of a third, without its password', async () => {
  const cwd = await createdProject('--database', 'sqlite', '--database', 'postgres')
  const { status, stderr } = await propylon(['migrate'], {
    cwd,
    env: { DATABASE_URL: 'mysql://joe:hidden@x/y' },
  })
  assert.equal(status, 1)
  assert.match(stderr, /DATABASE_URL names neither SQLite nor PostgreSQL\. Set it to sqlite:var\/site\.db or postgres:/)
  assert.doesNotMatch(stderr, /hidden/)
})

describe('a database of another kind', () => {
  for (const [words, because] of [
    [['--database', 'mysql'], /--database is 'mysql'; write 'sqlite' or 'postgres'/],
    [['--database', 'sqlite', '--database', 'mysql'], /--database is 'mysql'/],
    [['--database', 'none', '--database', 'sqlite'], /--database names one and none; omit '--database none'/],
    [['--database'], /'--database' needs a value/],
    [['--sessions', 'memcached'], /--sessions is 'memcached'; write 'redis', or omit it/],
    [['--login=yes'], /'--login' takes no value/],
    [['--worker', '--database', 'none'], /--worker needs a database; omit '--database none'/],
  ] as const) {
    test(`create ${words.join(' ')} is refused, and nothing is written`, async () => {
      const cwd = temporaryFolder()
      const { status, stdout, stderr } = await propylon(['create', 'site', ...words], { cwd })
      assert.deepEqual([status, stdout], [2, ''])
      assert.match(stderr, because)
      assert.match(stderr, /^[^\n]+\n$/)
      assert.equal(existsSync(join(cwd, 'site')), false)
    })
  }

  test('--dry-run lists the files of the variant', async () => {
    const cwd = temporaryFolder()
    const { stdout } = await propylon(['create', 'site', '--login', '--worker', '-n'], { cwd })
    assert.match(stdout, /would create controllers\/login\.ts/)
    assert.match(stdout, /would create worker\.ts/)
    assert.deepEqual(tree(cwd), [])
  })
})
