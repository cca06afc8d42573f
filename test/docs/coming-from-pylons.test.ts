/** The table "Changes without an error" of docs/guides/coming-from/pylons.md has a test for each row. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { abort, FrameworkApp, type FrameworkAppOptions, Mapper, redirect, WSGIController } from 'propylon'
import { body } from 'propylon/converters'
import { authenticateForm, decorate, https } from 'propylon/decorators'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'
import { check, controller, project, routing } from '../tools/check/project.ts'

const logged: string[] = []
let afterErrors = 0

class BooksController extends WSGIController {
  static crossSite = { notify: 'allow' } as const
  static args = {
    save: { book: body(v.object({ title: v.pipe(v.string(), v.minLength(1)) }), { form: 'form' }) },
  }

  index(format = 'html') {
    return format
  }
  new() {
    return 'new'
  }
  create() {
    return 'created'
  }
  show(id: string) {
    return id
  }
  path(url: string) {
    return url
  }
  async required() {
    return (await this.request.form()).getOne('name')
  }
  async last() {
    const form = await this.request.form()
    return `${form.get('a')} ${form.getAll('a').at(-1)} ${form.get('missing')}`
  }
  async params() {
    return `${(await this.request.params()).get('a')} ${this.request.query.get('a')}`
  }
  keep(id: string) {
    this.session.set('kept', id)
    if (id === 'abort') abort(404)
    if (id === 'redirect') redirect('/')
    throw new Error('unexpected')
  }
  kept() {
    return String(this.session.get('kept'))
  }
  cookie() {
    this.response.setCookie('a', '1')
    this.response.setCookie('b', '1', { httpOnly: false, sameSite: 'none', secure: true })
    return 'set'
  }
  notify() {
    return 'notified'
  }
  form() {
    return 'form'
  }
  save(book: { title: string }) {
    return book.title
  }
  deny() {
    abort(401)
  }
  list() {
    return ['a', 'b']
  }
  secure() {
    return 'secure'
  }
  token() {
    return 'token'
  }
  __after__(error?: unknown) {
    if (error !== undefined) afterErrors += 1
  }
  static {
    decorate(this, { secure: [https()], token: [authenticateForm] })
  }
}

function client(map: Mapper<unknown>, options: Partial<FrameworkAppOptions> = {}): TestApp {
  const logger = { info() {}, warn() {}, error: (message: string) => void logged.push(message) }
  const session = { secret: 'a secret for the sessions of the test' }
  const app = new FrameworkApp({ map, controllers: { books: BooksController }, logger, session, ...options })
  return new TestApp(app, { errors: 'page' })
}

const standard = (settings = {}) =>
  client(
    new Mapper(settings)
      .resource('book', 'books')
      .connect('/{controller}/{action}')
      .connect('/{controller}/{action}/{id}'),
  )

async function statusOf(app: TestApp, method: string, path: string, init: object = {}): Promise<number> {
  return (await app.request(method, path, init)).status
}

/** The codes that `propylon check` reports for a controller with these members. */
async function codesFor(...members: string[]): Promise<string[]> {
  const folder = project({
    'lib/base.ts':
      "import { WSGIController } from 'propylon'\n\nexport class BaseController extends WSGIController {\n  async __before__() {}\n}\n",
    'config/routing.ts': routing("connect('/', { controller: 'pages', action: 'index' })"),
    'controllers/pages.ts': controller('PagesController', ...members, "index() { return '' }"),
  })
  return (await check(folder)).findings.map(({ code }) => code)
}

