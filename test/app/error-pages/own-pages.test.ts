import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { abort, FrameworkApp, Mapper, WSGIController } from 'propylon'

class PagesController extends WSGIController {
  forbidden() {
    this.response.setCookie('seen', 'yes')
    abort(403, '<b>not you</b>')
  }
  conflict() {
    abort(409)
  }
  gone() {
    abort(410)
  }
  locked() {
    abort(423, 'waiting')
  }
  failing() {
    throw new Error('a secret')
  }
}

const logged: string[] = []
const app = new FrameworkApp({
  map: new Mapper().connect('/{controller}/{action}'),
  controllers: { pages: PagesController },
  templates: {
    'errors/403': '<h1>Own <%= it.status %></h1><%= it.detail %>',
    'errors/404': '<h1>Own <%= it.statusLine %></h1>',
    'errors/410': '<%= it.nothing.here %>',
    'errors/423': '<h1>Own <%= await it.detail %></h1>',
    'errors/500': '<h1>Own <%= it.title %></h1>',
  },
  errorPages: {
    403: 'errors/403',
    404: 'errors/404',
    410: 'errors/410',
    423: 'errors/423',
    500: 'errors/500',
  },
  logger: { info() {}, warn() {}, error: (message) => logged.push(message) },
})

async function get(path: string, accept: string): Promise<[status: number, type: string | null, text: string]> {
  const response = await app.fetch(new Request(`http://localhost${path}`, { headers: { accept } }))
  return [response.status, response.headers.get('content-type'), await response.text()]
}

const html = 'text/html; charset=utf-8'

describe("an application's own error pages", () => {
  const rows: [path: string, status: number, text: string | RegExp][] = [
    ['/pages/forbidden', 403, '<h1>Own 403</h1>&lt;b&gt;not you&lt;/b&gt;'],
    ['/nowhere', 404, '<h1>Own 404 Not Found</h1>'],
    ['/pages/missing', 404, '<h1>Own 404 Not Found</h1>'],
    ['/pages/locked', 423, '<h1>Own waiting</h1>'],
    ['/pages/failing', 500, '<h1>Own Internal Server Error</h1>'],
    ['/pages/conflict', 409, /409 Conflict/],
  ]
  for (const [path, status, text] of rows) {
    it(`${path} shows ${text} to a browser`, async () => {
      const [answered, type, page] = await get(path, 'text/html,*/*;q=0.8')
      assert.deepEqual([answered, type], [status, html])
      if (typeof text === 'string') assert.equal(page, text)
      else assert.match(page, text)
    })
  }

  it('are not sent to programs', async () => {
    assert.equal((await get('/nowhere', 'application/json'))[1], 'application/problem+json')
    assert.match((await get('/nowhere', '*/*'))[2], /^404 Not Found\n/)
  })

  it('that fail are logged, and the plain page is sent', async () => {
    const [status, , page] = await get('/pages/gone', 'text/html')
    assert.equal(status, 410)
    assert.match(page, /410 Gone/)
    assert.match(logged.join(), /The error page for 410 Gone failed/)
  })

  it('keep the headers of the response', async () => {
    const response = await app.fetch(
      new Request('http://localhost/pages/forbidden', { headers: { accept: 'text/html' } }),
    )
    assert.match(response.headers.get('set-cookie') ?? '', /seen=yes/)
  })
})
