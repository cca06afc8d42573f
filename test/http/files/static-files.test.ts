import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { FrameworkApp, Mapper } from 'propylon'
import { staticFiles } from 'propylon/files'
import type { HeaderPair, WSGICallable } from 'propylon/wsgi'
import { transports } from '../../wsgi/transports.ts'
import { folderOf } from './folder.ts'

const folder = folderOf({
  'site/app.css': 'p { color: red }\n',
  'site/css/a b.css': 'b {}',
  'site/notes': 'no extension',
  'site/logo.png': new Uint8Array([137, 80, 78, 71]),
  'site/empty.txt': '',
  'site/.env': 'SECRET=1',
  'site/.git/config': 'secret',
  'site/.well-known/assetlinks.json': '[]',
  'site/.well-known/.hidden': 'secret',
  'site/css/.well-known/a.json': 'secret',
  'site/css/.hidden.css': 'secret',
  'site/über.html': '<p>Ü</p>',
  'site/back\\slash.txt': 'secret',
  'site-secret.txt': 'secret',
  'secret.txt': 'secret',
})
const site = join(folder, 'site')
const app = staticFiles(site)
const [direct, , socket] = transports
assert.ok(direct && socket)

const get = (path: string, headers: readonly HeaderPair[] = [], method = 'GET', to: WSGICallable = app) =>
  direct.request(to, { path, headers, method })

describe('staticFiles', () => {
  for (const transport of transports) {
    it(`sends a file (${transport.name})`, async () => {
      const answer = await transport.request(app, { path: '/app.css' })
      assert.equal(answer.status, 200)
      assert.equal(answer.text, 'p { color: red }\n')
      assert.equal(answer.header('content-length'), '17')
      assert.equal(answer.header('content-type'), 'text/css; charset=utf-8')
      assert.equal(answer.header('cache-control'), 'no-cache')
      assert.equal(answer.header('accept-ranges'), 'bytes')
      assert.equal(answer.header('x-content-type-options'), 'nosniff')
      assert.match(answer.header('etag') ?? '', /^"[^"]+"$/)
      assert.ok(Date.parse(answer.header('last-modified') ?? '') <= Date.now())
    })

    it(`answers HEAD with the header fields of GET (${transport.name})`, async () => {
      const answer = await transport.request(app, { path: '/app.css', method: 'HEAD' })
      assert.deepEqual(answer.headers, (await transport.request(app, { path: '/app.css' })).headers)
      assert.equal(answer.text, '')
    })
  }

  for (const time of [0, 0.5, -1, -86_400]) {
    it(`sends no Last-Modified for the time ${time}, and compares no date with it`, async () => {
      const path = join(site, 'dated.txt')
      const date = new Date(Math.floor(time) * 1000).toUTCString()
      writeFileSync(path, 'old')
      utimesSync(path, new Date(time * 1000), new Date(time * 1000))
      const { header } = await get('/dated.txt')
      assert.equal(header('last-modified'), undefined)
      writeFileSync(path, 'new')
      utimesSync(path, new Date(time * 1000), new Date(time * 1000))
      for (const field of ['If-Modified-Since', 'If-Unmodified-Since', 'If-Range']) {
        const answer = await get('/dated.txt', [
          [field, date],
          ['Range', 'bytes=0-1'],
        ])
        assert.notEqual(answer.status, 304)
        if (field === 'If-Range') assert.equal(answer.text, 'new')
      }
      const unchanged = await get('/dated.txt', [['If-None-Match', (await get('/dated.txt')).header('etag') ?? '']])
      assert.equal(unchanged.status, 304)
    })
  }

  it('sends Last-Modified for a time of one second', async () => {
    const path = join(site, 'dated.txt')
    writeFileSync(path, 'old')
    utimesSync(path, 1, 1)
    assert.equal((await get('/dated.txt')).header('last-modified'), 'Thu, 01 Jan 1970 00:00:01 GMT')
  })

  it('sends an empty file', async () => {
    const answer = await get('/empty.txt')
    assert.deepEqual([answer.status, answer.text, answer.header('content-length')], [200, '', '0'])
  })

  it('finds percent-encoded names', async () => {
    assert.equal((await get('/css/a%20b.css')).text, 'b {}')
    assert.equal((await get('/%C3%BCber.html')).text, '<p>Ü</p>')
    assert.equal((await get('/%61pp.css')).status, 200)
  })

  it('takes a URL, and a path from the working directory', async () => {
    for (const directory of [pathToFileURL(`${site}/`), pathToFileURL(site), `${site}/`]) {
      assert.equal((await get('/app.css', [], 'GET', staticFiles(directory))).status, 200)
    }
  })

  it('throws when it is created for a directory that is missing or a file', () => {
    assert.throws(() => staticFiles(join(folder, 'missing')), /missing does not exist\. Create it/)
    assert.throws(() => staticFiles(join(site, 'app.css')), /app\.css is not a directory/)
  })

  it('refuses a maxAge that is not a number of seconds', () => {
    assert.throws(() => staticFiles(site, { maxAge: -1 }), TypeError)
  })

  it('allows caches to keep files for maxAge', async () => {
    const answer = await get('/app.css', [], 'GET', staticFiles(site, { maxAge: 60 }))
    assert.equal(answer.header('cache-control'), 'public, max-age=60')
  })

  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    it(`refuses ${method} with 405`, async () => {
      for (const path of ['/app.css', '/missing.css']) {
        const answer = await get(path, [], method)
        assert.deepEqual([answer.status, answer.header('allow')], [405, 'GET, HEAD'])
      }
    })
  }

  it('serves files of a mount point of an application', async () => {
    const mounted = new FrameworkApp({
      map: new Mapper().connect('/manual/{path_info:.*}', { controller: 'manual' }),
      controllers: { manual: app },
    })
    for (const { request } of transports) {
      assert.equal((await request(mounted, { path: '/manual/css/a%20b.css' })).text, 'b {}')
      assert.equal((await request(mounted, { path: '/manual/css%2Fa%20b.css' })).status, 404)
      assert.equal((await request(mounted, { path: '/manual/' })).status, 404)
    }
  })

  it('sees files that are created, replaced and removed later', async () => {
    const later = join(site, 'later.txt')
    assert.equal((await get('/later.txt')).status, 404)
    writeFileSync(later, 'one')
    const first = await get('/later.txt')
    writeFileSync(`${later}.new`, 'two')
    renameSync(`${later}.new`, later)
    const second = await get('/later.txt', [['If-None-Match', first.header('etag') ?? '']])
    assert.deepEqual([second.status, second.text], [200, 'two'])
    rmSync(later)
    assert.equal((await get('/later.txt')).status, 404)
  })
})

