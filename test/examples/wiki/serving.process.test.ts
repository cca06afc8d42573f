import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { get, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { BROWSER, Client, describeWiki, type Place, spawnWiki, sqlitePlace, Wiki } from './wiki.ts'

const SECRET = 'a secret of at least 32 characters'

describe('settings of the wiki', () => {
  for (const [variables, ...wanted] of [
    [
      {
        PORT: 'http',
        LISTEN: '/run/x.sock',
        DATABASE_URL: 'mysql://root:hidden@localhost/x',
        REDIS_URL: 'http://x',
        MAX_UPLOAD: '0',
        ADMIN_PASSWORD: 'hidden',
        TRUST_PROXY: '10.0.0.0/33',
        PROXY_HEADERS: 'both',
        HEARTBEAT: '-1',
        WORKERS: 'many',
      },
      /PORT: /,
      /LISTEN: /,
      /DATABASE_URL: /,
      /REDIS_URL: /,
      /MAX_UPLOAD: /,
      /ADMIN_PASSWORD: /,
      /TRUST_PROXY: /,
      /PROXY_HEADERS: must be 'x-forwarded' or 'forwarded'/,
      /HEARTBEAT: /,
      /WORKERS: /,
    ],
    [{ PORT: '65536', WORKERS: '0' }, /PORT: .*\n\s*WORKERS: /],
    [{ NODE_ENV: 'production' }, /SECRET: is required in production/],
    [{ NODE_ENV: 'production', SECRET: 'hidden' }, /SECRET: needs 32 characters or more/],
    [{ DATABASE_URL: 'postgres://ann:hidden@127.0.0.1:1/x' }, /^DATABASE_URL .*ECONNREFUSED.*\n$/],
    [{ DATABASE_URL: 'sqlite:/' }, /^DATABASE_URL .*\n$/],
    [{ UPLOADS: '/dev/null/x' }, /^UPLOADS .*\n$/],
  ] as const) {
    it(`refuses ${Object.keys(variables).join(', ')}: ${wanted.at(-1)}`, async () => {
      const directory = join('/nonexistent')
      const child = spawnWiki({ DATABASE_URL: 'sqlite::memory:', UPLOADS: directory, ...variables })
      const exited = once(child, 'exit')
      assert.ok(child.stderr)
      const errors = (await text(child.stderr)).replace(/^REDIS_URL is not set.*\n/, '')
      for (const message of wanted) assert.match(errors, message)
      assert.doesNotMatch(errors, /hidden|\n {4}at /)
      assert.deepEqual(await exited, [1, null])
    })
  }
})

describeWiki('every answer of the wiki', (wiki) => {
  let visitor: Client
  before(() => {
    visitor = new Client(wiki(), { accept: BROWSER })
  })

  it('has an id, its own if that is good', async () => {
    for (const [sent, isKept] of [
      ['abc-1._Z', true],
      ['x'.repeat(128), true],
      ['x'.repeat(129), false],
      ['a b', false],
    ] as const) {
      const id = (await visitor.get('/none', { 'x-request-id': sent })).headers.get('x-request-id')
      assert.equal(id === sent, isKept)
      assert.match(id ?? '', /^[A-Za-z0-9._-]{1,128}$/)
    }
  })

  for (const path of ['/page/FrontPage', '/none', '/page/none', '/static/none', '/page?page=x', '/login', '/rpc']) {
    it(`has the headers of a page at ${path}`, async () => {
      const { headers, text: page } = await visitor.get(path)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.ok(headers.get('referrer-policy'))
      assert.match(headers.get('content-type') ?? '', /^text\/html/)
      const policy = headers.get('content-security-policy') ?? ''
      assert.match(policy, /frame-ancestors 'none'/)
      assert.doesNotMatch(policy, /unsafe-inline/)
      assert.doesNotMatch(page, /style="|onclick=/)
    })
  }

  it('has an error of JSON for programs', async () => {
    const program = new Client(wiki(), { accept: 'application/json' })
    for (const path of ['/none', '/page/none', '/page?page=x', '/page/FrontPage/history/9', '/static/none']) {
      const { headers, json } = await program.get(path)
      assert.equal(headers.get('content-type'), 'application/problem+json')
      assert.ok(json.status >= 400 && json.title)
    }
  })

  it('is 405 with Allow for another method', async () => {
    for (const path of ['/page', '/static/wiki.css', '/healthz', '/feed.atom']) {
      const { status, headers } = await visitor.send('PATCH', path)
      assert.equal(status, 405)
      assert.match(headers.get('allow') ?? '', /GET/)
    }
  })

  it('is compressed if it is text over 1 KiB', async () => {
    for (const path of ['/page/FrontPage', '/static/wiki.css', '/feed.atom']) {
      for (const coding of ['br', 'gzip', 'zstd']) {
        const { headers } = await visitor.fetch('HEAD', path, { headers: { 'accept-encoding': coding } })
        assert.match(headers.get('vary') ?? '', /Accept-Encoding/i)
        if (path !== '/feed.atom') assert.equal(headers.get('content-encoding'), coding)
      }
    }
  })

  it('has static files with fingerprints', async () => {
    const { text: page } = await visitor.get('/page/FrontPage')
    const url = /href="(\/static\/wiki\.css[^"]*)"/.exec(page)?.[1] ?? ''
    const { headers } = await visitor.get(url)
    assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
    const plain = await visitor.get('/static/wiki.css')
    assert.equal(plain.headers.get('cache-control'), 'no-cache')
    const same = await visitor.get('/static/wiki.css', { 'if-none-match': plain.headers.get('etag') ?? '' })
    assert.equal(same.status, 304)
    assert.doesNotMatch((await visitor.get(`${url}0`)).headers.get('cache-control') ?? '', /immutable/)
    for (const path of ['/static/', '/static/..%2fapp.ts', '/static/.env', '/static']) {
      assert.equal((await visitor.get(path)).status, 404)
    }
  })

  it('is healthy and ready', async () => {
    assert.equal((await visitor.get('/healthz')).text, 'ok')
    assert.equal((await visitor.get('/readyz')).text, 'ready')
  })

  it('has the outer URLs behind a trusted proxy', async () => {
    const outer = {
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'wiki.example',
      'x-forwarded-prefix': '/team',
    }
    const { headers } = await visitor.get('/', outer)
    assert.equal(headers.get('location'), '/team/page/FrontPage')
    const { text: page } = await visitor.get('/page/FrontPage', outer)
    for (const [, url] of page.matchAll(/(?:href|src|action)="(\/[^"]*)"/g)) assert.match(url ?? '', /^\/team\//)
    const login = await visitor.get('/admin/users', outer)
    assert.equal(login.headers.get('location'), '/team/login?next=%2Fteam%2Fadmin%2Fusers')
    const done = await visitor.post('/register', { name: `user-${Date.now()}`, password: 'correct horse' }, outer)
    assert.equal(done.headers.get('location'), '/team/')
    assert.match(done.headers.get('set-cookie') ?? '', /Path=\/team(?:;|$)/)
    assert.match(done.headers.get('set-cookie') ?? '', /Secure/)
    assert.match((await visitor.get('/page/FrontPage.json', outer)).json.link, /^\/team\//)
  })
})

describe('PROXY_HEADERS of the wiki', () => {
  const sent = {
    forwarded: 'for=203.0.113.8;proto=https;host=wiki.example',
    'x-forwarded-host': 'shop.example',
    'x-forwarded-prefix': '/team',
  }
  for (const [variables, link] of [
    [{}, 'http://shop.example/team/feed.atom'],
    [{ PROXY_HEADERS: 'forwarded' }, 'https://wiki.example/feed.atom'],
  ] as const) {
    it(`is ${JSON.stringify(variables)}: the feed is ${link}`, async (test) => {
      const place = await sqlitePlace(variables)
      let wiki: Wiki | undefined
      test.after(async () => {
        await wiki?.stop()
        await place.remove()
      })
      wiki = await Wiki.start(place.variables)
      const { text: feed } = await new Client(wiki).get('/feed.atom', sent)
      assert.ok(feed.includes(`href="${link}"`), feed.slice(0, 1000))
    })
  }
})

describe('the log of the wiki', () => {
  let place: Place
  let wiki: Wiki
  before(async () => {
    place = await sqlitePlace({ NODE_ENV: 'production', SECRET })
    wiki = await Wiki.start(place.variables)
  })
  after(async () => {
    await wiki?.stop()
    await place?.remove()
  })

  it('has a line of JSON for each request, without secrets', async () => {
    const client = new Client(wiki, { address: '192.0.2.1' })
    await client.get('/page/FrontPage?secret=1', { 'x-request-id': 'one' })
    await client.post('/login', { name: 'x', password: 'my secret' })
    await client.get('/healthz')
    await client.get('/static/wiki.css')
    await client.get('/page/%FF')
    const abort = new AbortController()
    const stream = await fetch(`${wiki.url}/events`, { signal: abort.signal })
    await stream.body?.getReader().read()
    abort.abort()
    while (wiki.lines.length < 6) await once(wiki.process.stdout ?? wiki.process, 'data')
    const entries = wiki.lines.map((line) => JSON.parse(line))
    assert.deepEqual(
      entries.map(({ method, path, status }) => `${method} ${path} ${status}`),
      [
        'GET /page/FrontPage 200',
        'POST /login 401',
        'GET /healthz 200',
        'GET /static/wiki.css 200',
        'GET /page/%FF 400',
        'GET /events 200',
      ],
    )
    const [{ time, ms, ...first }] = entries
    assert.equal(new Date(time).toISOString(), time)
    assert.equal(typeof ms, 'number')
    assert.deepEqual(first, {
      id: 'one',
      method: 'GET',
      path: '/page/FrontPage',
      status: 200,
      route: '/page/{title}{.format}',
      controller: 'pages',
      action: 'show',
      remote: '192.0.2.1',
    })
    assert.doesNotMatch(wiki.lines.join(), /secret/)
  })
})

describe('the process of the wiki', () => {
  let place: Place
  before(async () => {
    place = await sqlitePlace({ SECRET })
  })
  after(() => place.remove())

  it('shuts down in order on SIGTERM', async () => {
    const wiki = await Wiki.start(place.variables)
    const stream = await fetch(`${wiki.url}/events`)
    const { hostname, port } = new URL(wiki.url)
    const ann = await Client.user(wiki, 'ann')
    const cookie = [...ann.cookies].map((pair) => pair.join('=')).join('; ')
    const body = new URLSearchParams({ title: 'Late', content: 'x' }).toString()
    const type = 'application/x-www-form-urlencoded'
    const running = request({
      hostname,
      port,
      path: '/page',
      method: 'POST',
      headers: { cookie, 'content-type': type, 'content-length': body.length },
    })
    running.write(body.slice(0, 5))
    await once(running, 'socket')
    assert.equal((await fetch(`${wiki.url}/readyz`)).status, 200)
    wiki.process.kill('SIGTERM')
    assert.equal(await stream.text().then((events) => events.replaceAll(':\n\n', '')), '')
    // The port is closed after a second.
    const { status } = await fetch(`${wiki.url}/readyz`).catch(() => ({ status: 503 }))
    assert.equal(status, 503)
    running.end(body.slice(5))
    const [response] = await once(running, 'response')
    assert.equal(response.statusCode, 201)
    response.resume()
    assert.deepEqual(await wiki.exited, [0, null])
  })

  it('keeps what it has acknowledged if it is killed', async () => {
    const first = await Wiki.start(place.variables)
    const bob = await Client.user(first, 'bob')
    assert.equal((await bob.post('/page', { title: 'Kept', content: 'x' })).status, 201)
    first.process.kill('SIGKILL')
    await first.exited
    const second = await Wiki.start(place.variables)
    assert.equal((await new Client(second).get('/page/Kept')).status, 200)
    assert.match((await new Client(second, { accept: BROWSER }).get('/page/FrontPage')).text, /Sign in/)
    await second.stop()
  })

  it('removes what an upload of a killed process has left', async () => {
    const uploads = place.variables.UPLOADS ?? ''
    const names = ['.upload-1', '.upload-2', '00000000-0000-4000-8000-000000000000', 'other']
    for (const name of names) await writeFile(join(uploads, name), 'x')
    for (const name of names.slice(1)) await utimes(join(uploads, name), 0, 0)
    const wiki = await Wiki.start(place.variables)
    assert.deepEqual((await readdir(uploads)).sort(), ['.upload-1', 'other'])
    await wiki.stop()
    await rm(join(uploads, '.upload-1'))
  })

  it('listens on a unix socket, with several workers', async () => {
    const path = join(place.directory, 'wiki.sock')
    const wiki = await Wiki.start({ ...place.variables, LISTEN: `unix:${path}`, WORKERS: '2' })
    assert.equal(wiki.url, `unix:${path}`)
    const statuses: (number | undefined)[] = []
    for (let count = 0; count < 4; count++) {
      const [response] = await once(get({ socketPath: path, path: '/page/FrontPage' }), 'response')
      statuses.push(response.statusCode)
      response.resume()
    }
    assert.deepEqual(statuses, [200, 200, 200, 200])
    assert.equal(wiki.errors.match(/events stay within each process/g)?.length, 1)
    wiki.process.kill('SIGTERM')
    assert.deepEqual(await wiki.exited, [0, null])
  })

  it('starts twice at once on one new database', async () => {
    const fresh = await sqlitePlace()
    const results = await Promise.allSettled([1, 2, 3].map(() => Wiki.start(fresh.variables)))
    const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    try {
      assert.deepEqual(
        results.map((result) => (result.status === 'rejected' ? result.reason : undefined)),
        [undefined, undefined, undefined],
      )
      for (const wiki of started) {
        const { json } = await new Client(wiki, { accept: 'application/json' }).get('/page')
        assert.equal(json.total, 1)
      }
    } finally {
      await Promise.all(started.map((wiki) => wiki.stop()))
      await fresh.remove()
    }
  })
})
