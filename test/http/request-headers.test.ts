import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RequestHeaders } from '../../src/http/request-headers.ts'
import { createEnviron } from '../../src/wsgi/environ.ts'

const headers = new RequestHeaders(
  createEnviron({
    method: 'POST',
    headers: [
      ['X-Thing', '1'],
      ['x-thing', '2'],
      ['Content-Type', 'a/b'],
      ['X-Empty', ''],
    ],
    body: 'abc',
  }),
)

describe('RequestHeaders', () => {
  const rows: [string, string | undefined][] = [
    ['x-thing', '1, 2'],
    ['X-THING', '1, 2'],
    ['content-type', 'a/b'],
    ['Content-Length', '3'],
    ['x-empty', ''],
    ['x_thing', undefined],
    ['x thing', undefined],
    ['', undefined],
    ['constructor', undefined],
    ['__proto__', undefined],
  ]
  for (const [name, value] of rows) {
    it(`has ${value === undefined ? 'nothing' : JSON.stringify(value)} for ${JSON.stringify(name)}`, () => {
      assert.equal(headers.get(name), value)
      assert.equal(headers.has(name), value !== undefined)
    })
  }

  it('takes the empty CONTENT_TYPE and CONTENT_LENGTH of the gateway for none', () => {
    const none = new RequestHeaders(createEnviron())
    assert.deepEqual([none.has('content-type'), none.has('content-length')], [false, false])
  })

  it('names all fields in lower case, and nothing else of the environ', () => {
    assert.deepEqual([...headers].map(([name]) => name).sort(), [
      'content-length',
      'content-type',
      'host',
      'x-empty',
      'x-thing',
    ])
  })

  it('sees what middleware changes', () => {
    const environ = createEnviron()
    const view = new RequestHeaders(environ)
    environ.HTTP_X_USER = 'joe'
    assert.equal(view.get('x-user'), 'joe')
  })

  it('is a record without a prototype in logs', () => {
    const record = headers.toJSON()
    assert.equal(Object.getPrototypeOf(record), null)
    assert.equal(record['x-thing'], '1, 2')
  })
})
