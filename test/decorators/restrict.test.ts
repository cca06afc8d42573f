import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { WSGIController } from '../../src/controllers/wsgi-controller.ts'
import { decorate, type MethodName, restrict } from '../../src/decorators/index.ts'
import { appWith } from './asking.ts'

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

const { ask } = appWith(RestrictedController)

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
    ['post', '/writing/x', '405 Method Not Allowed', /405/, 'OPTIONS, POST, PUT'],
  ]
  for (const [method, path, status, text, allow] of rows) {
    it(`answers ${method} ${path} with ${status}`, async () => {
      const asked = await ask(path, { method })
      assert.equal(asked.status, status)
      assert.equal(asked.header('allow'), allow)
      if (typeof text === 'string') assert.equal(asked.text, text)
      else assert.match(asked.text, text)
    })
  }

  it('lets __after__ run for what it refuses', async () => {
    assert.equal((await ask('/reading', { method: 'POST' })).header('x-after'), 'ran')
  })

  const mistakes: [label: string, methods: string[]][] = [
    ['no method', []],
    ['small letters', ['post']],
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
      /decorates methods of controllers, and make is none/,
    )
  })

  it('refuses a call on what is no controller', () => {
    class Plain {
      index() {
        return 'plain'
      }
      static {
        decorate(this, { index: [restrict('GET')] })
      }
    }
    assert.throws(() => new Plain().index(), /restrict is for controllers/)
  })

  it('keeps the name and the attributes of the method', () => {
    const method = Object.assign(function show() {}, { help: 'Shows it.' })
    const wrapped = restrict('GET')(method, { kind: 'method', name: 'show', static: false, private: false })
    assert.equal(wrapped.name, 'show')
    assert.equal(wrapped.help, 'Shows it.')
  })
})
