import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { formatHttpDate, parseHttpDate } from 'propylon/http'

const MOMENT = new Date('1994-11-06T08:49:37Z')

describe('formatHttpDate', () => {
  it('formats an IMF-fixdate', () => {
    assert.equal(formatHttpDate(MOMENT), 'Sun, 06 Nov 1994 08:49:37 GMT')
  })

  for (const date of [new Date(Number.NaN), new Date('+010000-01-01T00:00:00Z')]) {
    it(`refuses ${String(date)}`, () => {
      assert.throws(() => formatHttpDate(date), RangeError)
    })
  }
})

describe('parseHttpDate', () => {
  for (const text of ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994']) {
    it(`parses ${text}`, () => {
      assert.deepEqual(parseHttpDate(text, new Date('2026-01-01')), MOMENT)
    })
  }

  for (const text of [
    '',
    '0',
    '1994-11-06T08:49:37Z',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'Sun, 31 Feb 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Foo 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:49:37 +0100',
    'Sun, 06 Nov 1994 08:49:37 GMT, and more',
  ]) {
    it(`returns undefined for ${JSON.stringify(text)}`, () => {
      assert.equal(parseHttpDate(text), undefined)
    })
  }

  it('interprets a two-digit year as at most 50 years ahead', () => {
    const now = new Date('2026-01-01')
    assert.equal(parseHttpDate('Sunday, 06-Nov-76 08:49:37 GMT', now)?.getUTCFullYear(), 2076)
    assert.equal(parseHttpDate('Sunday, 06-Nov-77 08:49:37 GMT', now)?.getUTCFullYear(), 1977)
  })

  it('parses the text of formatHttpDate', () => {
    const seconds = fc.integer({ min: 0, max: 253_402_300_799 })
    fc.assert(
      fc.property(seconds, (time) => {
        const date = new Date(time * 1000)
        assert.deepEqual(parseHttpDate(formatHttpDate(date)), date)
      }),
    )
  })
})
