import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, type FrameworkAppOptions, Mapper, WSGIController } from 'propylon'

class PagesController extends WSGIController {
  index() {
    return 'index'
  }
}

function application(options: Partial<FrameworkAppOptions> = {}): FrameworkApp {
  return new FrameworkApp({
    map: new Mapper()
      .connect('user', '/users/{id:\\d+}', { controller: 'pages', action: 'index' })
      .connect('about', '/about', { controller: 'pages', action: 'index', conditions: { method: 'GET' } })
      .connect('/{controller}/{action}')
      .redirect('/old', '/about'),
    controllers: { pages: PagesController },
    debug: true,
    logger: { info() {}, warn() {}, error() {} },
    ...options,
  })
}

async function get(path: string, accept: string, app = application()) {
  const response = await app.fetch(new Request(`http://localhost${path}`, { headers: { accept } }))
  return { response, text: await response.text() }
}

/** Returns the cells of the table below a heading. */
function rows(page: string, heading: string): string[][] {
  const table = page.slice(page.indexOf(`<h2>${heading}`)).split('</table>')[0] ?? ''
  return [...table.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[dh][^>]*>([\s\S]*?)<\/t[dh]>/g)].map(([, cell = '']) => cell.replace(/<[^>]*>/g, '')),
  )
}

describe('the page for a request without a route', () => {
  it('lists the nearest routes with the reason why each does not match', async () => {
    const { response, text } = await get('/users/joe', 'text/html')
    assert.equal(response.status, 404)
    const [head, first] = rows(text, 'Nearest routes')
    assert.deepEqual(head, ['Method', 'Path', 'Why it does not match', 'Name', 'Controller#action'])
    assert.deepEqual(
      [first?.[0], first?.[1], first?.[3], first?.[4]],
      ['any', '/users/{id:\\d+}', 'user', 'pages#index'],
    )
    assert.match(first?.[2] ?? '', /^requirement: /)
  })

  it('lists all routes in their order', async () => {
    const { text } = await get('/nowhere', 'text/html')
    assert.deepEqual(rows(text, 'All routes (4)'), [
      ['Method', 'Path', 'Name', 'Controller#action'],
      ['any', '/users/{id:\\d+}', 'user', 'pages#index'],
      ['GET', '/about', 'about', 'pages#index'],
      ['any', '/{controller}/{action}', '', '{controller}#{action}'],
      ['any', '/old', '', 'redirect'],
    ])
  })

  for (const [path, meant] of [
    ['/abuot', '/about'],
    ['/page/index', '/pages/index'],
    ['/xyz', undefined],
    ['//abuot', undefined],
  ] as const) {
    it(`${meant === undefined ? 'has no link' : `links to ${meant}`} for ${path}`, async () => {
      const link = /Did you mean <a href="(.*?)">\1<\/a>\?/.exec((await get(path, 'text/html')).text)
      assert.equal(link?.[1], meant)
    })
  }

  it('escapes the path and has a policy', async () => {
    const { response, text } = await get('/users/<b>"', 'text/html')
    assert.doesNotMatch(text, /<b>/)
    assert.match(response.headers.get('Content-Security-Policy') ?? '', /^default-src 'none'/)
  })

  it('replaces the page of the application for 404', async () => {
    const app = application({ templates: { lost: 'own page' }, errorPages: { 404: 'lost' } })
    assert.match((await get('/nowhere', 'text/html', app)).text, /All routes/)
  })

  it('is a problem document with the nearest routes for programs', async () => {
    const { text } = await get('/users/joe', 'application/json')
    const { status, nearest } = JSON.parse(text)
    assert.equal(status, 404)
    assert.deepEqual([nearest[0].route, nearest[0].condition], ['user /users/{id:\\d+}', 'requirement'])
  })

  it('describes how to define a route if there are none', async () => {
    assert.match((await get('/', 'text/html', application({ map: new Mapper() }))).text, /has no routes/)
  })
})
