import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { abort, forward, HTTPConflict, Response, WSGIController } from 'propylon'
import { decorate, type Jsonable, jsonify } from 'propylon/decorators'
import { appWith } from './sending.ts'

class JsonController extends WSGIController {
  text() {
    return 'plain "text"'
  }
  number(): Jsonable {
    return 42
  }
  boolean(): Jsonable {
    return false
  }
  nothing() {
    return null
  }
  object(id: string) {
    return { id }
  }
  list() {
    return [1, 'zwei', null]
  }
  async later() {
    return { later: true }
  }
  date(): Jsonable {
    return new Date(0)
  }
  own_form() {
    return { toJSON: () => ({ shown: true }), hidden: true }
  }
  own_type() {
    this.response.contentType = 'application/vnd.api+json'
    return { data: [] }
  }
  status() {
    this.response.status = 201
    return { made: true }
  }
  response_itself() {
    return new Response('<p>own</p>')
  }
  platforms() {
    return globalThis.Response.json({ own: 1 }, { status: 202 })
  }
  exception() {
    return new HTTPConflict('taken')
  }
  thrown(): never {
    abort(404)
  }
  application() {
    return forward((_environ, start_response) => {
      start_response('200 OK', [['Content-Type', 'text/plain']])
      return ['application']
    })
  }
  cycle() {
    const one: Record<string, unknown> = {}
    one.one = one
    return one
  }

  static {
    decorate(this, {
      text: [jsonify],
      number: [jsonify],
      boolean: [jsonify],
      nothing: [jsonify],
      object: [jsonify],
      list: [jsonify],
      later: [jsonify],
      date: [jsonify],
      own_form: [jsonify],
      own_type: [jsonify],
      status: [jsonify],
      response_itself: [jsonify],
      platforms: [jsonify],
      exception: [jsonify],
      thrown: [jsonify],
      application: [jsonify],
      cycle: [jsonify],
    })
  }
}

const { send } = appWith(JsonController)
const json = 'application/json'

describe('jsonify', () => {
  const rows: [path: string, status: string, type: string, text: string][] = [
    ['/text', '200 OK', json, '"plain \\"text\\""'],
    ['/number', '200 OK', json, '42'],
    ['/boolean', '200 OK', json, 'false'],
    ['/nothing', '200 OK', json, 'null'],
    ['/object/7', '200 OK', json, '{"id":"7"}'],
    ['/list', '200 OK', json, '[1,"zwei",null]'],
    ['/later', '200 OK', json, '{"later":true}'],
    ['/date', '200 OK', json, '"1970-01-01T00:00:00.000Z"'],
    ['/own_form', '200 OK', json, '{"shown":true}'],
    ['/own_type', '200 OK', 'application/vnd.api+json', '{"data":[]}'],
    ['/status', '201 Created', json, '{"made":true}'],
    ['/response_itself', '200 OK', 'text/html; charset=utf-8', '<p>own</p>'],
    ['/platforms', '202 Accepted', json, '{"own":1}'],
    ['/application', '200 OK', 'text/plain', 'application'],
  ]
  for (const [path, status, type, text] of rows) {
    it(`sends ${path.slice(1)} as ${type}`, async () => {
      const received = await send(path)
      assert.deepEqual([received.status, received.header('content-type'), received.text], [status, type, text])
    })
  }

  for (const [path, status] of [
    ['/exception', '409 Conflict'],
    ['/thrown', '404 Not Found'],
  ] as const) {
    it(`sends an HTTP exception unchanged: ${path.slice(1)}`, async () => {
      const received = await send(path)
      assert.equal(received.status, status)
      assert.equal(received.header('content-type'), 'text/plain; charset=utf-8')
    })
  }

  it('refuses a bigint and a cycle', async () => {
    await assert.rejects(send('/cycle'), /circular/)
  })

  for (const [label, value] of [
    ['undefined', undefined],
    ['a symbol', Symbol('s')],
    ['an object whose toJSON returns undefined', { toJSON: () => undefined }],
  ] as const) {
    it(`refuses ${label}`, async () => {
      class Odd extends WSGIController {
        index(): object {
          return value as unknown as object
        }
        static {
          decorate(this, { index: [jsonify] })
        }
      }
      await assert.rejects(appWith(Odd).send(''), /jsonify: Odd\.index returned .*, which JSON cannot represent/)
    })
  }
})
