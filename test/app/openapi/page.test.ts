import assert from 'node:assert/strict'
import Module from 'node:module'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { secureHeaders } from 'propylon/middleware'
import { BooksController } from '../../controllers/declarations/books.ts'
import { type Fetched, fetchFrom } from '../../rpc/faces/documents.ts'

type Options = NonNullable<ConstructorParameters<typeof FrameworkApp>[0]['openapi']>

class OtherController extends WSGIController {
  index(path: string) {
    return `other ${path}`
  }
}

const logged: string[] = []

function site(openapi: Partial<Options> = {}, debug = true): FrameworkApp {
  const logger = { info() {}, warn() {}, error: (text: string) => logged.push(text) }
  return new FrameworkApp({
    map: new Mapper().resource('book', 'books').connect('/openapi/{path}', { controller: 'other', action: 'index' }),
    controllers: { books: BooksController, other: OtherController },
    middleware: [secureHeaders()],
    logger,
    debug,
    openapi: { title: 'Books & <more>', version: '2.0.0', ...openapi },
  })
}

const page = (options?: Partial<Options>, debug?: boolean) => fetchFrom(site(options, debug), { url: '/openapi' })

/** Returns the paths that a page loads. */
const loaded = ({ text }: Fetched) => [...text.matchAll(/<(?:script src|link rel="\w+" href)="([^"]+)"/g)]

describe('the page of the OpenAPI document', () => {
  it('has its scripts, style and icon beside it, and nothing inline', async () => {
    const app = site()
    const shown = await fetchFrom(app, { url: '/openapi' })
    assert.equal(shown.status, 200)
    assert.equal(shown.header('content-type'), 'text/html; charset=utf-8')
    assert.match(shown.text, /<title>Books &amp; &lt;more&gt;<\/title>/)
    assert.match(shown.text, / data-url="\/openapi\.json" data-mount="\/"/)
    assert.doesNotMatch(shown.text, /<style|style=|<script>|https?:/)
    const types = await Promise.all(
      loaded(shown).map(async ([, url = '']) => {
        const { status, header } = await fetchFrom(app, { url })
        return `${status} ${url} ${header('content-type')}`
      }),
    )
    assert.deepEqual(types, [
      '200 /openapi/favicon-32x32.png image/png',
      '200 /openapi/swagger-ui.css text/css; charset=utf-8',
      '200 /openapi/swagger-ui-bundle.js text/javascript; charset=utf-8',
      '200 /openapi/start.js text/javascript; charset=utf-8',
    ])
  })

  it('has a policy of its own, and the other headers of the middleware', async () => {
    const { header } = await page()
    const policy = header('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/)
    assert.doesNotMatch(policy, /unsafe|nonce/)
    assert.equal(header('referrer-policy'), 'strict-origin-when-cross-origin')
  })

  for (const url of ['/openapi', '/openapi/start.js', '/openapi/swagger-ui.css']) {
    it(`is 304 at ${url} if the client has it, and has no body by HEAD`, async () => {
      const app = site()
      const head = await fetchFrom(app, { url, method: 'HEAD' })
      assert.deepEqual([head.status, head.text], [200, ''])
      const again = await fetchFrom(app, { url, headers: [['If-None-Match', head.header('etag') ?? '']] })
      assert.deepEqual([again.status, again.text], [304, ''])
      assert.equal(again.header('cache-control'), 'no-cache')
    })
  }

  it('by OPTIONS is 204, and by another method 405', async () => {
    const results = ['OPTIONS', 'POST'].map((method) => fetchFrom(site(), { url: '/openapi', method }))
    for (const [index, { status, header }] of (await Promise.all(results)).entries()) {
      assert.equal(status, [204, 405][index])
      assert.equal(header('allow'), 'GET, HEAD, OPTIONS')
    }
  })

  it('leaves other paths below it to the routes', async () => {
    for (const path of ['more', 'package.json', 'index.html', '..%2fpackage.json']) {
      assert.equal((await fetchFrom(site(), { url: `/openapi/${path}` })).text, `other ${decodeURIComponent(path)}`)
    }
    const posted = await fetchFrom(site(), { url: '/openapi/start.js', method: 'POST' })
    assert.equal(posted.text, 'other start.js')
  })

  it('is below the mount point', async () => {
    const shown = await fetchFrom(site(), { url: '/st%C3%B6re/openapi', scriptName: '/st\u00f6re' })
    assert.match(shown.text, / data-url="\/st%C3%B6re\/openapi\.json" data-mount="\/st%C3%B6re"/)
    for (const [, url] of loaded(shown)) assert.match(url ?? '', /^\/st%C3%B6re\/openapi\//)
  })

  it('is beside a document at another path', async () => {
    const app = site({ path: '/api/v2.json' })
    const shown = await fetchFrom(app, { url: '/api/v2' })
    assert.match(shown.text, / data-url="\/api\/v2\.json"/)
    assert.equal((await fetchFrom(app, { url: '/api/v2/start.js' })).status, 200)
    assert.equal((await fetchFrom(app, { url: '/openapi' })).status, 404)
  })

  it('is there in debug mode, unless the option says otherwise', async () => {
    const statuses = [
      await page({}, true),
      await page({}, false),
      await page({ page: true }, false),
      await page({ page: false }, true),
      await page({ path: '/openapi' }, true),
    ].map(({ status, header }) => `${status} ${header('content-type')}`)
    assert.deepEqual(statuses, [
      '200 text/html; charset=utf-8',
      '404 text/plain; charset=utf-8',
      '200 text/html; charset=utf-8',
      '404 text/plain; charset=utf-8',
      '200 application/json',
    ])
  })

  it('names the package if it is not installed', async (t) => {
    const resolve: (name: string, parent: object) => string = Reflect.get(Module, '_resolveFilename')
    const nowhere = { id: '/', filename: '/', paths: [] }
    t.mock.method(
      Module as object as { _resolveFilename: typeof resolve },
      '_resolveFilename',
      (...call: [string, object]) =>
        call[0].startsWith('swagger-ui-dist/') ? resolve(call[0], nowhere) : resolve(...call),
    )
    const app = site()
    const hint =
      'The page /openapi requires the package swagger-ui-dist, which is not installed. Run: npm install --save-dev --ignore-scripts swagger-ui-dist'
    await assert.rejects(page(), { message: hint })
    const response = await app.fetch(new Request('http://localhost/openapi'))
    assert.equal(response.status, 500)
    assert.ok((await response.text()).includes(hint))
    assert.ok(logged.some((text) => text.includes(hint)))
  })
})

describe('the option openapi.page', () => {
  const wrong: [string, object, RegExp][] = [
    ['that is text', { page: '/docs' }, /the option page is "\/docs"\. Pass true or false/],
    ['for a path without .json', { page: true, path: '/api' }, /openapi\.path is "\/api"\. The page is at/],
    ['for /.json', { page: true, path: '/.json' }, /openapi\.path is "\/\.json"/],
  ]
  for (const [what, given, message] of wrong) {
    it(`${what} is refused`, () => {
      assert.throws(() => site(given), { name: 'TypeError', message })
    })
  }
})
