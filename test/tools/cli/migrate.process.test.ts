import assert from 'node:assert/strict'
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { bareProject, contents, type Outcome, writeTree } from './command-line.ts'
import { createdProject, propylon } from './command-process.ts'
import { postgresDatabase } from './postgres-database.ts'

const server = process.env.PROPYLON_TEST_POSTGRES
const database = server === undefined ? undefined : postgresDatabase(server)
const SESSIONS = '20260101000000_create_tables'

const BROKEN = `import { type Kysely, sql } from 'kysely'
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createTable('kept').addColumn('a', 'integer').execute()
  await sql\`no statement\`.execute(db)
}
`
const WORKING = BROKEN.replace('no statement', 'select 1')

const PLACES: readonly (readonly [name: string, skip: string | false, options: string, url: string])[] = [
  ['SQLite', false, 'sqlite', 'sqlite:var/test.db'],
  ['PostgreSQL', database === undefined && 'PROPYLON_TEST_POSTGRES names no server', 'postgres', database?.url ?? ''],
]

for (const [name, skip, option, url] of PLACES) {
  describe(`migrate with ${name}`, { skip }, () => {
    let cwd: string
    before(async () => {
      if (option === 'postgres') await database?.create()
      cwd = await createdProject('--database', option)
      writeFileSync(join(cwd, '.env'), `DATABASE_URL=${url}\n`)
    })
    after(() => (option === 'postgres' ? database?.drop() : undefined))
    const migrate = (...words: string[]) => propylon(['migrate', ...words], { cwd })
    const succeeded = ({ status, stdout, stderr }: Outcome) => {
      assert.deepEqual([status, stderr], [0, ''])
      return stdout
    }

    test('runs each migration once when several processes start at the same time', async () => {
      const printed = (await Promise.all([migrate(), migrate('up'), migrate()])).map(succeeded)
      assert.deepEqual(printed.sort(), [
        'All migrations have run.\n',
        'All migrations have run.\n',
        `ran ${SESSIONS}\n`,
      ])
    })

    test('lists what has run, undoes the last, and runs it again', async () => {
      assert.match(succeeded(await migrate('status')), new RegExp(`^\\d{4}-.*Z  ${SESSIONS}\n$`))
      assert.equal(succeeded(await migrate('down')), `undid ${SESSIONS}\n`)
      assert.equal(succeeded(await migrate('down')), 'No migration has run.\n')
      assert.equal(succeeded(await migrate('status')), `new  ${SESSIONS}\n`)
      assert.equal(succeeded(await migrate('up')), `ran ${SESSIONS}\n`)
    })

    test('creates a migration after all others, which runs', async () => {
      const future = '29990101000000_late.ts'
      writeFileSync(join(cwd, 'migrations', future), WORKING.replaceAll('kept', 'late'))
      const created = succeeded(await migrate('make', 'add-titles'))
      assert.equal(created, 'created migrations/29990101000001_add_titles.ts\n')
      assert.equal(succeeded(await migrate()), `ran 29990101000000_late\nran 29990101000001_add_titles\n`)
    })

    test('names the migration that failed and keeps nothing of it', async () => {
      const path = join(cwd, 'migrations/29990101000002_broken.ts')
      writeFileSync(path, BROKEN)
      const { status, stdout, stderr } = await migrate()
      assert.deepEqual([status, stdout], [1, ''])
      const line = /^migrations\/29990101000002_broken\.ts:4:\d+: .*(?:syntax|near)/m
      assert.match(stderr, /^propylon: the migration 29990101000002_broken failed\n/)
      assert.match(stderr, line)
      writeFileSync(path, WORKING) // It creates the table again, which the failure must have undone.
      assert.equal(succeeded(await migrate()), 'ran 29990101000002_broken\n')
    })

    for (const [mistake, text, reason] of [
      ['a mistake of syntax', 'export async function up() {\n  const x = ;\n}\n', /:2:13: Expression expected/],
      ['a missing module', "import '../lib/none.ts'\nexport const up = () => {}\n", /:1:9: .*lib\/none\.ts/],
      ['code that throws', '\nexport const up = none.up\n', /:2:19: none is not defined/],
      ['a package without the name', "import { none } from 'kysely'\n", /:1:10: .*'kysely' does not provide/],
    ] as const) {
      test(`names the file and the line of a migration with ${mistake}`, async () => {
        const path = join(cwd, 'migrations/29990101000003_unloadable.ts')
        writeFileSync(path, text)
        for (const words of [[], ['status']]) {
          const { status, stderr } = await migrate(...words)
          assert.equal(status, 1)
          assert.match(
            stderr,
            /^propylon: the migration migrations\/29990101000003_unloadable\.ts does not load: [^\n]*\n$/,
          )
          assert.match(stderr, reason)
          assert.doesNotMatch(stderr, new RegExp(`${cwd}/`))
        }
        rmSync(path)
      })
    }

    test('names a migration whose file is missing', async () => {
      rmSync(join(cwd, 'migrations/29990101000000_late.ts'))
      const { status, stderr } = await migrate()
      assert.equal(status, 1)
      assert.match(stderr, /^propylon: the migrations cannot run: .*29990101000000_late.*\n$/)
    })
  })
}

