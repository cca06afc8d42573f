import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseStatus, STATUS_REASONS, statusLine } from 'propylon/wsgi'
import { checkHeader, isBodyless, isHopByHop } from '../../src/wsgi/response-head.ts'

describe('checkHeader', () => {
  it('returns true if the value is ASCII', () => {
    assert.equal(checkHeader('X-Name', 'a\tb'), true)
    assert.equal(checkHeader('X-Name', 'é'), false)
  })

  const cases: [name: string, value: unknown, message: RegExp][] = [
    ['X Name', 'a', /not a token/],
    ['X:', 'a', /not a token/],
    ['', 'a', /not a token/],
    ['X\r\n', 'a', /not a token/],
    ['É', 'a', /not a token/],
    ['X', 'a\rb', /control character/],
    ['X', 'a\nb', /control character/],
    ['X', 'a\0b', /control character/],
    ['X', 'a\x7fb', /control character/],
    ['X', 'é\n', /control character/],
    ['X', '€', /beyond Latin-1.*Encode it/],
    ['X', '\ud800', /beyond Latin-1/],
    ['X', 5, /not a string/],
    ['X', undefined, /not a string/],
  ]
  for (const [name, value, message] of cases) {
    it(`refuses ${JSON.stringify(name)}: ${JSON.stringify(value)}`, () => {
      assert.throws(() => Reflect.apply(checkHeader, undefined, [name, value]), {
        name: 'TypeError',
        message,
      })
    })
  }
})

describe('isHopByHop', () => {
  it('returns true for hop-by-hop fields in any case', () => {
    for (const name of [
      'Connection',
      'KEEP-ALIVE',
      'te',
      'Trailer',
      'Trailers',
      'Transfer-Encoding',
      'Upgrade',
      'Proxy-Authenticate',
      'Proxy-Authorization',
      'Proxy-Connection',
    ]) {
      assert.equal(isHopByHop(name), true, name)
    }
    for (const name of ['Content-Length', 'Date', 'Warning']) assert.equal(isHopByHop(name), false, name)
  })
})

describe('statusLine', () => {
  const cases: [status: number | string, line: string][] = [
    [200, '200 OK'],
    [404, '404 Not Found'],
    [299, '299 Successful'],
    [499, '499 Client Error'],
    [599, '599 Server Error'],
    ['404', '404 Not Found'],
    ['404 ', '404 Not Found'],
    ['404 Nowhere', '404 Nowhere'],
    ['400 Bad Request -- name: is missing', '400 Bad Request -- name: is missing'],
    ['400 Bad Request -- a\r\nSet-Cookie: x', '400 Bad Request -- a Set-Cookie: x'],
    ['400 é € 😀', '400 é ? ?'],
    ['400 \0', '400 Bad Request'],
  ]
  for (const [status, line] of cases) {
    it(`${JSON.stringify(status)} → ${JSON.stringify(line)}`, () => assert.equal(statusLine(status), line))
  }

  for (const status of [99, 600, 0, -1, 200.5, Number.NaN, '099 Low', '600 High']) {
    it(`refuses ${JSON.stringify(status)}`, () =>
      assert.throws(() => statusLine(status), { name: 'RangeError', message: /is not between 100 and 599/ }))
  }

  for (const status of ['', 'OK', '20 OK', '2000 OK', ' 200 OK', '200\tOK', '200-OK']) {
    it(`refuses ${JSON.stringify(status)}`, () => assert.throws(() => statusLine(status), TypeError))
  }
})

describe('parseStatus', () => {
  it('splits a status line', () => assert.deepEqual(parseStatus('404 Not Found'), [404, 'Not Found']))

  it('splits the results of statusLine', () => {
    for (const [code, reason] of STATUS_REASONS) assert.deepEqual(parseStatus(statusLine(code)), [code, reason])
  })
})

describe('isBodyless', () => {
  it('returns true for statuses without a body', () => {
    assert.deepEqual([100, 200, 204, 205, 206, 304, 404].map(isBodyless), [true, false, true, true, false, true, false])
  })
})
