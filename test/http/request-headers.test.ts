import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RequestHeaders } from 'propylon/http'
import { createEnviron } from 'propylon/wsgi'

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
    it(`returns ${JSON.stringify(value)} for ${JSON.stringify(name)}`, () => {
      assert.equal(headers.get(name), value)
      assert.equal(headers.has(name), value !== undefined)
    })
  }

  const repeated: [name: string, value: string | undefined][] = [
    ['Accept', 'one, two'],
    ['Cookie', 'one; two'],
    ['Authorization', 'one'],
    ['Content-Type', 'one'],
    ['From', 'one'],
    ['Host', 'one'],
    ['If-Modified-Since', 'one'],
    ['If-Unmodified-Since', 'one'],
    ['Max-Forwards', 'one'],
    ['Proxy-Authorization', 'one'],
    ['Referer', 'one'],
    ['User-Agent', 'one'],
  ]
  for (const [name, value] of repeated) {
    it(`returns ${JSON.stringify(value)} if ${name} was sent with the values one and two`, () => {
      const environ = createEnviron({
        headers: [
          [name, 'one'],
          [name, 'two'],
        ],
      })
      assert.equal(new RequestHeaders(environ).get(name), value)
    })
  }

  it('treats an empty CONTENT_TYPE or CONTENT_LENGTH as absent', () => {
    const none = new RequestHeaders(createEnviron())
    assert.deepEqual([none.has('content-type'), none.has('content-length')], [false, false])
  })

  it('iterates over the header fields only, in lower case', () => {
    assert.deepEqual([...headers].map(([name]) => name).sort(), [
      'content-length',
      'content-type',
      'host',
      'x-empty',
      'x-thing',
    ])
  })

  it('reflects changes of the environ', () => {
    const environ = createEnviron()
    const view = new RequestHeaders(environ)
    environ.HTTP_X_USER = 'joe'
    assert.equal(view.get('x-user'), 'joe')
  })
})
