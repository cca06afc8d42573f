import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { abort, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { string } from 'propylon/converters'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'

class PagesController extends WSGIController {
  show(title: string, format = 'html') {
    if (title === 'missing') abort(404)
    return `${title} ${format}`
  }
}

const map = new Mapper()
  .connect('/page/{title}{.format}', { controller: 'pages', action: 'show' })
  .connect('/plain/{title}', { controller: 'pages', action: 'show' })

const app = new TestApp(new FrameworkApp({ map, controllers: { pages: PagesController } }), {
  errors: 'page',
})

describe('the format of a route with {.format}', () => {
  for (const [path, accept, text] of [
    ['/page/a', undefined, 'a html'],
    ['/page/a', '*/*', 'a html'],
    ['/page/a', 'application/json', 'a json'],
    ['/page/a', 'text/html, application/json;q=0.9', 'a html'],
    ['/page/a', 'application/*', 'a json'],
    ['/page/a', 'text/*', 'a html'],
    ['/page/a', 'text/html;q=0, */*', 'a json'],
    ['/page/a', 'application/json;charset=utf-8', 'a json'],
    ['/page/a.json', 'text/html', 'a json'],
    ['/page/a?format=json', 'text/html', 'a json'],
    ['/page/a?format=xml', 'application/json', 'a json'],
    ['/page/a?format=xml', 'text/html', 'a html'],
    ['/page/a', 'application/vnd.api+json', 'a json'],
    ['/page/a.html?format=json', 'application/json', 'a html'],
    ['/page/a.b', 'application/json', 'a.b json'],
    ['/plain/a?format=json', 'application/json', 'a html'],
  ] as const) {
    it(`is that of "${text}" for ${path} and Accept ${accept}`, async () => {
      const response = await app.get(path, { headers: accept === undefined ? {} : { accept } })
      assert.equal(response.text, text)
    })
  }
})

it('varies with Accept if the path has no suffix', async () => {
  assert.equal((await app.get('/page/a')).headers.get('vary'), 'Accept')
  assert.equal((await app.get('/page/a.json')).headers.get('vary'), null)
})

describe('an error', () => {
  for (const [path, accept, type] of [
    ['/page/missing.json', 'text/html', 'application/problem+json'],
    ['/page/missing?format=json', 'text/html', 'application/problem+json'],
    ['/page/missing.html', 'application/json', 'text/html'],
    ['/page/missing', 'application/json', 'application/problem+json'],
    ['/page/missing', 'text/html', 'text/html'],
    ['/page/missing', '*/*', 'text/plain'],
    ['/page/missing?format=x', 'text/html', 'text/html'],
    ['/plain/missing?format=json', 'text/html', 'text/html'],
    ['/none?format=json', 'text/html', 'text/html'],
  ] as const) {
    it(`is ${type} for ${path} and Accept ${accept}`, async () => {
      const response = await app.get(path, { headers: { accept }, status: 404 })
      assert.equal(response.contentType, type)
    })
  }
})

describe('a parameter {format} that is not behind a dot', () => {
  class ExportController extends WSGIController {
    static args = { show: { format: string }, list: { format: string } }
    static results = { show: v.object({ format: v.string() }), list: v.object({ format: v.string() }) }
    static pages = { show: 'show' }
    static tools = ['list']
    show(format: string) {
      return { format }
    }
    list(format: string) {
      return { format }
    }
  }
  const app = new FrameworkApp({
    map: new Mapper()
      .connect('/export/{format}', { controller: 'export', action: 'show' })
      .connect('/export/{format}/all', { controller: 'export', action: 'list' }),
    controllers: { export: ExportController },
    templates: { show: '<p><%= it.format %></p>' },
    openapi: { title: 'Export', version: '1' },
    mcp: {},
  })
  const client = new TestApp(app)

  it('takes any value, which chooses nothing', async () => {
    const json = { headers: { Accept: 'application/json' } }
    for (const format of ['csv', 'html', 'json']) {
      assert.deepEqual((await client.get(`/export/${format}`, json)).json(), { format })
      const page = await client.get(`/export/${format}`, { headers: { Accept: 'text/html' } })
      assert.equal(page.text, `<p>${format}</p>`)
    }
  })

  it('is an argument of tools and documents', async () => {
    const message = { name: 'export_list', arguments: { format: 'csv' } }
    const { text } = await client.postJson('/mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: message,
    })
    assert.match(text, /\\"format\\":\\"csv\\"/)
    const { paths } = Object(await app.openapi())
    assert.equal(paths['/export/{format}/all'].get.parameters[0].name, 'format')
  })
})
