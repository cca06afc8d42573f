import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseStatus, reasonPhrase, STATUS_REASONS, statusLine } from 'propylon/wsgi'
import { isBodyless, MAX_REASON_LENGTH } from '../../src/wsgi/status.ts'

describe('statusLine', () => {
  const cases: [status: number | string, line: string][] = [
    [200, '200 OK'],
    [404, '404 Not Found'],
    [299, '299 Successful'],
    [499, '499 Client Error'],
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
    it(`refuses ${JSON.stringify(status)}`, () => assert.throws(() => statusLine(status), RangeError))
  }

  for (const status of ['', 'OK', '20 OK', '2000 OK', ' 200 OK', '200\tOK', '200-OK']) {
    it(`refuses ${JSON.stringify(status)}`, () => assert.throws(() => statusLine(status), TypeError))
  }
})

describe('parseStatus', () => {
  it('splits a status line', () => assert.deepEqual(parseStatus('404 Not Found'), [404, 'Not Found']))

  it('splits the results of statusLine', () => {
    for (const [code, reason] of STATUS_REASONS)
      assert.deepEqual(parseStatus(statusLine(code)), [code, reason])
  })
})

describe('reasonPhrase', () => {
  it('returns a valid reason phrase unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const once = reasonPhrase(text)
        assert.equal(reasonPhrase(once), once)
      }),
    )
  })

  it('returns a valid reason phrase for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), (text) => {
        const reason = reasonPhrase(text)
        assert.match(reason, /^[\x20-\x7e\x80-\xff]*$/)
        assert.ok(reason.length <= MAX_REASON_LENGTH)
      }),
    )
  })
})

describe('isBodyless', () => {
  it('returns true for statuses without a body', () => {
    assert.deepEqual([100, 200, 204, 205, 206, 304, 404].map(isBodyless), [
      true,
      false,
      true,
      true,
      false,
      true,
      false,
    ])
  })
})
