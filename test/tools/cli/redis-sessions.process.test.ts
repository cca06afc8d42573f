import assert from 'node:assert/strict'
import { once } from 'node:events'
import { before, describe, test } from 'node:test'
import { writeTree } from './command-line.ts'
import { createdProject, propylon, start } from './command-process.ts'
import { checked, RIGHT, tests } from './project-checks.ts'

/** No server listens there. */
const AWAY = 'redis://127.0.0.1:1'
const redis = process.env.PROPYLON_TEST_REDIS

/** Serves a project until `use` has its URL. Returns what was printed and the exit status after SIGTERM. */
async function serving(
  cwd: string,
  url: string,
  use: (origin: string) => Promise<void>,
): Promise<{ readonly output: string; readonly status: number | null }> {
  const child = start(['serve', '--port', '0'], { cwd, env: { REDIS_URL: url } })
  const { promise, resolve } = Promise.withResolvers<string>()
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: string) => {
      output += text
      const origin = /http:\/\/[\d.]+:\d+/.exec(output)?.[0]
      if (origin !== undefined) resolve(origin)
    })
  }
  const ended = once(child, 'close')
  try {
    await use(await promise)
  } finally {
    child.kill('SIGTERM')
  }
  const [status] = await ended
  return { output, status }
}

/** Counts the visits of a session. */
const VISITS = `import { BaseController } from '../lib/base.ts'

export class VisitsController extends BaseController {
  index() {
    const count = Number(this.session.get('count') ?? 0) + 1
    this.session.set('count', count)
    return String(count)
  }
}
`

describe('a project created with --sessions redis, while Redis is away', () => {
  let project = ''
  before(async () => {
    project = await createdProject('--sessions', 'redis')
    writeTree(project, { 'controllers/visits.ts': VISITS })
  })

  test('the check ends', async () => assert.deepEqual(await checked(project, { REDIS_URL: AWAY }), RIGHT))

  test('the tests end', () => {
    const { status, output } = tests(project, { REDIS_URL: AWAY })
    assert.equal(status, 0, output)
  })

  test('serves pages without a session, and 503 for the others with the cause in the log', async () => {
    const { output, status } = await serving(project, AWAY, async (origin) => {
      assert.equal((await fetch(origin)).status, 200)
      assert.equal((await fetch(`${origin}/visits`)).status, 503)
    })
    assert.match(output, /Redis does not answer: connect ECONNREFUSED 127\.0\.0\.1:1/)
    assert.equal(status, 0)
  })

  test('refuses what is not a URL of Redis, without the password', async () => {
    const { status, stdout } = await propylon(['check'], {
      cwd: project,
      env: { REDIS_URL: 'https://joe:hidden@x/y' },
    })
    assert.equal(status, 1)
    assert.match(stdout, /REDIS_URL is not a URL of Redis\. Set it to redis:\/\/user:password@host:port/)
    assert.doesNotMatch(stdout, /hidden/)
  })

  test('keeps sessions in Redis when there is one', { skip: redis === undefined }, async () => {
    const { status } = await serving(project, redis ?? AWAY, async (origin) => {
      const first = await fetch(`${origin}/visits`)
      assert.equal(await first.text(), '1')
      const [cookie = ''] = first.headers.getSetCookie().map((each) => each.split(';')[0] ?? '')
      const second = await fetch(`${origin}/visits`, { headers: { cookie } })
      assert.equal(await second.text(), '2')
    })
    assert.equal(status, 0)
  })
})
