import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Client, type Place, serversPlace, Wiki } from '../../examples/wiki/wiki.ts'
import { until } from './servers.ts'
import { size } from './size.ts'

const PASSWORD = 'correct horse'
const ROUNDS = size(10, 200)

/** Reads a stream of events until it is aborted. */
async function collect(wiki: Wiki, signal: AbortSignal, last?: string) {
  const headers: Record<string, string> = last === undefined ? {} : { 'last-event-id': last }
  const response = await fetch(`${wiki.url}/events`, { signal, headers })
  const stream = { text: '' }
  void (async () => {
    for await (const chunk of response.body ?? []) stream.text += Buffer.from(chunk).toString()
  })().catch(() => {})
  return stream
}

describe('two processes of the wiki on one PostgreSQL and one Redis', () => {
  let place: Place
  let wikis: readonly [Wiki, Wiki]
  let ann: readonly [Client, Client]

  /** Returns two clients with the same cookies, one for each process. */
  function pair(): readonly [Client, Client] {
    const options = { accept: 'application/json' }
    const both = [new Client(wikis[0], options), new Client(wikis[1], options)] as const
    Object.assign(both[1], { cookies: both[0].cookies })
    return both
  }

  before(async () => {
    place = await serversPlace({ SECRET: 'a secret of at least 32 characters' })
    wikis = await Promise.all([Wiki.start(place.variables), Wiki.start(place.variables)])
    ann = pair()
    const { status } = await ann[0].post('/register', { name: 'ann', password: PASSWORD })
    assert.equal(status, 303)
  })
  after(async () => {
    await Promise.all((wikis ?? []).map((wiki) => wiki.stop()))
    await place?.remove()
  })

  it('share a login, and its end', async () => {
    const both = pair()
    await both[0].post('/login', { name: 'ann', password: PASSWORD })
    const old = new Map(both[0].cookies)
    assert.equal((await both[1].post('/page', { title: 'Of both', content: 'x' })).status, 201)
    assert.equal((await both[1].post('/logout', {})).status, 303)
    for (const [name, value] of old) both[0].cookies.set(name, value)
    assert.equal((await both[0].post('/page', { title: 'Too late', content: 'x' })).status, 401)
  })

  it('end the sessions of a user who is removed', async () => {
    const bob = pair()
    await bob[0].post('/register', { name: 'bob', password: PASSWORD })
    const admin = await Client.signedIn(wikis[1])
    assert.equal((await admin.delete('/admin/users/bob', { accept: 'application/json' })).status, 204)
    assert.equal((await bob[0].post('/page', { title: 'Of nobody', content: 'x' })).status, 401)
  })

  it('send an event of one to the clients of both, in the same order', async () => {
    const abort = new AbortController()
    const streams = await Promise.all(wikis.map((wiki) => collect(wiki, abort.signal)))
    const titles = Array.from({ length: ROUNDS }, (_, number) => `Event ${number}`)
    await Promise.all(
      titles.map(async (title, number) => {
        assert.equal((await ann[(number % 2) as 0 | 1].post('/page', { title, content: '' })).status, 201)
      }),
    )
    const ids = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
    for (const stream of streams) {
      await until('all events arrive', () => ids(stream.text).length === ROUNDS)
      for (const title of titles) assert.ok(stream.text.includes(`"${title}"`))
      assert.deepEqual(
        ids(stream.text),
        ids(stream.text).toSorted((a, b) => a - b),
      )
    }
    const [first = 0] = ids(streams[0]?.text ?? '')
    const replayed = await collect(wikis[1], abort.signal, String(first))
    await until('missed events are replayed', () => ids(replayed.text).length === ROUNDS - 1)
    abort.abort()
  })

  it('count failed logins together', async () => {
    const attempts = pair()
    for (let count = 0; count < 10; count++) {
      const client = attempts[(count % 2) as 0 | 1]
      assert.equal((await client.post('/login', { name: 'carol', password: 'wrong one' })).status, 401)
    }
    for (const client of attempts) {
      const { status, headers } = await client.post('/login', { name: 'carol', password: 'wrong one' })
      assert.equal(status, 429)
      assert.ok(Number(headers.get('retry-after')) > 0)
    }
  })

  it('show nothing stale', async () => {
    await ann[0].post('/page', { title: 'Fresh', content: 'version 1' })
    for (let version = 1; version <= ROUNDS; version++) {
      const [writer, reader] = version % 2 === 0 ? ann : [ann[1], ann[0]]
      const before = await reader.get('/page/Fresh.json')
      assert.equal(before.json.version, version)
      const content = `version ${version + 1}`
      assert.equal((await writer.put('/page/Fresh', { content, version: String(version) })).status, 200)
      const etag = before.headers.get('etag') ?? ''
      const after = await reader.get('/page/Fresh.json', { 'if-none-match': etag })
      assert.deepEqual([after.status, after.json.content], [200, content])
      assert.match((await reader.get('/feed.atom')).text, /Fresh/)
      assert.equal((await reader.get(`/search.json?q=${encodeURIComponent(`"${content}`.slice(1))}`)).json.total, 1)
    }
    const admin = await Client.signedIn(wikis[0])
    assert.equal((await admin.delete('/page/Fresh', { accept: 'application/json' })).status, 204)
    assert.equal((await ann[1].get('/page/Fresh.json')).status, 404)
  })

  it('let one of two edits at the same time win', async () => {
    await ann[0].post('/page', { title: 'Contested', content: '' })
    for (let version = 1; version <= ROUNDS; version++) {
      const answers = await Promise.all(
        ann.map((client, number) =>
          client.put('/page/Contested', { content: `${version}.${number}`, version: String(version) }),
        ),
      )
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    }
    const { json } = await ann[0].get('/page/Contested/history.json')
    assert.equal(json.versions.length, ROUNDS + 1)
  })

  it('serve the files of each other', async () => {
    const form = new FormData()
    form.set('file', new File(['content'], 'shared.txt'))
    const { status } = await ann[0].post('/page/FrontPage/files', form)
    assert.equal(status, 201)
    assert.equal((await ann[1].get('/page/FrontPage/files/shared.txt')).text, 'content')
    const again = await ann[1].post('/page/FrontPage/files', form)
    assert.equal(again.status, 409)
  })
})
