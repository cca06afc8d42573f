import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { ADMIN_PASSWORD, BROWSER, Client, describeWiki } from './wiki.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

describeWiki('pages of the wiki', (wiki) => {
  let admin: Client
  let ann: Client
  let visitor: Client
  let browser: Client

  before(async () => {
    admin = new Client(wiki(), { accept: 'application/json', basic: `admin:${ADMIN_PASSWORD}` })
    ann = await Client.user(wiki(), 'ann')
    visitor = new Client(wiki(), { accept: 'application/json' })
    browser = await Client.signedIn(wiki(), 'ann', 'correct horse')
  })

  let pages = 0
  async function newPage(content = 'text'): Promise<string> {
    const title = `Page ${++pages}`
    assert.equal((await ann.post('/page', { title, content })).status, 201)
    return `/page/Page%20${pages}`
  }

  describe('GET /', () => {
    it('leads to the front page, which exists', async () => {
      const { status, headers } = await visitor.get('/')
      assert.deepEqual([status, headers.get('location')], [302, '/page/FrontPage'])
      assert.equal((await visitor.get('/page/FrontPage')).json.version, 1)
    })
  })

  describe('POST /page', () => {
    for (const [title, status] of [
      ['Über uns', 201],
      ['x'.repeat(120), 201],
      ['😀'.repeat(120), 201],
      ['john.doe', 201],
      ['a;b', 201],
      ['50% & more?#', 201],
      ['x'.repeat(121), 400],
      ['', 400],
      ['a/b', 400],
      ['a\tb', 400],
      ['a\u0085b', 400],
      ['a\0b', 400],
      [' a', 400],
      ['a ', 400],
      ['a\u00a0', 400],
      ['new', 400],
      ['.', 400],
      ['..', 400],
      ['a.json', 400],
      ['a.html', 400],
      ['a;edit', 400],
    ] as const) {
      it(`answers ${status} to the title ${JSON.stringify(title.slice(0, 20))}`, async () => {
        const created = await ann.post('/page', { title, content: 'c' })
        assert.equal(created.status, status)
        if (status === 400) return assert.equal(created.json.errors[0].name, 'title')
        const location = created.headers.get('location') ?? ''
        assert.equal((await visitor.get(location)).json.title, title)
        assert.equal((await ann.post('/page', { title, content: 'c' })).status, 409)
      })
    }

    it('stores titles in NFC', async () => {
      const { json, headers } = await ann.post('/page', { title: 'e\u0301tude', content: '' })
      assert.equal(json.title, '\u00e9tude')
      assert.equal(headers.get('location'), '/page/%C3%A9tude')
      assert.equal((await visitor.get('/page/e%CC%81tude')).status, 200)
    })

    it('names the fields that are missing', async () => {
      const { status, json } = await ann.post('/page', {})
      assert.equal(status, 400)
      assert.deepEqual(
        json.errors.map(({ name }: { name: string }) => name),
        ['title', 'content'],
      )
    })

    it('reads fields from JSON', async () => {
      const created = await ann.post('/page', { title: 'As JSON', content: '' }, JSON_TYPE)
      assert.deepEqual([created.status, created.json.content], [201, ''])
      assert.equal((await ann.post('/page', { title: 5, content: '' }, JSON_TYPE)).status, 400)
    })

    it('answers 409 with the location of the page that exists', async () => {
      const { status, headers } = await ann.post('/page', { title: 'FrontPage', content: '' })
      assert.deepEqual([status, headers.get('location')], [409, '/page/FrontPage'])
    })

    for (const [content, status] of [
      ['x'.repeat(256 * 1024), 201],
      ['x'.repeat(256 * 1024 + 1), 400],
      ['x'.repeat(2 * 1024 * 1024), 400],
      ['x'.repeat(5 * 1024 * 1024), 413],
      ['ü'.repeat(128 * 1024), 201],
      ['ü'.repeat(128 * 1024 + 1), 400],
      ['a\r\n'.repeat(128 * 1024), 201],
      ['a\0', 400],
    ] as const) {
      it(`answers ${status} to ${content.length} characters like ${JSON.stringify(content.slice(0, 3))}`, async () => {
        assert.equal((await ann.post('/page', { title: `Long ${++pages}`, content })).status, status)
      })
    }

    it('gives a browser its form back, with the messages beside the fields', async () => {
      const { status, text } = await browser.post('/page', { title: 'a/b', content: '<typed>' })
      assert.equal(status, 400)
      assert.match(text, /value="a\/b"/)
      assert.match(text, /&lt;typed&gt;<\/textarea>/)
      assert.match(text, /id="title-error"/)
      const taken = await browser.post('/page', { title: 'FrontPage', content: 'typed' })
      assert.equal(taken.status, 409)
      assert.equal(taken.headers.get('location'), '/page/FrontPage')
      assert.match(taken.text, /id="title-error">Title is taken/)
    })

    it('shows a browser the page', async () => {
      const { status, headers, text } = await browser.post('/page', { title: 'By browser', content: '*hi*' })
      assert.deepEqual([status, headers.get('location')], [201, '/page/By%20browser'])
      assert.match(text, /<em>hi<\/em>/)
    })
  })

  describe('without a user', () => {
    const visiting = () => new Client(wiki(), { accept: BROWSER })
    for (const [method, path] of [
      ['POST', '/page'],
      ['PUT', '/page/FrontPage'],
      ['DELETE', '/page/FrontPage'],
      ['POST', '/page/FrontPage/files'],
      ['DELETE', '/page/FrontPage/files/x'],
      ['DELETE', '/admin/users/ann'],
    ] as const) {
      it(`${method} ${path} is 401 for a program and leads a browser to the login`, async () => {
        const program = await visitor.send(method, path)
        assert.equal(program.status, 401)
        assert.match(program.headers.get('www-authenticate') ?? '', /^Basic /)
        const { status, headers } = await visiting().send(method, path)
        assert.equal(status, 303)
        assert.equal(headers.get('location'), `/login?next=${encodeURIComponent(path)}`)
      })
    }

    it('GET /admin/users?x=1 leads a browser to the login, with the query', async () => {
      const { headers } = await visiting().get('/admin/users?x=1')
      assert.equal(headers.get('location'), '/login?next=%2Fadmin%2Fusers%3Fx%3D1')
    })

    it('wrong credentials are 401, for reading too', async () => {
      const wrong = new Client(wiki(), { basic: 'ann:wrong' })
      assert.equal((await wrong.get('/page/FrontPage')).status, 401)
    })
  })

  describe('GET /page/{title}', () => {
    it('is JSON by suffix, query and Accept, and HTML otherwise', async () => {
      const any = new Client(wiki())
      for (const [path, headers, type] of [
        ['/page/FrontPage.json', {}, 'application/json'],
        ['/page/FrontPage?format=json', { accept: BROWSER }, 'application/json'],
        ['/page/FrontPage', { accept: 'application/json' }, 'application/json'],
        ['/page/FrontPage', {}, 'text/html; charset=utf-8'],
        ['/page/FrontPage.html', { accept: 'application/json' }, 'text/html; charset=utf-8'],
      ] as const) {
        assert.equal((await any.get(path, headers)).headers.get('content-type'), type)
      }
    })

    it('has the members of the page', async () => {
      const path = await newPage('# Hi\n\n[[FrontPage]] [[a/b]] <b>bold</b>')
      const { json } = await visitor.get(path)
      const { modified, ...rest } = json
      assert.deepEqual(rest, {
        title: `Page ${pages}`,
        version: 1,
        content: '# Hi\n\n[[FrontPage]] [[a/b]] <b>bold</b>',
        html: '<h1>Hi</h1>\n<p><a href="/page/FrontPage">FrontPage</a> [[a/b]] &lt;b&gt;bold&lt;/b&gt;</p>\n',
        author: 'ann',
        link: path,
      })
      assert.equal(new Date(modified).toISOString(), modified)
    })

    for (const [content, wanted] of [
      ['[x](javascript:alert(1))', /^<p>\[x\]\(javascript/],
      ['[x](JAVASCRIPT:alert(1))', /^<p>\[x\]/],
      ['[x](data:text/html,x)', /^<p>\[x\]/],
      ['<img src=x onerror=alert(1)>', /^<p>&lt;img/],
      ['[[Über uns]]', /href="\/page\/%C3%9Cber%20uns"/],
      ['[["><i>]]', /href="\/page\/%22%3E%3Ci%3E">&quot;&gt;&lt;i&gt;<\/a>/],
      ['`[[x]]`', /<code>\[\[x\]\]<\/code>/],
      ['[[..]] [[new]]', /^<p>\[\[..\]\] \[\[new\]\]<\/p>/],
    ] as const) {
      it(`renders ${content}`, async () => {
        const path = await newPage(content)
        assert.match((await visitor.get(path)).json.html, wanted)
      })
    }

    it('has validators, and is 304 when they fit', async () => {
      const path = await newPage()
      const { headers } = await visitor.get(path)
      const etag = headers.get('etag') ?? ''
      assert.match(etag, /^"[^"]+"$/)
      assert.equal(headers.get('cache-control'), 'no-cache')
      assert.ok(headers.get('last-modified'))
      const same = await visitor.get(path, { 'if-none-match': etag })
      assert.deepEqual([same.status, same.text, same.headers.get('etag')], [304, '', etag])
      const since = { 'if-modified-since': headers.get('last-modified') ?? '' }
      assert.equal((await visitor.get(path, since)).status, 304)
      assert.equal((await visitor.get(path, { 'if-none-match': '"x"' })).status, 200)
      assert.equal((await visitor.get(path, { 'if-match': '"x"' })).status, 412)
    })

    it('has a tag for each format, user, coding and pending message', async () => {
      const path = await newPage('x'.repeat(5000))
      const tagOf = async (client: Client, headers: Record<string, string>) =>
        (await client.send('HEAD', path, { headers: { 'accept-encoding': 'identity', ...headers } })).headers.get(
          'etag',
        )
      const other = new Client(wiki())
      const flashing = await Client.signedIn(wiki(), 'ann', 'correct horse')
      const seen = [
        await tagOf(other, {}),
        await tagOf(other, { accept: 'application/json' }),
        await tagOf(other, { 'accept-encoding': 'gzip' }),
        await tagOf(other, { 'accept-encoding': 'br' }),
        await tagOf(ann, { accept: BROWSER }),
        await tagOf(ann, {}),
        await tagOf(admin, {}),
      ]
      await flashing.post(path, { _method: 'PUT', content: 'x'.repeat(5000), version: '1' })
      seen.push(await tagOf(flashing, {}))
      assert.equal(new Set(seen).size, seen.length)
    })

    it('is 404 for a missing page, which links to the form that creates it', async () => {
      const { status, json } = await visitor.get('/page/Not%20there')
      assert.deepEqual([status, json.status], [404, 404])
      const { text } = await browser.get('/page/Not%20there')
      const href = /href="(\/page\/new\?[^"]+)"/.exec(text)?.[1] ?? ''
      assert.match((await browser.get(href)).text, /value="Not there"/)
      assert.equal((await visitor.get('/page/a%2Fb')).status, 404)
      assert.equal((await visitor.get('/page/%00')).status, 400)
      assert.equal((await visitor.get('/page/Front%FFPage')).status, 400)
    })

    it('answers HEAD without a body', async () => {
      const { status, text } = await visitor.send('HEAD', '/page/FrontPage')
      assert.deepEqual([status, text], [200, ''])
    })
  })

  describe('PUT /page/{title}', () => {
    it('stores a new version', async () => {
      const path = await newPage('one')
      const { status, json } = await ann.put(path, { content: 'two', version: '1' })
      assert.equal(status, 200)
      assert.deepEqual([json.version, json.content, json.author], [2, 'two', 'ann'])
      assert.equal((await visitor.get(path)).json.content, 'two')
    })

    it('makes no version for an unchanged content, with the line ends of a form', async () => {
      const path = await newPage('a\nb\n')
      assert.equal((await ann.put(path, { content: 'a\r\nb\r\n', version: '1' })).json.version, 1)
      assert.equal((await ann.put(path, { content: 'a\rb\n', version: 1 }, JSON_TYPE)).json.version, 1)
    })

    it('answers a browser 303, and the next page has a message once', async () => {
      const path = await newPage()
      const form = await browser.get(`${path};edit`)
      assert.match(form.text, /<input type="hidden" name="version" value="1">/)
      const { status, headers } = await browser.post(path, { _method: 'PUT', version: '1', content: 'new' })
      assert.deepEqual([status, headers.get('location')], [303, path])
      assert.match((await browser.get(path)).text, /role="status">Saved\./)
      assert.doesNotMatch((await browser.get(path)).text, /Saved\./)
    })

    for (const [body, status] of [
      [{ content: 'x' }, 400],
      [{ content: 'x', version: '' }, 400],
      [{ content: 'x', version: '1.5' }, 400],
      [{ content: 'x', version: 'one' }, 400],
      [{ version: '1' }, 400],
      [{ content: 'x', version: '0' }, 409],
      [{ content: 'x', version: '-1' }, 409],
      [{ content: 'x', version: '2' }, 409],
      [{ content: 'x', version: '99999999999999999999' }, 409],
    ] as const) {
      it(`answers ${status} to ${JSON.stringify(body)}`, async () => {
        const path = await newPage()
        assert.equal((await ann.put(path, body)).status, status)
        assert.equal((await ann.put(path, body, JSON_TYPE)).status, status)
        assert.equal((await visitor.get(path)).json.version, 1)
      })
    }

    it('answers a stale version with both texts', async () => {
      const path = await newPage('one')
      await ann.put(path, { content: 'two', version: '1' })
      const { status, json } = await ann.put(path, { content: 'mine', version: '1' })
      assert.deepEqual([status, json.current, json.yours], [409, 'two', 'mine'])
      const page = await browser.post(path, { _method: 'PUT', version: '1', content: 'mine' })
      assert.equal(page.status, 409)
      assert.match(page.text, />\ntwo<\/textarea>/)
      assert.match(page.text, />\nmine<\/textarea>/)
      assert.match(page.text, /name="version" value="2"/)
    })

    it('answers a stale version with both texts to programs that accept any format', async () => {
      const path = await newPage('one')
      await ann.put(path, { content: 'two', version: '1' })
      const { status, headers, json } = await ann.put(path, { content: 'mine', version: '1' }, { accept: '*/*' })
      assert.deepEqual([status, headers.get('content-type')], [409, 'application/problem+json'])
      assert.deepEqual([json.current, json.yours], ['two', 'mine'])
    })

    it('checks preconditions before the fields', async () => {
      const path = await newPage('one')
      await ann.put(path, { content: 'two', version: '1' })
      const failing = { 'if-match': '"x"' }
      assert.equal((await ann.put(path, { content: 'mine', version: '1' }, failing)).status, 412)
      assert.equal((await ann.put(path, {}, failing)).status, 412)
    })

    it('stores the longest content in its longest encoding', async () => {
      const path = await newPage()
      const content = '\r\n'.repeat(256 * 1024)
      assert.equal((await ann.put(path, { content, version: '1' })).status, 200)
      assert.equal((await visitor.get(path)).json.content, '\n'.repeat(256 * 1024))
    })

    it('is 404 for a missing page, whatever the fields are', async () => {
      assert.equal((await ann.put('/page/Missing', { content: 'x', version: '1' })).status, 404)
      assert.equal((await ann.put('/page/Missing', {})).status, 404)
    })

    it('honours preconditions, with the tag of any format and user', async () => {
      const path = await newPage()
      const json = await visitor.get(path)
      const html = await browser.get(path)
      const past = { 'if-unmodified-since': 'Thu, 01 Jan 2026 00:00:00 GMT' }
      const update = (version: number, headers: Record<string, string>) =>
        ann
          .put(path, { content: `version ${version + 1}`, version: String(version) }, headers)
          .then(({ status }) => status)
      assert.equal(await update(1, { 'if-match': '"x"' }), 412)
      assert.equal(await update(1, { 'if-none-match': '*' }), 412)
      assert.equal(await update(1, past), 412)
      assert.equal(await update(1, { 'if-match': json.headers.get('etag') ?? '' }), 200)
      assert.equal(await update(2, { 'if-match': html.headers.get('etag') ?? '' }), 412)
      assert.equal(await update(2, { 'if-match': (await browser.get(path)).headers.get('etag') ?? '' }), 200)
      assert.equal(await update(3, { 'if-match': '*' }), 200)
    })

    it('lets one of several edits at the same time win', async () => {
      const path = await newPage()
      const edits = await Promise.all(
        [1, 2, 3, 4, 5].map((edit) => ann.put(path, { content: `edit ${edit}`, version: '1' })),
      )
      assert.deepEqual(edits.map(({ status }) => status).sort(), [200, 409, 409, 409, 409])
      assert.equal((await visitor.get(`${path}/history`)).json.versions.length, 2)
    })
  })

  describe('DELETE /page/{title}', () => {
    it('is for admins', async () => {
      const path = await newPage()
      assert.equal((await ann.delete(path)).status, 403)
      assert.equal((await admin.delete(path, { 'if-match': '"x"' })).status, 412)
      assert.equal((await admin.delete(path, { 'if-none-match': '*' })).status, 412)
      assert.equal((await admin.delete(path)).status, 204)
      assert.equal((await visitor.get(path)).status, 404)
      assert.equal((await visitor.get(`${path}/history`)).status, 404)
      assert.equal((await admin.delete(path)).status, 404)
    })

    it('leads a browser to the pages', async () => {
      const path = await newPage()
      const owner = await Client.signedIn(wiki())
      const { status, headers } = await owner.post(path, { _method: 'DELETE' })
      assert.deepEqual([status, headers.get('location')], [303, '/page'])
    })
  })

  describe('the history', () => {
    it('lists all versions, the newest first, and shows each', async () => {
      const path = await newPage('one')
      await admin.put(path, { content: 'two', version: '1' })
      const { versions } = (await visitor.get(`${path}/history`)).json
      assert.deepEqual(
        versions.map(({ modified, ...rest }: Record<string, unknown>) => rest),
        [
          { version: 2, author: 'admin', link: `${path}/history/2` },
          { version: 1, author: 'ann', link: `${path}/history/1` },
        ],
      )
      assert.equal((await visitor.get(`${path}/history/1`)).json.content, 'one')
      assert.match((await browser.get(`${path}/history/1`)).text, /<p>one<\/p>/)
      for (const version of ['0', '3', '-1', 'x', '1.0', '01', '99999999999', '9007199254740993']) {
        assert.equal((await visitor.get(`${path}/history/${version}`)).status, 404)
      }
    })
  })
})