test('migrate names a DATABASE_URL of another kind, with its place', async () => {
  const cwd = await createdProject('--database', 'sqlite')
  const { status, stderr } = await propylon(['migrate'], { cwd, env: { DATABASE_URL: 'mysql://x' } })
  assert.equal(status, 1)
  assert.match(
    stderr,
    /^propylon: config\/migrator\.ts does not load\nError: DATABASE_URL is not a path of SQLite\. Set it to sqlite:[^\n]*\n.*config\/database\.ts:\d+/s,
  )
})

describe('migrate reports in one line', () => {
  test('a server that refuses the connection, without its password', async () => {
    const cwd = await createdProject('--database', 'postgres')
    writeFileSync(join(cwd, '.env'), 'DATABASE_URL=postgres://joe:hidden@127.0.0.1:1/none\n')
    for (const action of ['up', 'down', 'status']) {
      const { status, stderr } = await propylon(['migrate', action], { cwd })
      assert.equal(status, 1)
      assert.match(
        stderr,
        /^propylon: the migrations cannot run: [^\n]*ECONNREFUSED[^\n]*\. Start the database, or correct DATABASE_URL in \.env\n$/,
      )
      assert.doesNotMatch(stderr, /hidden/)
    }
  })

  test('a DATABASE_URL that is missing', async () => {
    const postgres = await createdProject('--database', 'postgres')
    rmSync(join(postgres, '.env'))
    const missing = await propylon(['migrate'], { cwd: postgres, env: { DATABASE_URL: '' } })
    assert.match(missing.stderr, /^propylon: the migrations cannot run: DATABASE_URL is not set\.[^\n]*\n$/)
  })

  test('a DATABASE_URL of another database', async () => {
    const postgres = await createdProject('--database', 'postgres')
    const wrong = await propylon(['migrate'], {
      cwd: postgres,
      env: { DATABASE_URL: 'mysql://joe:hidden@127.0.0.1/x' },
    })
    assert.match(
      wrong.stderr,
      /^propylon: the migrations cannot run: DATABASE_URL is not a URL of PostgreSQL\.[^\n]*\n$/,
    )
    assert.doesNotMatch(wrong.stderr, /hidden/)
  })

  test('a package that is not installed', async () => {
    const cwd = await createdProject('--database', 'sqlite')
    renameSync(join(cwd, 'node_modules/kysely'), join(cwd, 'node_modules/.kysely'))
    const { status, stderr } = await propylon(['migrate'], { cwd })
    assert.equal(status, 1)
    assert.match(stderr, /^propylon: config\/migrator\.ts does not load\n.*Cannot find package 'kysely'/)
  })

  const refused: [words: string[], because: RegExp][] = [
    [['bogus'], /no action 'bogus'; write one of up, down, status, make/],
    [['statsu'], /did you mean 'status'\?/],
    [['up', 'x'], /'propylon migrate up' takes no argument 'x'/],
    [['make'], /takes the name of the migration/],
    [['make', '1x'], /'1x' is not a name for a migration/],
    [['make', '../up'], /is not a name for a migration/],
    [['up', 'x', 'y'], /does not take 3 arguments/],
    [[], /has no config\/migrator\.ts/],
  ]
  for (const [words, because] of refused) {
    test(`wrong usage: ${words.join(' ')}`, async () => {
      const cwd = bareProject()
      writeTree(cwd, { 'migrations/.keep': '' })
      const before = contents(cwd)
      const { status, stdout, stderr } = await propylon(['migrate', ...words], { cwd })
      assert.deepEqual([status, stdout], [2, ''])
      assert.match(stderr, because)
      assert.match(stderr, /^propylon: [^\n]+\n$/)
      assert.deepEqual(contents(cwd), before)
    })
  }

  test('a project without migrations has none', async () => {
    const cwd = await createdProject('--database', 'sqlite')
    for (const name of readdirSync(join(cwd, 'migrations'))) rmSync(join(cwd, 'migrations', name))
    assert.equal((await propylon(['migrate', 'status'], { cwd })).stdout, 'The project has no migrations.\n')
  })
})
