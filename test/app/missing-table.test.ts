import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { FrameworkApp, Mapper, WSGIController, XMLRPCController } from 'propylon'
import { sqliteDialect } from 'propylon/sqlite'

const HINT = "The database lacks a table. If its migrations have not run, run 'npx propylon migrate'."

/** Errors by name, as an action throws them. */
const errors: Record<string, () => unknown> = {
  sqlite: () => select(new Kysely({ dialect: sqliteDialect(':memory:') })),
  postgres: () => Promise.reject(Object.assign(new Error('relation "x" does not exist'), { code: '42P01' })),
  mysql: () => Promise.reject(Object.assign(new Error("Table 'x' doesn't exist"), { code: 'ER_NO_SUCH_TABLE' })),
  caused: () => Promise.reject(new Error('cannot list', { cause: new Error('no such table: users') })),
  column: () => Promise.reject(new Error('no such column: nmae')),
  other: () => Promise.reject(new Error('There is no such table: users')),
  odd: () => Promise.reject(Proxy.revocable({}, {})),
}
const { PROPYLON_TEST_POSTGRES } = process.env
if (PROPYLON_TEST_POSTGRES !== undefined) {
  errors.postgres = () => {
    const pool = new pg.Pool({ connectionString: PROPYLON_TEST_POSTGRES })
    return select(new Kysely({ dialect: new PostgresDialect({ pool }) }))
  }
}

async function select(database: Kysely<{ users_of_nobody: { id: number } }>): Promise<never> {
  try {
    await database.selectFrom('users_of_nobody').selectAll().execute()
    return assert.fail('The table exists.')
  } finally {
    await database.destroy()
  }
}

class UsersController extends WSGIController {
  async list(id: string) {
    await errors[id]?.()
    return 'listed'
  }
}

class ServiceController extends XMLRPCController {
  async list() {
    return errors.caused?.()
  }
}

function appWith(options: { readonly debug: boolean }) {
  const logged: string[] = []
  const logger = { info() {}, warn() {}, error: (message: string) => void logged.push(message) }
  const map = new Mapper().connect('/service', { controller: 'service' }).connect('/{controller}/{action}/{id}')
  const controllers = { users: UsersController, service: ServiceController }
  return { app: new FrameworkApp({ map, controllers, logger, ...options }), logged }
}

async function get(app: FrameworkApp, name: string, accept: string): Promise<string> {
  const headers = { accept }
  return (await app.fetch(new Request(`http://localhost/users/list/${name}`, { headers }))).text()
}

describe('an error about a missing table', () => {
  for (const [name, isMissingTable] of [
    ['sqlite', true],
    ['postgres', true],
    ['mysql', true],
    ['caused', true],
    ['column', false],
    ['other', false],
    ['odd', false],
  ] as const) {
    it(`${isMissingTable ? 'names' : 'does not name'} the migrations in the log and on the debug page: ${name}`, async () => {
      const { app, logged } = appWith({ debug: true })
      for (const accept of ['text/html', 'text/plain', 'application/json']) {
        const page = (await get(app, name, accept)).replaceAll('&#39;', "'")
        assert.equal(page.includes(HINT), isMissingTable, `${accept}: ${page}`)
      }
      assert.equal(logged.length, 3)
      for (const message of logged) assert.equal(message.split('\n')[1] === HINT, isMissingTable, message)
    })
  }

  it('names them in the log of a service and of production, and not to clients', async () => {
    const { app, logged } = appWith({ debug: false })
    assert.doesNotMatch(await get(app, 'sqlite', 'text/html'), /propylon migrate/)
    const body = '<methodCall><methodName>list</methodName></methodCall>'
    const headers = { 'content-type': 'text/xml' }
    const answer = await app.fetch(new Request('http://localhost/service', { method: 'POST', body, headers }))
    assert.doesNotMatch(await answer.text(), /propylon migrate/)
    assert.deepEqual(
      logged.map((message) => message.split('\n')[1]),
      [HINT, HINT],
    )
  })
})