describeWiki(
  'lists of the wiki',
  (wiki) => {
    let ann: Client
    let visitor: Client

    before(async () => {
      ann = await Client.user(wiki(), 'ann')
      visitor = new Client(wiki(), { accept: 'application/json' })
      for (let number = 1; number <= 119; number++) {
        const title = `Page ${String(number).padStart(3, '0')}`
        await ann.post('/page', {
          title,
          content: number === 7 ? 'A NEEDLE in 50% of_the *hay*\nstack' : 'Über allen',
        })
      }
    })

    it('has 50 pages in each part, with links to the neighbours', async () => {
      const { json, headers } = await visitor.get('/page')
      assert.deepEqual([json.total, json.pages.length, json.pages[0].title], [120, 50, 'FrontPage'])
      assert.deepEqual(Object.keys(json.pages[1]), ['title', 'version', 'modified', 'author', 'link'])
      assert.equal(headers.get('link'), '</page?page=2>; rel="next"')
      const second = await visitor.get('/page.json?page=2')
      assert.equal(second.headers.get('link'), '</page.json?page=1>; rel="prev", </page.json?page=3>; rel="next"')
      const third = await visitor.get('/page?page=3')
      assert.deepEqual([third.json.pages.length, third.headers.get('link')], [20, '</page?page=2>; rel="prev"'])
    })

    for (const [query, status] of [
      ['page=0', 400],
      ['page=-1', 400],
      ['page=x', 400],
      ['page=1.0', 400],
      ['page=4', 404],
      ['page=9007199254740991', 404],
    ] as const) {
      it(`answers ${status} to ?${query}`, async () => {
        assert.equal((await visitor.get(`/page?${query}`)).status, status)
        assert.equal((await visitor.get(`/search?q=page&${query}`)).status, status)
      })
    }

    it('has no second part of a search that finds nothing', async () => {
      assert.equal((await visitor.get('/search')).status, 200)
      assert.equal((await visitor.get('/search?page=2')).status, 404)
    })

    for (const [q, total] of [
      ['needle', 1],
      ['NEEDLE  hay', 1],
      ['needle page', 1],
      ['needle nothing', 0],
      ['50%', 1],
      ['5%f', 0],
      ['of_the', 1],
      ['o__the', 0],
      ['*hay*', 1],
      ['needl*', 0],
      ['\\', 0],
      ['ÜBER', 118],
      ['u\u0308ber', 118],
      ['eedl', 1],
      ['frontpage', 1],
      ["'", 0],
      ['', 0],
      ['   ', 0],
    ] as const) {
      it(`finds ${total} pages for ${JSON.stringify(q)}`, async () => {
        const { status, json } = await visitor.get(`/search?q=${encodeURIComponent(q)}`)
        assert.deepEqual([status, json.total, json.pages.length], [200, total, Math.min(total, 50)])
      })
    }

    it('refuses NUL, which no text of a page can contain', async () => {
      assert.equal((await visitor.get('/search?q=%00')).status, 400)
    })

    it('has the members of /page, and parts', async () => {
      const { json, headers } = await visitor.get('/search.json?q=over+page'.replace('over', '%C3%BCber'))
      assert.deepEqual(Object.keys(json.pages[0]), ['title', 'version', 'modified', 'author', 'link'])
      assert.match(headers.get('link') ?? '', /rel="next"/)
    })

    it('marks the words in an excerpt, escaped', async () => {
      const browser = new Client(wiki(), { accept: BROWSER })
      await ann.post('/page', { title: 'Markup', content: 'some <script>alert(1)</script> text' })
      const { text } = await browser.get('/search?q=SCRIPT')
      assert.match(text, /&lt;<mark>script<\/mark>&gt;/)
      assert.doesNotMatch(text, /<script>/)
    })

    it('renders the results alone for HX-Request', async () => {
      const browser = new Client(wiki(), { accept: BROWSER })
      const part = await browser.get('/search?q=needle', { 'hx-request': 'true' })
      assert.doesNotMatch(part.text, /<html/)
      assert.match(part.text, /Page 007/)
      for (const { headers } of [part, await browser.get('/search?q=needle')]) {
        assert.match(headers.get('vary') ?? '', /HX-Request/i)
      }
    })

    it('reads no member of a template that does not exist', () => {
      assert.doesNotMatch(wiki().errors, /: it\.\w+ does not exist\./)
    })
  },
  { NODE_ENV: 'development' },
)
