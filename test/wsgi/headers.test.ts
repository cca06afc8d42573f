import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { environKey, headerName, joinHeader } from '../../src/wsgi/request-header-names.ts'
import { checkHeader, isHopByHop } from '../../src/wsgi/response-head.ts'

describe('environKey', () => {
  const cases: [name: string, key: string | undefined][] = [
    ['Content-Type', 'CONTENT_TYPE'],
    ['content-length', 'CONTENT_LENGTH'],
    ['Accept', 'HTTP_ACCEPT'],
    ['x-forwarded-for', 'HTTP_X_FORWARDED_FOR'],
    ['X_Forwarded_For', undefined],
    ['Content_Length', undefined],
    ['a b', undefined],
    ['', undefined],
    ['__proto__', undefined],
    ['constructor', 'HTTP_CONSTRUCTOR'],
  ]
  for (const [name, key] of cases)
    it(`${JSON.stringify(name)} → ${key}`, () => assert.equal(environKey(name), key))

  it('returns the same key for a second call', () => assert.equal(environKey('Accept'), environKey('Accept')))

  it('caches a limited number of names', () => {
    for (let at = 0; at < 5000; at++) assert.equal(environKey(`x-flood-${at}`), `HTTP_X_FLOOD_${at}`)
  })
})

describe('headerName', () => {
  it('is the inverse of environKey', () => {
    for (const name of ['content-type', 'content-length', 'accept', 'x-a-b']) {
      assert.equal(headerName(environKey(name) ?? ''), name)
    }
  })

  it('returns undefined for other variables', () => {
    for (const key of ['REQUEST_METHOD', 'wsgi.input', '']) assert.equal(headerName(key), undefined)
  })
})

describe('joinHeader', () => {
  it('joins lists by commas, and cookies by semicolons', () => {
    assert.equal(joinHeader('HTTP_ACCEPT', 'a', 'b'), 'a, b')
    assert.equal(joinHeader('HTTP_COOKIE', 'a=1', 'b=2'), 'a=1; b=2')
  })

  it('keeps the first value of fields that are not lists', () => {
    for (const key of ['CONTENT_TYPE', 'HTTP_AUTHORIZATION', 'HTTP_HOST'])
      assert.equal(joinHeader(key, 'a', 'b'), 'a')
  })
})

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
      'Transfer-Encoding',
      'Upgrade',
      'Proxy-Connection',
    ]) {
      assert.equal(isHopByHop(name), true, name)
    }
    for (const name of ['Content-Length', 'Date', 'Warning']) assert.equal(isHopByHop(name), false, name)
  })
})