describe('index and fallback', () => {
  const pages = folderOf({
    'index.html': `<p>home</p>${' '.repeat(2000)}`,
    'guide/index.html': 'guide',
    'guide/a b/index.html': 'a b',
    'home.htm': 'other',
    'empty/app.css': '',
    '.git/index.html': 'secret',
  })
  const both = staticFiles(pages, { index: true, fallback: 'index.html', maxAge: 60 })
  const indexed = staticFiles(pages, { index: true })
  const frontEnd = staticFiles(pages, { fallback: 'index.html' })
  const named = staticFiles(pages, { index: 'home.htm', fallback: 'guide/index.html' })
  const absent = staticFiles(pages, { index: false, fallback: 'missing.html' })
  const browser: HeaderPair = ['Accept', 'text/html,application/xhtml+xml,*/*;q=0.8']
  const json: HeaderPair = ['Accept', 'application/json, text/html;q=0.5']
  const any: HeaderPair = ['Accept', '*/*']

  const cases: readonly (readonly [string, WSGICallable, string, HeaderPair, number, RegExp])[] = [
    ['the index of the directory itself', indexed, '/', any, 200, /^<p>home/],
    ['the index of a directory within it', indexed, '/guide/', any, 200, /^guide$/],
    ['an index with a query', indexed, '/guide/?v=1', any, 200, /^guide$/],
    ['an index below an encoded name', indexed, '/guide/a%20b/', any, 200, /^a b$/],
    ['an index of another name', named, '/', any, 200, /^other$/],
    ['no index of a directory without one', indexed, '/empty/', browser, 404, /Not Found/],
    ['no index of a dot directory', indexed, '/.git/', browser, 404, /Not Found/],
    ['no index of a file', indexed, '/home.htm/', browser, 404, /Not Found/],
    ['no index without the option', frontEnd, '/guide/', any, 404, /Not Found/],
    ['the fallback for a page', frontEnd, '/books/7', browser, 200, /^<p>home/],
    ['the fallback for the root', frontEnd, '/', browser, 200, /^<p>home/],
    ['the fallback for a directory without an index', both, '/empty/', browser, 200, /^<p>home/],
    ['a fallback of another name', named, '/books', browser, 200, /^guide$/],
    ['a file instead of the fallback', frontEnd, '/home.htm', browser, 200, /^other$/],
    ['an index instead of the fallback', both, '/guide/', browser, 200, /^guide$/],
    ['no fallback for a program', frontEnd, '/books/7', json, 404, /Not Found/],
    ['no fallback for a client that names no type', frontEnd, '/books/7', any, 404, /Not Found/],
    ['no fallback for a path with an extension', frontEnd, '/assets/app.js', browser, 404, /Not Found/],
    ['no fallback for an encoded extension', frontEnd, '/assets/app%2Ejs', browser, 404, /Not Found/],
    ['no fallback below a dot directory', frontEnd, '/.git/config', browser, 404, /Not Found/],
    ['no fallback that is missing', absent, '/books/7', browser, 404, /Not Found/],
  ]
  for (const [what, to, path, header, status, text] of cases) {
    it(`sends ${what}`, async () => {
      for (const { request } of transports) {
        const answer = await request(to, { path, headers: [header] })
        assert.equal(answer.status, status)
        assert.match(answer.text, text)
      }
    })
  }

  it('redirects the path of a directory to its path with a slash', async () => {
    const mounted = new FrameworkApp({
      map: new Mapper().connect('/manual/{path_info:.*}', { controller: 'manual' }),
      controllers: { manual: both },
    })
    const redirects: readonly (readonly [WSGICallable, string, string])[] = [
      [both, '/guide', './guide/'],
      [both, '/guide?a=1&b=2', './guide/?a=1&b=2'],
      [both, '/guide/a%20b', './a%20b/'],
      [mounted, '/manual/guide', './guide/'],
    ]
    for (const [to, path, location] of redirects) {
      const answer = await get(path, [browser], 'GET', to)
      assert.deepEqual([answer.status, answer.header('location')], [301, location])
    }
  })

  it('refuses methods other than GET and HEAD', async () => {
    for (const path of ['/', '/guide', '/books/7']) {
      const answer = await get(path, [browser], 'POST', both)
      assert.deepEqual([answer.status, answer.header('allow')], [405, 'GET, HEAD'])
    }
  })

  const places: readonly (readonly [string, string])[] = [
    ['/', 'Accept-Encoding'],
    ['/books/7', 'Accept, Accept-Encoding'],
  ]
  for (const [path, vary] of places) {
    it(`answers ${path} with validators, never to be kept without a check`, async () => {
      const right = createHash('sha256')
        .update(`<p>home</p>${' '.repeat(2000)}`)
        .digest('hex')
        .slice(0, 16)
      for (const query of ['', `?v=${right}`]) {
        const answer = await get(path + query, [browser], 'GET', both)
        assert.equal(answer.header('cache-control'), 'no-cache')
        assert.equal(answer.header('vary'), vary)
        const tag = answer.header('etag') ?? ''
        const unchanged = await get(path + query, [browser, ['If-None-Match', tag]], 'GET', both)
        assert.deepEqual([unchanged.status, unchanged.header('vary')], [304, vary])
        const head = await get(path + query, [browser], 'HEAD', both)
        assert.deepEqual([head.headers, head.text], [answer.headers, ''])
        const range = await get(path + query, [browser, ['Range', 'bytes=0-2']], 'GET', both)
        assert.deepEqual([range.status, range.text], [206, '<p>'])
      }
    })
  }

  it('refuses options that are unknown or wrong', () => {
    const wrong: readonly (readonly [object, RegExp])[] = [
      [{ indx: true }, /^TypeError: staticFiles\(\) has no option "indx"\. Did you mean index\?$/],
      [{ index: '' }, /index is ""\. Write the name of a file in the directory/],
      [{ index: '../secret.txt' }, /index is "\.\.\/secret\.txt"/],
      [{ index: 1 }, /index is 1/],
      [{ fallback: true }, /fallback is true/],
      [{ fallback: '/index.html' }, /fallback is "\/index\.html"/],
      [{ fallback: '.env' }, /fallback is "\.env"/],
    ]
    for (const [options, message] of wrong) {
      assert.throws(() => staticFiles(pages, options), message)
    }
  })
})

