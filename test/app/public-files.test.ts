import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { AssetNotFound, FrameworkApp, type FrameworkAppOptions, Mapper, WSGIController } from 'propylon'
import { compress } from 'propylon/middleware'
import { createEnviron, type HeaderPair, run } from 'propylon/wsgi'
import { folderOf } from '../http/files/folder.ts'
import { transports } from '../wsgi/transports.ts'

const STYLE = 'body { margin: 0 }\n'.repeat(100)
const folder = folderOf({
  'app.css': STYLE,
  'css/print.css': 'print',
  'css/a b&"c.css': 'odd',
  'robots.txt': 'User-agent: *\n',
  'hello/index': 'never served: a route matches',
  '.env': 'secret',
  '.well-known/security.txt': 'Contact: mailto:joe@shop.test',
})
const IMMUTABLE = 'public, max-age=31536000, immutable'
const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)

class HelloController extends WSGIController {
  index() {
    return this.render('hello')
  }

  path() {
    return this.app.asset('app.css')
  }
}

const TEMPLATES = {
  'hello.eta': `<%= asset('app.css') %> <%= it.asset('css/print.css') %> <%~ include('part', { a: 1 }) %>`,
  'part.eta': `<%= asset('robots.txt') %>`,
  'missing.eta': `<% layout('frame') %>404`,
  'frame.eta': `<link href="<%= asset('app.css') %>"><%~ it.body %>`,
  'own.eta': `<% const asset = it.asset %><%= asset('app.css') %>`,
}

function application(options: Partial<FrameworkAppOptions> = {}): FrameworkApp {
  return new FrameworkApp({
    map: new Mapper()
      .connect('/mount/{path_info:.*}', { controller: 'hello', action: 'index' })
      .connect('/{controller}', { action: 'index' })
      .connect('/{controller}/{action}'),
    controllers: { hello: HelloController },
    templates: TEMPLATES,
    public: folder,
    ...options,
  })
}

const [direct] = transports
assert.ok(direct)
const app = application()
const get = (path: string, headers: readonly HeaderPair[] = [], to = app, method = 'GET') =>
  direct.request(to, { path, headers, method })

describe('public', () => {
  it('serves the files below /static', async () => {
    for (const { request } of transports) {
      const answer = await request(app, { path: '/static/css/print.css' })
      assert.deepEqual([answer.status, answer.text], [200, 'print'])
      assert.equal(answer.header('cache-control'), 'no-cache')
    }
  })

  it('serves them at the root if no route matches', async () => {
    assert.equal((await get('/robots.txt')).text, 'User-agent: *\n')
    assert.equal((await get('/robots.txt', [], app, 'HEAD')).status, 200)
    assert.equal((await get('/hello/index')).text.includes('/static/app.css'), true)
  })

  it('takes a URL, or an object with a prefix', async () => {
    assert.equal((await get('/static/app.css', [], application({ public: pathToFileURL(`${folder}/`) }))).status, 200)
    for (const prefix of ['/assets', '/assets/', '/my/assets-1.0']) {
      const other = application({ public: { directory: folder, prefix } })
      assert.equal(other.asset('app.css'), `${prefix.replace(/\/$/, '')}/app.css?v=${hash(STYLE)}`)
      assert.equal((await get(other.asset('app.css'), [], other)).header('cache-control'), IMMUTABLE)
      assert.equal((await get('/static/app.css', [], other)).status, 404)
    }
  })

  it('serves them at the root only if the prefix is empty', async () => {
    for (const prefix of ['', '/']) {
      const other = application({ public: { directory: folder, prefix } })
      assert.equal(other.asset('app.css'), `/app.css?v=${hash(STYLE)}`)
      assert.equal((await get('/app.css', [], other)).status, 200)
      assert.equal((await get('/hello', [], other)).status, 200)
    }
  })

  it('refuses a malformed prefix and a missing directory when the application is created', () => {
    for (const prefix of ['static', '/a b', '//x', '/../x', '/.x', '/a?b', '/ä']) {
      assert.throws(() => application({ public: { directory: folder, prefix } }), /prefix of public is/)
    }
    assert.throws(() => application({ public: join(folder, 'none') }), /none does not exist\. Create it/)
  })

  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    it(`refuses ${method} below the prefix with 405`, async () => {
      const answer = await get('/static/app.css', [], app, method)
      assert.deepEqual([answer.status, answer.header('allow')], [405, 'GET, HEAD'])
    })
  }

  const missing = ['/static', '/static/', '/static/css', '/static/none.css', '/static/.env', '/static/../app.css', '/.env',
    '/css', '/none.css', '/static//app.css', '/%73tatic/app.css', '/static%2Fapp.css', '/static/css%2Fprint.css'] // biome-ignore format: a list
  for (const path of missing) {
    it(`is 404 for ${path}`, async () => assert.equal((await get(path)).status, 404))
  }

  it('serves .well-known/ at the root and below the prefix', async () => {
    for (const path of ['/.well-known/security.txt', '/static/.well-known/security.txt']) {
      assert.equal((await get(path)).text, 'Contact: mailto:joe@shop.test')
    }
  })

  it('is 404 at the root for methods other than GET and HEAD', async () => {
    assert.equal((await get('/robots.txt', [], app, 'POST')).status, 404)
  })

  it('answers with the error pages of the application', async () => {
    const paged = application({ errorPages: { 404: 'missing' } })
    for (const path of ['/static/none.css', '/none.css']) {
      const answer = await get(path, [['Accept', 'text/html']], paged)
      assert.deepEqual([answer.status, answer.text], [404, `<link href="/static/app.css?v=${hash(STYLE)}">404`])
    }
  })

  it('passes through the middleware', async () => {
    const seen: string[] = []
    const watched = application({
      middleware: [
        (inner) => (environ, start_response) =>
          inner(environ, (status, headers) => {
            seen.push(`${environ.PATH_INFO} ${status}`)
            return start_response(status, headers)
          }),
        compress(),
      ],
    })
    const accept: HeaderPair = ['Accept-Encoding', 'gzip']
    const first = await get('/static/app.css', [accept], watched)
    assert.equal(first.header('content-encoding'), 'gzip')
    assert.deepEqual(first.headers, (await get('/static/app.css', [accept])).headers)
    const etag = first.header('etag') ?? ''
    const second = await get('/static/app.css', [accept, ['If-None-Match', etag]], watched)
    assert.deepEqual([second.status, second.header('etag')], [304, etag])
    await get('/static/none.css', [], watched)
    assert.deepEqual(seen, [
      '/static/app.css 200 OK',
      '/static/app.css 304 Not Modified',
      '/static/none.css 404 Not Found',
    ])
  })

  it('names the nearest file to local hosts in debug mode', async () => {
    const debug = application({ debug: true, logger: { info() {}, warn() {}, error() {} } })
    const answer = await get('/static/ap.css', [], debug)
    assert.equal(answer.status, 404)
    assert.match(answer.text, /Did you mean "app\.css"\?/)
    const other = await get('/static/ap.css', [['Host', 'example.com']], debug)
    assert.doesNotMatch(other.text, /app\.css/)
    assert.doesNotMatch((await get('/static/ap.css')).text, /app\.css/)
  })

  it('does not hide the list of routes in debug mode', async () => {
    const debug = application({ debug: true, logger: { info() {}, warn() {}, error() {} } })
    assert.match((await get('/none.css', [['Accept', 'text/html']], debug)).text, /\{controller\}/)
  })
})

