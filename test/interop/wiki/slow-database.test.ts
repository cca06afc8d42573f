import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Client, type Place, serversPlace, sqlitePlace, Wiki } from '../../examples/wiki/wiki.ts'
import { Gate, until } from './servers.ts'
import { size } from './size.ts'

const SECRET = 'a secret of at least 32 characters'
const STATIC = '/static/wiki.css'

/** A response and the time that it took, in milliseconds. */
interface Timed {
  readonly status: number
  readonly retryAfter: string | null
  readonly time: number
}

async function timed(run: () => Promise<{ status: number; headers: Headers }>): Promise<Timed> {
  const begin = performance.now()
  const { status, headers } = await run()
  return { status, retryAfter: headers.get('retry-after'), time: performance.now() - begin }
}

function quantile(answers: readonly Timed[], part: number): number {
  const times = answers.map(({ time }) => time).sort((a, b) => a - b)
  return Math.round(times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0)
}

function statusesOf(answers: readonly Timed[]): number[] {
  return [...new Set(answers.map(({ status }) => status))]
}

/** Asks for paths that need no database again and again, until it is stopped. */
function watch(client: Client): { stop(): Promise<Timed[]> } {
  let isOver = false
  const answers: Timed[] = []
  const done = (async () => {
    while (!isOver) {
      for (const path of ['/healthz', STATIC]) answers.push(await timed(() => client.get(path)))
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })()
  return {
    async stop() {
      isOver = true
      await done
      assert.deepEqual(statusesOf(answers), [200])
      return answers
    },
  }
}

const put = (client: Client, title: string) => client.post('/page', { title, content: 'x' })

describe('the wiki on a PostgreSQL that is slow or silent', () => {
  let place: Place
  let gate: Gate
  let wiki: Wiki
  let ann: Client
  before(async () => {
    place = await serversPlace({ SECRET })
    const { DATABASE_URL = '' } = place.variables
    gate = await Gate.open(DATABASE_URL)
    wiki = await Wiki.start({ ...place.variables, DATABASE_URL: gate.through(DATABASE_URL) })
    ann = await Client.user(wiki, 'ann')
  })
  after(async () => {
    gate?.thaw()
    await wiki?.stop()
    await gate?.close()
    await place?.remove()
  })

  it('answers slowly what needs the database, and the rest at once', async (t) => {
    const delay = size(20, 100)
    const count = size(20, 200)
    gate.slow(delay)
    const others = watch(ann)
    const answers = await Promise.all(
      Array.from({ length: count }, (_, number) => timed(() => put(ann, `Slow ${number}`))),
    )
    const watched = await others.stop()
    gate.slow(0)
    t.diagnostic(
      `${2 * delay} ms for each query, ${count} writes at once: p50 ${quantile(answers, 0.5)} ms, p99 ${quantile(answers, 0.99)} ms, ${answers.filter(({ status }) => status === 503).length} refused; others p99 ${quantile(watched, 0.99)} ms`,
    )
    for (const { status, retryAfter } of answers) {
      assert.ok(status === 201 || (status === 503 && retryAfter !== null), String(status))
    }
    assert.ok(answers.some(({ status }) => status === 201))
  })

  for (const [kind, forgets] of [
    ['goes on after a while', false],
    ['has forgotten its connections', true],
  ] as const) {
    it(`answers 503 in time while PostgreSQL is silent, and recovers when it ${kind}`, async (t) => {
      for (let round = 0; round < size(1, 3); round++) {
        const title = `Before ${kind} ${round}`
        assert.equal((await put(ann, title)).status, 201)
        // All connections of the pool are in use.
        await Promise.all(Array.from({ length: 20 }, () => ann.get('/page.json')))
        gate.freeze()
        const others = watch(ann)
        const writes = Array.from({ length: 30 }, (_, number) =>
          timed(() => put(ann, `During ${kind} ${round} ${number}`)),
        )
        assert.equal((await ann.get('/readyz')).status, 503)
        const answers = await Promise.all(writes)
        const watched = await others.stop()
        gate.thaw(forgets)
        const begin = performance.now()
        await until('/readyz is 200', async () => (await ann.get('/readyz')).status === 200)
        await until('pages are written', async () => (await put(ann, `After ${title}`)).status !== 503)
        const recovered = performance.now() - begin
        t.diagnostic(
          `30 writes: ${statusesOf(answers)} after p50 ${quantile(answers, 0.5)} ms, at most ${quantile(answers, 1)} ms; others p99 ${quantile(watched, 0.99)} ms; recovered in ${recovered.toFixed(0)} ms`,
        )
        assert.deepEqual(statusesOf(answers), [503])
        assert.ok(answers.every(({ retryAfter }) => retryAfter !== null))
        assert.ok(quantile(answers, 1) < 30_000)
        // What was acknowledged is there.
        assert.equal((await ann.get(`/page/${title}.json`)).status, 200)
        assert.equal((await ann.get(`/page/After ${title}.json`)).status, 200)
      }
    })
  }
})

/** Time for which the wiki waits for a locked file, in milliseconds. */
const LOCK_TIMEOUT = 5000

const LOCK = fileURLToPath(new URL('./lock-database.ts', import.meta.url))

/** Locks a file of SQLite in another process. Returns a function that releases it. */
async function lock(path: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [LOCK, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  await once(child.stdout, 'data')
  return async () => {
    child.stdin.end()
    await exited
  }
}

describe('the wiki on a SQLite that another process has locked', () => {
  let place: Place
  let wiki: Wiki
  let ann: Client
  before(async () => {
    place = await sqlitePlace({ SECRET })
    wiki = await Wiki.start(place.variables)
    ann = await Client.user(wiki, 'ann')
  })
  after(async () => {
    await wiki?.stop()
    await place?.remove()
  })

  const path = () => (place.variables.DATABASE_URL ?? '').slice('sqlite:'.length)

  it('writes when it is released, and serves the rest in the meantime', async (t) => {
    for (let round = 0; ; round++) {
      const release = await lock(path())
      const others = watch(ann)
      const begin = performance.now()
      const writes = Array.from({ length: 20 }, (_, number) => timed(() => put(ann, `Waiting ${round} ${number}`)))
      await new Promise((resolve) => setTimeout(resolve, 1000))
      await release()
      const locked = performance.now() - begin
      const answers = await Promise.all(writes)
      const watched = await others.stop()
      t.diagnostic(
        `locked for ${locked.toFixed(0)} ms, 20 writes: ${statusesOf(answers)} after at most ${quantile(answers, 1)} ms; others p99 ${quantile(watched, 0.99)} ms`,
      )
      // On a busy machine the lock is held longer than the wiki waits.
      if (locked > LOCK_TIMEOUT) continue
      assert.deepEqual(statusesOf(answers), [201])
      return
    }
  })

  it('answers 503 if it is not released, and stores nothing of that', async (t) => {
    const release = await lock(path())
    const others = watch(ann)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, number) => timed(() => put(ann, `Refused ${number}`))),
    )
    const watched = await others.stop()
    await release()
    t.diagnostic(
      `20 writes: ${statusesOf(answers)} after p50 ${quantile(answers, 0.5)} ms, at most ${quantile(answers, 1)} ms; others p99 ${quantile(watched, 0.99)} ms`,
    )
    assert.deepEqual(statusesOf(answers), [503])
    assert.ok(answers.every(({ retryAfter }) => retryAfter !== null))
    assert.equal((await ann.get('/page/Refused 0.json')).status, 404)
    assert.equal((await put(ann, 'Refused 0')).status, 201)
  })
})
