import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { abort, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { memoryStore } from 'propylon/sessions'
import { TestApp } from 'propylon/testing'

class PagesController extends WSGIController {
  __before__() {
    this.c.user = 'Ann'
  }

  flash() {
    this.session.flash('notice', 'Saved')
    return 'ok'
  }

  aborts() {
    abort(403, 'not you')
  }

  fails() {
    this.session.set('half', 'done')
    throw new Error('a secret')
  }

  half() {
    return String(this.session.get('half') ?? 'nothing')
  }
}

const SHOWN =
  "<%= it.status %> <%= it.c.user %> <%= it.url('home') %> <%= it.request.path %> <%= it.session.flashed('notice') %>"

const logged: string[] = []

function pageApp(options: { debug?: boolean; store?: boolean; waits?: boolean } = {}) {
  const map = new Mapper().connect('home', '/', { controller: 'pages', action: 'flash' }).connect('/pages/{action}', {
    controller: 'pages',
  })
  return new FrameworkApp({
    map,
    controllers: { pages: PagesController },
    templates: {
      layout: options.waits ? '[<%= await it.url("home") %>] <%~ it.body %>' : '<%~ it.body %>',
      page: `<% layout('layout') %>${SHOWN}`,
    },
    errorPages: { 403: 'page', 404: 'page', 500: 'page' },
    session: {
      secret: 'a secret of thirty-two characters',
      ...(options.store ? { store: memoryStore() } : {}),
    },
    logger: { info() {}, warn() {}, error: (message) => logged.push(message) },
    debug: options.debug ?? false,
  })
}

const browser = { headers: { Accept: 'text/html' } }

describe('the template of an error page', () => {
  const rows: [title: string, path: string, options: Parameters<typeof pageApp>[0], text: string][] = [
    ['of an exception of an action', '/pages/aborts', {}, '403 Ann / /pages/aborts Saved'],
    ['of an unexpected error', '/pages/fails', {}, '500 Ann / /pages/fails Saved'],
    ['of a path without a route', '/nowhere', {}, '404  / /nowhere Saved'],
    ['of a path without a route, with a store', '/nowhere', { store: true }, '404  / /nowhere Saved'],
    ['of an unexpected error, with a store', '/pages/fails', { store: true }, '500 Ann / /pages/fails Saved'],
    ['of a missing action', '/pages/missing', {}, '404 Ann / /pages/missing Saved'],
    ['of a missing action in debug mode', '/pages/missing', { debug: true }, '404 Ann / /pages/missing Saved'],
    ['of an unexpected error in debug mode', '/pages/fails', { debug: true }, '500 Ann / /pages/fails Saved'],
    ['whose layout awaits', '/nowhere', { waits: true }, '[/] 404  / /nowhere Saved'],
    ['of an action, whose layout awaits', '/pages/aborts', { waits: true }, '[/] 403 Ann / /pages/aborts Saved'],
  ]
  for (const [title, path, options, text] of rows) {
    it(`${title} has context, URLs, request and session`, async () => {
      logged.length = 0
      const app = new TestApp(pageApp(options), { errors: 'page', ...browser })
      await app.get('/')
      assert.equal((await app.get(path)).text, text)
      assert.equal(logged.filter((each) => /error page/.test(each)).join(), '')
    })
  }

  it('has the prefix in its URLs', async () => {
    const app = new TestApp(pageApp(), { environ: { SCRIPT_NAME: '/wiki' }, ...browser })
    assert.equal((await app.get('/nowhere')).text, '404  /wiki/ /wiki/nowhere ')
  })

  it('consumes flash messages', async () => {
    const app = new TestApp(pageApp({ store: true }), browser)
    await app.get('/')
    await app.get('/nowhere')
    assert.equal((await app.get('/nowhere')).text, '404  / /nowhere ')
  })

  it('does not save the session of an action that failed', async () => {
    const app = new TestApp(pageApp({ store: true }), { errors: 'page', ...browser })
    await app.get('/')
    await app.get('/pages/fails')
    assert.equal((await app.get('/pages/half')).text, 'nothing')
  })

  it('leaves the list of routes to browsers in debug mode', async () => {
    const app = new TestApp(pageApp({ debug: true }), { errors: 'debug', ...browser })
    assert.match((await app.get('/nowhere')).text, /No route matches GET \/nowhere/)
  })
})

describe('the option errors of TestApp', () => {
  it('rejects with unexpected errors by default', async () => {
    await assert.rejects(new TestApp(pageApp()).get('/pages/fails'), /a secret/)
  })

  it('returns 404 for a missing action whether debug mode is on or not', async () => {
    for (const debug of [true, false]) {
      assert.equal((await new TestApp(pageApp({ debug })).get('/pages/missing')).status, 404)
    }
  })

  it('returns the details of debug mode', async () => {
    const app = new TestApp(pageApp({ debug: true }), { errors: 'debug' })
    const response = await app.get('/pages/fails')
    assert.deepEqual([response.status, /a secret/.test(response.text)], [500, true])
  })
})