describe('asset', () => {
  it('returns a URL with a fingerprint, which is served to be cached for ever', async () => {
    const url = app.asset('app.css')
    assert.equal(url, `/static/app.css?v=${hash(STYLE)}`)
    assert.equal((await get(url)).header('cache-control'), IMMUTABLE)
    assert.equal((await get(url.replace(/.$/, '~'))).header('cache-control'), 'no-cache')
    assert.equal((await get(url, [['Accept-Encoding', 'br']])).header('cache-control'), IMMUTABLE)
  })

  it('encodes the name', async () => {
    const url = app.asset('css/a b&"c.css')
    assert.equal(url, `/static/css/a%20b%26%22c.css?v=${hash('odd')}`)
    assert.equal((await get(url)).text, 'odd')
  })

  const expected = (prefix = '') =>
    `${prefix}/static/app.css?v=${hash(STYLE)} ${prefix}/static/css/print.css?v=${hash('print')} ${prefix}/static/robots.txt?v=${hash('User-agent: *\n')}`

  it('is a function of templates and of what they include', async () => {
    assert.equal((await get('/hello')).text, expected())
  })

  it('may be declared again by a template', () => {
    assert.equal(app.templates.render('own', { asset: (name: string) => name }), 'app.css')
  })

  it('is a method of the application, without a request', async () => {
    assert.equal((await get('/hello/path')).text, `/static/app.css?v=${hash(STYLE)}`)
  })

  it('returns a URL below the mount point in templates', async () => {
    const environ = createEnviron({ scriptName: '/outer app', url: '/outer%20app/hello' })
    assert.equal(await (await run(app, environ)).text(), expected('/outer%20app'))
  })

  it('ignores the mount point that a route with path_info adds', async () => {
    assert.equal((await get('/mount/anything')).text, expected())
  })

  it('throws for a missing file, with the nearest name', () => {
    const wrong = {
      'ap.css': 'Did you mean "app.css"?',
      'App.css': 'Did you mean "app.css"?',
      '/app.css': 'Did you mean "app.css"?',
      'print.css': 'Did you mean "css/print.css"?',
      css: 'Create it, or correct the name',
      '.env': 'Create it, or correct the name',
      '../secret': 'Create it, or correct the name',
    }
    for (const [name, hint] of Object.entries(wrong)) {
      assert.throws(
        () => app.asset(name),
        (error) => {
          assert.ok(error instanceof AssetNotFound)
          assert.equal(error.asset, name)
          assert.ok(error.message.includes(folder) && error.message.includes(hint), error.message)
          return true
        },
      )
    }
  })

  it('throws if the application has no public files', () => {
    const none = new FrameworkApp({ map: new Mapper(), controllers: {} })
    assert.throws(() => none.asset('app.css'), /asset\("app\.css"\) was called, but .* public: new URL/)
  })

  it('follows a change at once in debug mode, and is computed once otherwise', async () => {
    const changing = folderOf({ 'a.txt': 'one' })
    const debug = application({ public: changing, debug: true })
    const production = application({ public: changing })
    const before = production.asset('a.txt')
    assert.equal(debug.asset('a.txt'), before)
    for (const text of ['two', 'six']) {
      writeFileSync(join(changing, 'a.txt'), text)
      assert.equal(debug.asset('a.txt'), `/static/a.txt?v=${hash(text)}`)
      assert.equal(production.asset('a.txt'), before)
      assert.equal((await get(before, [], production)).header('cache-control'), 'no-cache')
      assert.equal((await get(debug.asset('a.txt'), [], production)).header('cache-control'), IMMUTABLE)
    }
  })
})
