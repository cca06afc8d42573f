/** Created projects whose database or Redis does not answer. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { createdProject } from './command-process.ts'

/** Runs a module in a project, and returns what it prints. */
function run(project: string, module: string, env: NodeJS.ProcessEnv): string {
  const words = ['--conditions=propylon-source', '--input-type=module', '--eval', module]
  const { stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: project,
    encoding: 'utf8',
    env: {
      ...process.env,
      NODE_ENV: 'development',
      NODE_TEST_CONTEXT: undefined,
      SECRET: 'x'.repeat(40),
      ...env,
    },
    timeout: 30_000,
  })
  return stdout.trim() || stderr
}

/** Asks a PostgreSQL that accepts connections and answers no query. The time-out passes when the query has arrived. */
const ASK_SILENT = `
import { once } from 'node:events'
import { createServer } from 'node:net'
import { mock } from 'node:test'
import { sql } from 'kysely'
import { isUnavailable } from 'propylon'

const server = createServer().listen(0, '127.0.0.1')
await once(server, 'listening')
process.env.DATABASE_URL = 'postgres://joe@127.0.0.1:' + server.address().port + '/site'
const { database } = await import('./config/database.ts')
mock.timers.enable({ apis: ['setTimeout'] })
const failing = sql\`select 1\`.execute(database).catch((error) => error)
const [socket] = await once(server, 'connection')
const [parameters] = await once(socket, 'data')
socket.write('R\\0\\0\\0\\x08\\0\\0\\0\\0Z\\0\\0\\0\\x05I', 'latin1') // AuthenticationOk, ReadyForQuery
await once(socket, 'data')
mock.timers.tick(15_000)
console.log(isUnavailable(await failing), /\\0statement_timeout\\0[1-9]\\d*\\0/.test(String(parameters)))
process.exit()
`

describe('the pool of a created project', () => {
  for (const options of ['--database postgres', '--database sqlite --database postgres']) {
    it(`gives up a query that the server does not answer: ${options}`, async () => {
      assert.equal(run(await createdProject(...options.split(' ')), ASK_SILENT, {}), 'true true')
    })
  }
})

const ASK_READY = `
import { TestApp } from 'propylon/testing'
import app from './app.ts'

const response = await new TestApp(app, { errors: 'page' }).get('/readyz')
console.log(response.status)
process.exit()
`

describe('/readyz of a created project', () => {
  const AWAY = { DATABASE_URL: 'postgres://joe@127.0.0.1:1/site', REDIS_URL: 'redis://127.0.0.1:1' }
  const FILE = { DATABASE_URL: 'sqlite::memory:' }
  for (const [options, env, status] of [
    ['', AWAY, 200],
    ['--database postgres', AWAY, 503],
    ['--database sqlite', { DATABASE_URL: 'sqlite:/dev/null/site.db' }, 503],
    ['--database sqlite --login', FILE, 200],
    ['--sessions redis', AWAY, 503],
    ['--database sqlite --sessions redis', { ...AWAY, ...FILE }, 503],
  ] as const) {
    it(`is ${status} of "${options}" with ${Object.values(env)}`, async () => {
      const project = await createdProject(...options.split(' ').filter((word) => word !== ''))
      assert.equal(run(project, ASK_READY, env), String(status))
    })
  }
})