describe('a path', () => {
  const paths = [
    '/missing.css',
    '/',
    '',
    '/css',
    '/css/',
    '/app.css/',
    '//app.css',
    '/css//a%20b.css',
    '/./app.css',
    '/css/../app.css',
    '/css/%2e%2e/app.css',
    '/css/.%2E/app.css',
    '/css%2Fa%20b.css',
    '/css%5Ca%20b.css',
    '/css\\a%20b.css',
    '/back%5Cslash.txt',
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/%2e%2e%2fsecret.txt',
    '/%252e%252e/secret.txt',
    '/..\\secret.txt',
    '/..%5csecret.txt',
    '/....//secret.txt',
    '/../site-secret.txt',
    '/../site/app.css',
    `/${folder}/secret.txt`,
    `/${encodeURIComponent(`${folder}/secret.txt`)}`,
    '/.env',
    '/%2eenv',
    '/.git/config',
    '/.well-known',
    '/.well-known/',
    '/.well-known/.hidden',
    '/.well-known/../.env',
    '/css/.well-known/a.json',
    '/css/.hidden.css',
    '/app.css%20',
    '/app.css.',
    '/app.css::$DATA',
    `/${'a'.repeat(300)}.css`,
    `/${'a/'.repeat(3000)}app.css`,
  ]
  for (const path of paths) {
    const shown = path.length > 60 ? `${path.slice(0, 60)}…` : path
    it(`${shown.replace(folder, '<folder>')} is 404`, async () => {
      for (const transport of [direct, socket]) {
        const answer = await transport.request(app, { path: `/static${path}` })
        assert.equal(answer.status, 404)
        const answer2 = path === '' ? answer : await transport.request(app, { path })
        assert.equal(answer2.status, 404)
        assert.doesNotMatch(answer.text, /secret/)
      }
    })
  }

  it('with a NUL or a malformed escape is refused', async () => {
    for (const path of ['/app.css%00', '/app.css%00.png', '/%FF', '/%zz']) {
      assert.equal((await socket.request(app, { path })).status, 400)
    }
  })
})

