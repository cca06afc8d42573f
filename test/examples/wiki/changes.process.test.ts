import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { SaxesParser } from 'saxes'
import { Client, describeWiki, type Place, serversPlace, skipServers, Wiki } from './wiki.ts'

interface Event {
  readonly id: number
  readonly type: string
  readonly data: { title: string; version: number; author: string }
}

/** Opens a stream of server-sent events. It has those of all changes that follow, because its head is sent after it begins. */
async function eventsOf(
  client: Client,
  headers: Record<string, string> = {},
  log: string[] = [],
): Promise<AsyncGenerator<Event>> {
  const response = await client.fetch('GET', '/events', { headers })
  assert.equal(response.headers.get('content-type'), 'text/event-stream')
  assert.equal(response.headers.get('content-encoding'), null)
  assert.ok(response.body)
  return parsed(response.body, log)
}

async function* parsed(body: AsyncIterable<Uint8Array>, log: string[]): AsyncGenerator<Event> {
  let rest = ''
  for await (const chunk of body) {
    const blocks = (rest + new TextDecoder().decode(chunk)).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      log.push(block)
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s)))
      if (fields.data) yield { id: Number(fields.id), type: fields.event, data: JSON.parse(fields.data) }
    }
  }
}

async function take(events: AsyncGenerator<Event>, count: number): Promise<Event[]> {
  const taken: Event[] = []
  while (taken.length < count) {
    const { value, done } = await events.next()
    assert.ok(!done, 'the stream has ended')
    taken.push(value)
  }
  return taken
}

describeWiki('GET /events of the wiki', (wiki) => {
  let ann: Client
  before(async () => {
    ann = await Client.user(wiki(), 'ann')
    await ann.post('/page', { title: 'Before', content: '' })
  })

  it('sends each change from now on, with an id that grows', async () => {
    const events = await eventsOf(new Client(wiki()), { 'accept-encoding': 'gzip' })
    const first = events.next()
    await ann.post('/page', { title: 'Live', content: '' })
    await ann.put('/page/Live', { content: 'x', version: '1' })
    const [one, two] = [(await first).value as Event, ...(await take(events, 1))]
    await events.return(undefined)
    assert.deepEqual(one?.data, { title: 'Live', version: 1, author: 'ann' })
    assert.deepEqual(two?.data, { title: 'Live', version: 2, author: 'ann' })
    assert.equal(one?.type, 'page')
    assert.ok(two && one && two.id > one.id)
  })

  it('sends nothing for an unchanged content', async () => {
    await ann.post('/page', { title: 'Same', content: 'x' })
    const events = await eventsOf(new Client(wiki()))
    const first = events.next()
    await ann.put('/page/Same', { content: 'x', version: '1' })
    await ann.put('/page/Same', { content: 'y', version: '1' })
    assert.equal(((await first).value as Event).data.version, 2)
    await events.return(undefined)
  })

  it('sends comments while nothing changes', async () => {
    const log: string[] = []
    const events = await eventsOf(new Client(wiki()), {}, log)
    const first = events.next()
    while (log.filter((block) => block === ':').length < 3) await new Promise((resolve) => setTimeout(resolve, 10))
    await ann.post('/page', { title: 'After comments', content: '' })
    await first
    await events.return(undefined)
  })

  it('replays what was missed, at least a thousand changes', async () => {
    await ann.post('/page', { title: 'Many', content: '' })
    const all = await eventsOf(new Client(wiki()), { 'last-event-id': '0' })
    const [start] = await take(all, 1)
    await all.return(undefined)
    for (let version = 1; version <= 1000; version++) {
      await ann.put('/page/Many', { content: `${version}`, version: `${version}` })
    }
    const events = await eventsOf(new Client(wiki()), { 'last-event-id': String(start?.id) })
    const missed: Event[] = []
    while (missed.at(-1)?.data.version !== 1001) missed.push(...(await take(events, 1)))
    await events.return(undefined)
    const versions = missed.filter(({ data }) => data.title === 'Many').map(({ data }) => data.version)
    assert.deepEqual(
      versions,
      Array.from({ length: 1001 }, (_, index) => index + 1),
    )
    assert.deepEqual(
      missed.map(({ id }) => id),
      missed.map(({ id }) => id).sort((a, b) => a - b),
    )
  })

  it('begins with the oldest change for an id that is not known', async () => {
    const [oldest, first] = await Promise.all(
      ['0', '99999999'].map(async (id) => {
        const events = await eventsOf(new Client(wiki()), { 'last-event-id': id })
        const taken = await take(events, 1)
        await events.return(undefined)
        return taken[0]
      }),
    )
    assert.ok(first)
    assert.deepEqual(first, oldest)
  })

  for (const id of ['x', '-1']) {
    it(`begins now for the id ${id}`, async () => {
      const events = await eventsOf(new Client(wiki()), { 'last-event-id': id })
      const first = events.next()
      await ann.post('/page', { title: `After ${id}`, content: '' })
      assert.equal(((await first).value as Event).data.title, `After ${id}`)
      await events.return(undefined)
    })
  }
})

