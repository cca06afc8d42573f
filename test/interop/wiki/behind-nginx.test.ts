import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Place, sqlitePlace, Wiki } from '../../examples/wiki/wiki.ts'
import { Browser, upload } from './browser.ts'
import { type Nginx, PREFIX, startNginx } from './nginx.ts'
import { until } from './servers.ts'

const SECRET = 'a secret of at least 32 characters'
const ANN = { name: 'ann', password: 'correct horse' }
const CLIENT = '127.0.0.2'

describe('the wiki behind nginx with TLS and a prefix', () => {
  let place: Place
  let wiki: Wiki
  let nginx: Nginx
  let ann: Browser
  const visitor = () => new Browser(nginx.origin, { ca: nginx.ca, localAddress: CLIENT })

  before(async () => {
    place = await sqlitePlace({ NODE_ENV: 'production', SECRET, TRUST_PROXY: 'unix', MAX_UPLOAD: '3000000' })
    const socket = join(place.directory, 'wiki.sock')
    wiki = await Wiki.start({ ...place.variables, LISTEN: `unix:${socket}` })
    nginx = await startNginx(place.directory, socket)
    ann = visitor()
    assert.equal((await ann.send('POST', `${PREFIX}/register`, { form: ANN })).status, 303)
    const form = { title: 'Über uns', content: 'x '.repeat(1000) }
    assert.equal((await ann.send('POST', `${PREFIX}/page`, { form })).status, 201)
  })
  after(async () => {
    await nginx?.stop()
    await wiki?.stop()
    await place?.remove()
  })

  it('keeps its cookies to https and the prefix', async () => {
    const browser = visitor()
    const { status, headers } = await browser.send('POST', `${PREFIX}/login`, { form: ANN })
    assert.equal(status, 303)
    assert.equal(headers.location, `${PREFIX}/`)
    assert.ok(headers['set-cookie']?.length)
    for (const cookie of headers['set-cookie']) {
      assert.match(cookie, /; Path=\/team(;|$)/)
      assert.match(cookie, /; Secure(;|$)/)
      assert.match(cookie, /; HttpOnly(;|$)/)
      assert.match(cookie, /; SameSite=Lax(;|$)/)
    }
    assert.equal(await browser.jar.getCookieString(`${nginx.origin}/other`), '')
    assert.match((await browser.send('GET', `${PREFIX}/page/FrontPage`)).text, /\bann\b/)
  })

  it('ends a session, whose cookie is worth nothing then', async () => {
    const browser = visitor()
    await browser.send('POST', `${PREFIX}/login`, { form: ANN })
    const cookie = await browser.jar.getCookieString(nginx.url)
    const { status, headers } = await browser.send('POST', `${PREFIX}/logout`)
    assert.deepEqual([status, headers.location], [303, `${PREFIX}/`])
    const { text } = await visitor().send('GET', `${PREFIX}/page/FrontPage`, { headers: { cookie } })
    assert.doesNotMatch(text, /\bann\b/)
  })

  it('redirects to outer paths', async () => {
    const { status, headers } = await visitor().send('GET', `${PREFIX}/`)
    assert.deepEqual([status, headers.location], [302, `${PREFIX}/page/FrontPage`])
  })

  it('leads through the login to the requested page', async () => {
    const browser = visitor()
    const refused = await browser.send('GET', `${PREFIX}/admin/users?x=1`)
    const login = refused.headers.location ?? ''
    assert.equal(login, `${PREFIX}/login?next=${encodeURIComponent(`${PREFIX}/admin/users?x=1`)}`)
    const { text } = await browser.send('GET', login)
    const next = /name="next" value="([^"]*)"/.exec(text)?.[1] ?? ''
    const done = await browser.send('POST', `${PREFIX}/login`, { form: { ...ANN, next } })
    assert.deepEqual([done.status, done.headers.location], [303, `${PREFIX}/admin/users?x=1`])
  })

  it('does not lead out of the prefix after the login', async () => {
    const form = { ...ANN, next: '//evil.example/' }
    const { headers } = await visitor().send('POST', `${PREFIX}/login`, { form })
    assert.equal(headers.location, `${PREFIX}/`)
  })

  it('accepts forms of its own origin only', async () => {
    const form = { title: `Page ${Date.now()}`, content: '' }
    for (const [origin, status] of [
      ['https://evil.example', 403],
      [nginx.origin, 201],
    ] as const) {
      const answer = await ann.send('POST', `${PREFIX}/page`, { form, headers: { origin } })
      assert.equal(answer.status, status, origin)
    }
  })

  it('has links that all work', async () => {
    const { text } = await ann.send('GET', `${PREFIX}/page/FrontPage`)
    const urls = [...text.matchAll(/(?:href|src|action)="(\/[^"#]*)"/g)].map(([, url = '']) =>
      url.replaceAll('&amp;', '&'),
    )
    assert.ok(urls.length > 5)
    for (const url of urls) {
      assert.ok(url.startsWith(`${PREFIX}/`), url)
      const { status } = await ann.send('GET', url)
      // Some forms go to URLs that only take POST.
      assert.ok(status < 400 || (status === 405 && text.includes(`action="${url}"`)), `${url} ${status}`)
    }
  })

  it('has a feed with outer links', async () => {
    const { status, text, headers } = await visitor().send('GET', `${PREFIX}/feed.atom`)
    assert.equal(status, 200)
    const links = [...text.matchAll(/href="([^"]*)"/g)].map(([, url = '']) => url)
    assert.ok(links.length >= 3)
    for (const link of links) {
      assert.ok(link.startsWith(`${nginx.url}/`), link)
      assert.equal((await visitor().send('GET', link.slice(nginx.origin.length))).status, 200)
    }
    const again = await visitor().send('GET', `${PREFIX}/feed.atom`, {
      headers: { 'if-none-match': headers.etag ?? '' },
    })
    assert.equal(again.status, 304)
  })

  it('serves static files, compressed and to be kept', async () => {
    const { text } = await visitor().send('GET', `${PREFIX}/page/FrontPage`)
    const url = /href="([^"]*\/static\/wiki\.css[^"]*)"/.exec(text)?.[1] ?? ''
    const { status, headers } = await visitor().send('GET', url, { headers: { 'accept-encoding': 'gzip' } })
    assert.equal(status, 200)
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(headers['content-encoding'], 'gzip')
  })

  it('takes uploads larger than the limit of nginx, and serves ranges of them', async () => {
    const content = 'y'.repeat(2_000_000)
    const { status, headers } = await ann.send(
      'POST',
      `${PREFIX}/page/%C3%9Cber%20uns/files`,
      upload('ä b.txt', content),
    )
    assert.deepEqual([status, headers.location], [303, `${PREFIX}/page/%C3%9Cber%20uns/files`])
    const list = await ann.send('GET', headers.location ?? '', { headers: { accept: 'application/json' } })
    const [file] = JSON.parse(list.text).files
    assert.deepEqual([file.name, file.size], ['ä b.txt', content.length])
    assert.equal((await visitor().send('GET', file.link)).text, content)
    const part = await visitor().send('GET', file.link, { headers: { range: 'bytes=-5' } })
    assert.deepEqual([part.status, part.text], [206, 'yyyyy'])
  })

  it('answers 413 beyond MAX_UPLOAD', async () => {
    const large = upload('large', 'z'.repeat(3_100_000))
    assert.equal((await ann.send('POST', `${PREFIX}/page/FrontPage/files`, large)).status, 413)
  })

  it('sends events as they happen', async () => {
    const stream = await visitor().open('GET', `${PREFIX}/events`, {
      headers: { accept: 'text/event-stream' },
    })
    assert.equal(stream.headers['content-type'], 'text/event-stream')
    let events = ''
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      events += chunk
    })
    const form = { title: `News ${Date.now()}`, content: '' }
    await ann.send('POST', `${PREFIX}/page`, { form })
    await until('the event arrives', () => events.includes(form.title))
    assert.match(events, /^id: \d+$/m)
    stream.destroy()
  })

  it('has the id of the request, and its client, in the log', async () => {
    const headers = { 'x-request-id': 'from.nginx-1', 'x-forwarded-for': '203.0.113.7' }
    const spoofed = {
      ...headers,
      forwarded: 'for=203.0.113.8;host=evil.example',
      'x-forwarded-prefix': '/evil',
    }
    const answer = await visitor().send('GET', `${PREFIX}/`, { headers: spoofed })
    assert.equal(answer.headers['x-request-id'], 'from.nginx-1')
    assert.equal(answer.headers.location, `${PREFIX}/page/FrontPage`)
    const line = () => wiki.lines.find((entry) => entry.includes('"from.nginx-1"'))
    while (line() === undefined) await once(wiki.process.stdout ?? wiki.process, 'data')
    const { remote, status, path } = JSON.parse(line() ?? '{}')
    assert.deepEqual({ remote, status }, { remote: CLIENT, status: 302 })
    assert.match(path, /^(\/team)?\/$/)
  })
})