describe('a symbolic link', () => {
  symlinkSync('app.css', join(site, 'inside.css'))
  symlinkSync('css', join(site, 'styles'))
  symlinkSync(join(folder, 'secret.txt'), join(site, 'outside.txt'))
  symlinkSync(folder, join(site, 'parent'))
  symlinkSync(join(site, '.env'), join(site, 'env.txt'))
  symlinkSync('loop.txt', join(site, 'loop.txt'))
  symlinkSync(site, join(folder, 'current'))

  it('within the directory is followed', async () => {
    assert.equal((await get('/inside.css')).text, 'p { color: red }\n')
    assert.equal((await get('/styles/a%20b.css')).text, 'b {}')
  })

  for (const path of ['/outside.txt', '/parent/secret.txt', '/parent/site/app.css.', '/env.txt', '/loop.txt']) {
    it(`to anywhere else is 404: ${path}`, async () => assert.equal((await get(path)).status, 404))
  }

  it('may be the directory itself, also when it is changed', async () => {
    const current = staticFiles(join(folder, 'current'))
    assert.equal((await get('/app.css', [], 'GET', current)).status, 200)
    const next = folderOf({ 'app.css': 'next' })
    rmSync(join(folder, 'current'))
    symlinkSync(next, join(folder, 'current'))
    assert.equal((await get('/app.css', [], 'GET', current)).text, 'next')
  })
})

describe('a path that leads to no regular file', () => {
  it('is 404 for a socket', async () => {
    const server = createServer()
    await new Promise<void>((done) => server.listen(join(site, 'socket'), done))
    assert.equal((await get('/socket')).status, 404)
    server.close()
  })
})

describe('the type', () => {
  const types = {
    'a.html': 'text/html; charset=utf-8',
    'a.css': 'text/css; charset=utf-8',
    'a.js': 'text/javascript; charset=utf-8',
    'a.mjs': 'text/javascript; charset=utf-8',
    'a.txt': 'text/plain; charset=utf-8',
    'a.md': 'text/markdown; charset=utf-8',
    'a.json': 'application/json',
    'a.map': 'application/json',
    'a.webmanifest': 'application/manifest+json',
    'a.wasm': 'application/wasm',
    'a.svg': 'image/svg+xml',
    'a.png': 'image/png',
    'a.gif': 'image/gif',
    'a.avif': 'image/avif',
    'a.webp': 'image/webp',
    'a.ico': 'image/vnd.microsoft.icon',
    'a.woff2': 'font/woff2',
    'a.mp4': 'video/mp4',
    'a.pdf': 'application/pdf',
    'A.CSS': 'text/css; charset=utf-8',
    css: 'application/octet-stream',
    'a.unknown-type': 'application/octet-stream',
  }
  const typed = staticFiles(folderOf(Object.fromEntries(Object.keys(types).map((name) => [name, 'x']))))
  for (const [name, type] of Object.entries(types)) {
    it(`of ${name} is ${type}`, async () => {
      assert.equal((await get(`/${name}`, [], 'GET', typed)).header('content-type'), type)
    })
  }
})

