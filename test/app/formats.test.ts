import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { abort, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { TestApp } from 'propylon/testing'

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
