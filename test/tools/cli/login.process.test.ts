/** Created projects with a login: their size, their security, and what is left if parts are deleted. */
import assert from 'node:assert/strict'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { contents } from './command-line.ts'
import { createdProject } from './command-process.ts'
import { postgresDatabase } from './postgres-database.ts'
import { checked, RIGHT, tests } from './project-checks.ts'

const SECURITY = new URL('./login-tests/test_security.ts', import.meta.url)

const server = process.env.PROPYLON_TEST_POSTGRES

test('a project with a login has at most 45 files and 1,400 lines', async () => {
  const texts = Object.values(contents(await createdProject('--login')))
  const lines = texts.map((text) => text.split('\n').length - 1)
  assert.ok(texts.length <= 45, `${texts.length} files`)
  assert.ok(lines.reduce((sum, count) => sum + count) <= 1400, `${lines} lines`)
})

for (const name of ['sqlite', ...(server === undefined ? [] : ['postgres'])]) {
  describe(`the login of a project on ${name}`, () => {
    const database = name === 'postgres' && server !== undefined ? postgresDatabase(server) : undefined
    before(() => database?.create())
    after(() => database?.drop())

    test('resists races and guesses, and gives nothing away', async () => {
      const project = await createdProject('--login', '--database', name)
      cpSync(SECURITY, join(project, 'tests/functional/test_security.ts'))
      assert.deepEqual(await checked(project), RIGHT)
      const { status, output } = tests(project, { TEST_DATABASE_URL: database?.url })
      assert.equal(status, 0, output)
      assert.match(output, /skipped 0/)
    })
  })
}

type Edits = Readonly<Record<string, readonly [find: RegExp, replacement: string][]>>

interface Part {
  readonly name: string
  /** The files, and the controllers whose routes are deleted. */
  readonly files: readonly string[]
  readonly controllers: readonly string[]
  /** The places that the check then names. */
  readonly places: readonly string[]
  /** The edits of these places, and the tests that go with the part. */
  readonly edits: Edits
}

const ACCOUNT_ON_HOME = [/ Their page is .*?<\/a>, in <code>controllers\/account\.ts<\/code>\./, ''] as const

/** A test of a created project. */
const testNamed = (name: string): [RegExp, string] => [new RegExp(`\n  test\\('${name}[\\s\\S]*?\n  }\\)\n`), '']

const PARTS: readonly Part[] = [
  {
    name: 'roles',
    files: ['controllers/admin', 'templates/admin'],
    controllers: ['admin/users'],
    places: ['templates/account/index.eta:9'],
    edits: {
      'templates/account/index.eta': [[/^.*url\('users'\).*\n/m, '']],
      'tests/functional/test_account.ts': [testNamed('have roles'), [/^import \{ setRole \}.*\n/m, '']],
    },
  },
  {
    name: 'page of the account',
    files: ['controllers/account.ts', 'templates/account/index.eta', 'tests/functional/test_account.ts'],
    controllers: ['account'],
    places: ['templates/layout.eta:18', 'templates/pages/index.eta:11'],
    edits: {
      'templates/layout.eta': [[/^.*url\('account'\).*\n/m, '']],
      'templates/pages/index.eta': [[...ACCOUNT_ON_HOME]],
    },
  },
  {
    name: 'login',
    files: [
      ...[
        'controllers/account.ts',
        'controllers/login.ts',
        'controllers/admin',
        'templates/account',
        'templates/admin',
      ],
      ...['lib/mail.ts', 'lib/visitor.ts', 'model/users.ts', 'model/tokens.ts', 'tests/users.ts'],
      'tests/functional/test_account.ts',
    ],
    controllers: ['account', 'login', 'admin/users'],
    places: [
      ...['config/routing.ts:4', 'config/routing.ts:5', 'controllers/pages.ts:7'],
      ...['lib/base.ts:1', 'lib/base.ts:1', 'lib/base.ts:6', 'lib/base.ts:8', 'model/seed.ts:2'],
      ...[18, 19, 21, 22].map((line) => `templates/layout.eta:${line}`),
      ...[11, 11, 11].map((line) => `templates/pages/index.eta:${line}`),
    ],
    edits: {
      'config/routing.ts': [[/^const (?:GET|POST) .*\n/gm, '']],
      'lib/base.ts': [
        [/import \{ Visitor.*/, "import { WSGIController } from 'propylon'"],
        [/extends Visitor/, 'extends WSGIController'],
        [/override async|await super.*\n/g, ''],
        [/Promise<void>/, 'void'],
      ],
      'model/seed.ts': [
        [/^import.*\n/m, ''],
        [/^ {2}.*\n/gm, ''],
      ],
      'templates/layout.eta': [[/<% if \(it\.c\?\.user\)[\s\S]*?<% } %>\n(?= *<\/nav>)/, '']],
      'templates/pages/index.eta': [[/<h2>The users<\/h2>\n.*\n/, '']],
    },
  },
]

function edit(project: string, edits: Edits): void {
  for (const [path, changes] of Object.entries(edits)) {
    const file = join(project, path)
    const text = changes.reduce(
      (before, [find, replacement]) => before.replace(find, replacement),
      readFileSync(file, 'utf8'),
    )
    writeFileSync(file, text)
  }
}

describe('a project whose parts are deleted', () => {
  for (const { name, files, controllers, places, edits } of PARTS) {
    test(`works without its ${name}, once the places are changed that the check names`, async () => {
      const project = await createdProject('--login')
      for (const path of files) rmSync(join(project, path), { recursive: true })
      const routes = new RegExp(`^.*controller: '(?:${controllers.join('|')})'.*\\n`, 'gm')
      edit(project, { 'config/routing.ts': [[routes, '']] })
      const { status, output } = await checked(project)
      assert.equal(status, 1)
      assert.deepEqual(output.match(/^[\w/.]+:\d+(?=:\d+ error:)/gm), places, output)
      edit(project, edits)
      assert.deepEqual(await checked(project), RIGHT)
      const run = tests(project)
      assert.equal(run.status, 0, run.output)
    })
  }
})