describe('a conditional request', () => {
  it('is 304 with the validators of the file', async () => {
    const whole = await get('/app.css')
    const etag = whole.header('etag') ?? ''
    const date = whole.header('last-modified') ?? ''
    const conditions: HeaderPair[] = [
      ['If-None-Match', etag],
      ['If-None-Match', `W/${etag}`],
      ['If-None-Match', `"other", ${etag}`],
      ['If-None-Match', '*'],
      ['If-Modified-Since', date],
    ]
    for (const { request } of transports) {
      for (const condition of conditions) {
        const answer = await request(app, { path: '/app.css', headers: [condition] })
        assert.deepEqual([answer.status, answer.text], [304, ''])
        assert.equal(answer.header('etag'), etag)
        assert.equal(answer.header('cache-control'), 'no-cache')
        assert.equal(answer.header('vary'), 'Accept-Encoding')
        assert.equal(answer.header('content-type'), undefined)
      }
    }
  })

  it('is 200 for another version', async () => {
    const date = new Date(Date.now() - 86_400_000 * 365 * 20).toUTCString()
    for (const condition of [
      ['If-None-Match', '"other"'],
      ['If-Modified-Since', date],
      ['If-Modified-Since', 'yesterday'],
    ] as const) {
      assert.equal((await get('/app.css', [[...condition]])).status, 200)
    }
  })

  it('is 412 if a version is required that the file does not have', async () => {
    const answer = await get('/app.css', [['If-Match', '"other"']])
    assert.equal(answer.status, 412)
    assert.match(answer.text, /^412 Precondition Failed\n/)
    assert.ok(answer.header('etag'))
  })

  it('sees a change that keeps size and modification time', async () => {
    const path = join(site, 'fixed.txt')
    writeFileSync(path, 'one')
    utimesSync(path, 0, 0)
    const etag = (await get('/fixed.txt')).header('etag') ?? ''
    writeFileSync(`${path}.new`, 'two')
    utimesSync(`${path}.new`, 0, 0)
    renameSync(`${path}.new`, path)
    const answer = await get('/fixed.txt', [['If-None-Match', etag]])
    assert.deepEqual([answer.status, answer.text], [200, 'two'])
  })

  it('has no Last-Modified in the future', async () => {
    writeFileSync(join(site, 'future.txt'), 'x')
    utimesSync(join(site, 'future.txt'), 9e9, 9e9)
    const date = (await get('/future.txt')).header('last-modified') ?? ''
    assert.ok(Date.parse(date) <= Date.now())
  })
})

describe('a fingerprint', () => {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)
  const right = hash('p { color: red }\n')

  it('that is right makes the response immutable', async () => {
    for (const query of [`v=${right}`, `a=1&v=${right}&b=2`]) {
      const answer = await get(`/app.css?${query}`)
      assert.equal(answer.header('cache-control'), 'public, max-age=31536000, immutable')
    }
  })

  it('that is wrong leaves it no-cache', async () => {
    for (const query of ['v=', 'v=1.2', `v=${hash('')}`, `v=${right}0`, `v=${right.toUpperCase()}`, `w=${right}`]) {
      assert.equal((await get(`/app.css?${query}`)).header('cache-control'), 'no-cache')
    }
  })

  it('is that of the current content', async () => {
    const path = join(site, 'changing.txt')
    for (const text of ['one', 'two']) {
      writeFileSync(path, text)
      const control = (query: string) => get(`/changing.txt?v=${query}`).then((a) => a.header('cache-control'))
      assert.equal(await control(hash('one')), text === 'one' ? 'public, max-age=31536000, immutable' : 'no-cache')
      assert.equal(await control(hash(text)), 'public, max-age=31536000, immutable')
    }
  })
})