const ROWS: Readonly<Record<string, () => void | Promise<void>>> = {
  '`BaseController.__before__(self)` in a hook': async () => {
    class BaseController extends WSGIController {
      async __before__() {
        await new Promise((resolve) => setImmediate(resolve))
        this.c.ended = true
      }
      index() {
        return String(this.c.ended)
      }
    }
    class EarlyController extends BaseController {
      override async __before__() {
        void super.__before__()
      }
    }
    class LateController extends BaseController {
      override async __before__() {
        await super.__before__()
      }
    }
    const map = new Mapper().connect('/{controller}', { action: 'index' })
    const app = client(map, { controllers: { early: EarlyController, late: LateController } })
    assert.deepEqual([(await app.get('/early')).text, (await app.get('/late')).text], ['undefined', 'true'])
  },
  '`try: … finally: Session.remove()` in `__call__`': async () => {
    const call = (wait: string) =>
      `override async __call__(...call: Parameters<BaseController['__call__']>) { try { return ${wait}super.__call__(...call) } finally { console.log() } }`
    assert.deepEqual(await codesFor(call('')), ['finally-early'])
    assert.deepEqual(await codesFor(call('await ')), [])
  },
  'setup in `__call__`': async () => {
    class EarlyController extends WSGIController {
      override __call__(...call: Parameters<WSGIController['__call__']>) {
        this.c.tab = 'early'
        return super.__call__(...call)
      }
      index() {}
    }
    const app = client(new Mapper().connect('/', { controller: 'early' }), {
      controllers: { early: EarlyController },
    })
    logged.length = 0
    assert.equal(await statusOf(app, 'GET', '/'), 500)
    assert.match(logged.join(), /__call__ before it calls super\.__call__/)
  },
  'any suffix is a format': async () => {
    assert.equal(await statusOf(standard(), 'GET', '/books.atom'), 404)
    const once = client(new Mapper().resource('book', 'books', { formats: ['html', 'json', 'atom'] }))
    assert.equal((await once.get('/books.atom')).text, 'atom')
    assert.equal((await standard({ formats: ['html', 'atom'] }).get('/books.atom')).text, 'atom')
  },
  '`format` is `html` without a suffix': async () => {
    const init = { headers: { Accept: 'application/json, text/plain, */*' } }
    assert.equal((await standard().get('/books', init)).text, 'json')
    assert.equal((await standard().get('/books?format=json')).text, 'json')
    const html = client(new Mapper().resource('book', 'books', { formats: ['html'] }))
    assert.equal((await html.get('/books', init)).text, 'html')
  },
  "`url('edit_book', id=7)` is `/books/7/edit`": () => {
    assert.equal(new Mapper().resource('book', 'books').url('edit_book', { id: 7 }), '/books/7;edit')
    const map = new Mapper({ editPath: '/edit' }).resource('book', 'books')
    assert.equal(map.url('edit_book', { id: 7 }), '/books/7/edit')
  },
  'the default route runs `new` for POST': async () => {
    assert.equal(await statusOf(standard(), 'POST', '/books/new'), 405)
    const map = new Mapper()
      .connect('/books/new', { controller: 'books', action: 'new', conditions: { method: 'POST' } })
      .resource('book', 'books')
    assert.equal((await client(map).post('/books/new')).text, 'new')
  },
  'the default route runs `create` for GET': async () => {
    const path = '/books/create/1'
    assert.equal(await statusOf(standard(), 'GET', path), 405)
    const map = new Mapper()
      .connect('/books/create/{id}', {
        controller: 'books',
        action: 'create',
        conditions: { method: ['GET', 'POST'] },
      })
      .resource('book', 'books')
    assert.equal((await client(map).get(path)).text, 'created')
  },
  '`PUT /books/new` updates the book `new`': async () => {
    assert.equal(await statusOf(standard(), 'PUT', '/books/new'), 405)
  },
  'routes fill in defaults at the end of a path': async () => {
    const app = client(new Mapper().connect('/{controller}/{action}/{id}', { action: 'show', id: '1' }))
    assert.equal(await statusOf(app, 'GET', '/books'), 404)
  },
  '`/books/` is `/books`': async () => {
    assert.equal(await statusOf(standard(), 'GET', '/books/'), 404)
    const { headers } = await standard({ trailingSlash: 'redirect' }).get('/books/')
    assert.match(headers.get('location') ?? '', /\/books$/)
  },
  '`*url` matches with its first slash': async () => {
    const app = client(new Mapper().connect('*url', { controller: 'books', action: 'path' }))
    assert.equal((await app.get('/a/b')).text, 'a/b')
  },
  "`request.POST['name']` is the last value": async () => {
    assert.match((await standard().post('/books/last/1', 'a=0&a=1', FORM)).text, /^0 1 /)
  },
  '`request.params`: the query wins': async () => {
    assert.equal((await standard().post('/books/params/1?a=query', 'a=form', FORM)).text, 'form query')
  },
  "`request.POST['name']` of a missing field raises": async () => {
    assert.match((await standard().post('/books/last/1', 'a=1', FORM)).text, / undefined$/)
    const refused = await standard().post('/books/required/1', 'a=1', FORM)
    assert.equal(refused.status, 400)
    assert.match(refused.text, /name: is missing/)
  },
  '`session.save()`': async () => {
    const app = standard()
    for (const [id, kept] of [
      ['unexpected', 'undefined'],
      ['abort', 'abort'],
      ['redirect', 'redirect'],
      ['unexpected', 'redirect'],
    ]) {
      await statusOf(app, 'GET', `/books/keep/${id}`)
      assert.equal((await app.get('/books/kept/1')).text, kept)
    }
  },
  'cookies are for scripts and other sites': async () => {
    assert.deepEqual((await standard().get('/books/cookie/1')).headers.getSetCookie(), [
      'a=1; Path=/; HttpOnly; SameSite=Lax',
      'b=1; Path=/; Secure; SameSite=None',
    ])
  },
  'forms of other sites are accepted': async () => {
    const init = { headers: { Origin: 'https://pay.example' } }
    assert.equal(await statusOf(standard(), 'POST', '/books/last/1', init), 403)
    assert.equal(await statusOf(standard(), 'POST', '/books/notify/1', init), 200)
  },
  'bodies have any size': async () => {
    const field = (bytes: number) => ({ body: `a=${'x'.repeat(bytes)}`, ...FORM })
    assert.equal(await statusOf(standard(), 'POST', '/books/last/1', field(2 ** 20)), 413)
    assert.equal(await statusOf(standard(), 'POST', '/books/last/1', field(2 ** 20 - 2)), 200)
  },
  'an invalid form is shown with 200': async () => {
    const { status, text } = await standard().post('/books/save/1', 'title=', { ...FORM, status: 400 })
    assert.deepEqual([status, text], [400, 'form'])
  },
  '`abort(401)` opens no dialog and has no challenge': async () => {
    const { headers } = await standard().get('/books/deny/1', { status: 401 })
    assert.equal(headers.get('www-authenticate'), 'Bearer realm="application"')
  },
  'a list is sent piece by piece': async () => {
    assert.equal((await standard().get('/books/list/1')).text, '["a","b"]')
  },
  '`@https` answers a POST with 405': async () => {
    assert.equal(await statusOf(standard(), 'POST', '/books/secure/1'), 403)
  },
  '`@authenticate_form` reads the token of the query too': async () => {
    assert.equal(await statusOf(standard(), 'POST', '/books/token/1?_authentication_token=x'), 403)
  },
  '`__after__` is skipped after an error': async () => {
    const before = afterErrors
    await statusOf(standard(), 'GET', '/books/keep/unexpected')
    assert.equal(afterErrors, before + 1)
  },
}

const FORM = { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }

describe('docs/guides/coming-from/pylons.md, "Changes without an error"', () => {
  const guide = readFileSync(new URL('../../docs/guides/coming-from/pylons.md', import.meta.url), 'utf8')
  const [, section = ''] = guide.split('## Changes without an error')
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (.+?) \|/gm)].map(([, cell = '']) => cell)

  test('has a test for each row', () => assert.deepEqual(rows.slice(1), Object.keys(ROWS)))

  for (const [row, run] of Object.entries(ROWS)) test(row, run)
})