describeWiki('GET /feed.atom of the wiki', (wiki) => {
  it('is well-formed, with absolute links, and 304 when nothing has changed', async () => {
    const ann = await Client.user(wiki(), 'ann')
    await ann.post('/page', { title: '<b> & "ü"', content: '' })
    for (let number = 0; number < 55; number++) await ann.post('/page', { title: `Page ${number}`, content: '' })
    const visitor = new Client(wiki())
    const { text, headers } = await visitor.get('/feed.atom', {
      'x-forwarded-prefix': '/w',
      'x-forwarded-proto': 'https',
    })
    assert.equal(headers.get('content-type'), 'application/atom+xml; charset=utf-8')
    const links: string[] = []
    const names: string[] = []
    const parser = new SaxesParser({ xmlns: true })
    parser.on('opentag', ({ name, attributes }) => {
      names.push(name)
      if (attributes.href) links.push(attributes.href.value)
    })
    parser.write(text).close()
    assert.equal(names.filter((name) => name === 'entry').length, 50)
    assert.equal(names.filter((name) => name === 'id').length, 51)
    assert.equal(new Set(text.match(/urn:uuid:[\da-f-]{36}/g)).size, 50)
    for (const link of links) assert.match(link, /^https:\/\/127\.0\.0\.1:\d+\/w\//)
    const feed = await visitor.get('/feed.atom')
    assert.ok(feed.headers.get('last-modified'))
    const etag = feed.headers.get('etag') ?? ''
    assert.equal((await visitor.get('/feed.atom', { 'if-none-match': etag })).status, 304)
    await ann.put('/page/Page%201', { content: 'x', version: '1' })
    assert.equal((await visitor.get('/feed.atom', { 'if-none-match': etag })).status, 200)
  })
})

describe('two processes on one PostgreSQL and one Redis', { skip: skipServers }, () => {
  let place: Place
  let one: Wiki
  let two: Wiki
  before(async () => {
    place = await serversPlace({ SECRET: 'the secret of the two processes together' })
    const started = await Promise.all([Wiki.start(place.variables), Wiki.start(place.variables)])
    one = started[0]
    two = started[1]
  })
  after(async () => {
    await Promise.all([one?.stop(), two?.stop()])
    await place?.remove()
  })

  it('are one wiki', async () => {
    const ann = await Client.user(one, 'ann')
    const other = new Client(two, { accept: 'application/json' })
    for (const [name, value] of ann.cookies) other.cookies.set(name, value)
    const events = await eventsOf(new Client(one))
    const first = events.next()
    assert.equal((await other.post('/page', { title: 'On two', content: '' })).status, 201)
    assert.deepEqual(((await first).value as Event).data, { title: 'On two', version: 1, author: 'ann' })
    await events.return(undefined)
    const { headers } = await ann.get('/page/On%20two')
    assert.equal((await other.get('/page/On%20two', { 'if-none-match': headers.get('etag') ?? '' })).status, 304)
    assert.equal((await other.post('/logout', {})).status, 303)
    assert.equal((await ann.post('/page', { title: 'x', content: '' })).status, 401)
  })

  it('count failed logins together', async () => {
    const guess = (wiki: Wiki) =>
      new Client(wiki, { address: '192.0.2.10' }).post('/login', { name: 'guessed', password: 'x' })
    for (let failure = 0; failure < 5; failure++) {
      for (const wiki of [one, two]) assert.equal((await guess(wiki)).status, 401)
    }
    for (const wiki of [one, two]) assert.equal((await guess(wiki)).status, 429)
  })
})
