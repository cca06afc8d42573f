import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { WSGIController } from 'propylon'
import { decorate, type MethodName, restrict } from 'propylon/decorators'
import { appWith } from './sending.ts'

class RestrictedController extends WSGIController {
  reading(id = 'nothing') {
    return `read ${id}`
  }
  async writing(id: string) {
    return `wrote ${id}`
  }
  options() {
    return 'own answer'
  }
  __after__() {
    this.response.headers.set('X-After', 'ran')
  }

  static {
    decorate(this, {
      reading: [restrict('GET')],
      writing: [restrict('PUT', 'POST')],
      options: [restrict('OPTIONS', 'GET')],
    })
  }
}

const { send } = appWith(RestrictedController)

describe('restrict', () => {
  const rows: [method: string, path: string, status: string, text: string | RegExp, allow?: string][] = [
    ['GET', '/reading/x', '200 OK', 'read x'],
    ['GET', '/reading', '200 OK', 'read nothing'],
    ['HEAD', '/reading/x', '200 OK', ''],
    ['POST', '/reading/x', '405 Method Not Allowed', /405/, 'GET, HEAD, OPTIONS'],
    ['DELETE', '/reading/x', '405 Method Not Allowed', /405/, 'GET, HEAD, OPTIONS'],
    ['POST', '/writing/x', '200 OK', 'wrote x'],
    ['PUT', '/writing/x', '200 OK', 'wrote x'],
    ['GET', '/writing/x', '405 Method Not Allowed', /405/, 'OPTIONS, POST, PUT'],
    ['HEAD', '/writing/x', '405 Method Not Allowed', '', 'OPTIONS, POST, PUT'],
    ['OPTIONS', '/reading/x', '204 No Content', '', 'GET, HEAD, OPTIONS'],
    ['OPTIONS', '/options/x', '200 OK', 'own answer'],
    ['post', '/writing/x', '405 Method Not Allowed', /405/, 'OPTIONS, POST, PUT'],
  ]
  for (const [method, path, status, text, allow] of rows) {
    it(`responds to ${method} ${path} with ${status}`, async () => {
      const received = await send(path, { method })
      assert.equal(received.status, status)
      assert.equal(received.header('allow'), allow)
      if (typeof text === 'string') assert.equal(received.text, text)
      else assert.match(received.text, text)
    })
  }

  it('runs __after__ for a refused request', async () => {
    assert.equal((await send('/reading', { method: 'POST' })).header('x-after'), 'ran')
  })

  const mistakes: [label: string, methods: string[]][] = [
    ['no method', []],
    ['lower case', ['post']],
    ['several in one', ['GET, POST']],
    ['an empty one', ['']],
  ]
  for (const [label, methods] of mistakes) {
    it(`refuses ${label}`, () => {
      assert.throws(() => restrict(...(methods as [MethodName])), TypeError)
    })
  }

  it('refuses to decorate a static method', () => {
    const context = { kind: 'method', name: 'make', static: true, private: false } as const
    assert.throws(
      () => restrict('GET')(() => 'made', context),
      /restrict cannot decorate make\. Decorate a method of a controller/,
    )
  })

  it('refuses a call on another object', () => {
    class Plain {
      index() {
        return 'plain'
      }
      static {
        decorate(this, { index: [restrict('GET')] })
      }
    }
    assert.throws(() => new Plain().index(), /index\(\) was not called on a controller/)
  })

  it('keeps the name and the attributes of the method', () => {
    const method = Object.assign(function show() {}, { help: 'Shows it.' })
    const wrapped = restrict('GET')(method, { kind: 'method', name: 'show', static: false, private: false })
    assert.equal(wrapped.name, 'show')
    assert.equal(wrapped.help, 'Shows it.')
  })
})
