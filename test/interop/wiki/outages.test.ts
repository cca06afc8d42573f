import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Client, type Place, serversPlace, Wiki } from '../../examples/wiki/wiki.ts'
import { Gate, OwnRedis, until } from './servers.ts'
import { size } from './size.ts'

const ROUNDS = size(1, 5)

describe('the wiki while its servers are gone', () => {
  let place: Place
  let gate: Gate
  let redis: OwnRedis
  let wiki: Wiki
  let ann: Client

  before(async () => {
    place = await serversPlace({ SECRET: 'a secret of at least 32 characters' })
    const { DATABASE_URL = '' } = place.variables
    gate = await Gate.open(DATABASE_URL)
    const directory = join(place.directory, 'redis')
    await mkdir(directory)
    redis = await OwnRedis.start(directory)
    const variables = { DATABASE_URL: gate.through(DATABASE_URL), REDIS_URL: redis.url }
    wiki = await Wiki.start({ ...place.variables, ...variables })
    ann = await Client.user(wiki, 'ann')
  })
  after(async () => {
    await wiki?.stop()
    await gate?.close()
    await redis?.kill()
    await place?.remove()
  })

  const isReady = async () => (await ann.get('/readyz')).status === 200

  for (const [what, gone, back] of [
    ['PostgreSQL', () => gate.close(), () => gate.open()],
    ['Redis', () => redis.kill(), () => redis.start()],
  ] as const) {
    it(`answers 503 without ${what}, recovers, and loses nothing that it acknowledged`, async (t) => {
      const statuses = new Map<number, number>()
      const acknowledged: string[] = []
      let isOver = false
      const written = (prefix: string) => acknowledged.filter((title) => title.startsWith(prefix)).length

      async function write(prefix: string): Promise<void> {
        for (let number = 0; !isOver; number++) {
          const title = `${prefix} ${number}`
          const { status, headers } = await ann.post('/page', { title, content: 'x' })
          if (status === 503) assert.match(headers.get('retry-after') ?? '', /^\d+$/)
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          if (status === 201) acknowledged.push(title)
          else await new Promise((resolve) => setTimeout(resolve, 20))
        }
      }

      const writers = [1, 2, 3, 4].map((writer) => write(`${what} ${writer}`))
      for (let round = 0; round < ROUNDS; round++) {
        const count = written(what)
        await until('pages are written', () => written(what) > count + 5)
        await gone()
        await until('/readyz is 503', async () => !(await isReady()))
        const errors = () => [...statuses].reduce((sum, [status, n]) => (status >= 500 ? sum + n : sum), 0)
        const before = errors()
        await until('writes are 5xx', () => errors() > before)
        assert.equal((await ann.get('/healthz')).status, 200)
        await back()
        await until('/readyz is 200', isReady)
        const recovered = written(what)
        await until('pages are written again', () => written(what) > recovered + 5)
      }
      isOver = true
      await Promise.all(writers)

      const { json: titles } = await ann.post('/rpc/wiki.getAllPages', '{}', {
        'content-type': 'application/json',
      })
      assert.deepEqual(
        acknowledged.filter((title) => !titles.includes(title)),
        [],
      )
      t.diagnostic(
        `${ROUNDS} outages, ${acknowledged.length} pages acknowledged, none lost; ${JSON.stringify([...statuses])}`,
      )
      for (const status of statuses.keys()) assert.ok(status === 201 || status === 503, String(status))
      assert.equal(wiki.process.exitCode, null)
    })
  }

  it('sends events after both have been away', async () => {
    const abort = new AbortController()
    const response = await fetch(`${wiki.url}/events`, { signal: abort.signal })
    const reader = response.body?.getReader()
    await ann.post('/page', { title: 'After all', content: '' })
    let events = ''
    while (!events.includes('"After all"')) {
      const { value, done } = (await reader?.read()) ?? { done: true }
      assert.ok(!done)
      events += Buffer.from(value ?? []).toString()
    }
    abort.abort()
  })
})
