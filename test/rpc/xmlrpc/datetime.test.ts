import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DateTime } from 'propylon/xmlrpc'

describe('DateTime', () => {
  it('keeps the text and parses its fields', () => {
    const sent = new DateTime('1998-07-17T14:08:55.25+02:00')
    assert.equal(sent.text, '1998-07-17T14:08:55.25+02:00')
    const { year, month, day, hour, minute, second, millisecond, offset } = sent
    assert.deepEqual([year, month, day, hour, minute, second, millisecond, offset], [1998, 7, 17, 14, 8, 55, 250, 120])
    assert.equal(String(sent), '19980717T14:08:55')
    assert.equal(JSON.stringify(sent), '"1998-07-17T14:08:55.25+02:00"')
  })

  for (const text of [
    '19980230T00:00:00',
    '19000229T00:00:00',
    '19981317T00:00:00',
    '19980717T24:00:00',
    '19980717T00:60:00',
    '',
    '19980717',
    '19980717T14:08:55+99:00',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.throws(() => new DateTime(text), RangeError))
  }

  for (const [text, instant] of [
    ['19980717T14:08:55', '1998-07-17T14:08:55.000Z'],
    ['19980717T14:08:55Z', '1998-07-17T14:08:55.000Z'],
    ['19980717T14:08:55.5+01', '1998-07-17T13:08:55.500Z'],
    ['19980717T14:08:55-0530', '1998-07-17T19:38:55.000Z'],
    ['00500101T00:00:00', '0050-01-01T00:00:00.000Z'],
    ['00000101T00:30:00+01:00', '-000001-12-31T23:30:00.000Z'],
    ['20240229T12:00:00', '2024-02-29T12:00:00.000Z'],
  ] as const) {
    it(`${text} is ${instant}`, () => {
      assert.equal(new DateTime(text).toDate().toISOString(), instant)
    })
  }

  it('is converted from a Date to UTC', () => {
    assert.equal(DateTime.fromDate(new Date('2024-07-01T22:30:00.999Z')).text, '20240701T22:30:00')
    assert.equal(DateTime.fromDate(new Date('0000-01-01T00:00:00Z')).text, '00000101T00:00:00')
  })

  it('refuses invalid dates and years beyond four digits', () => {
    assert.throws(() => DateTime.fromDate(new Date(Number.NaN)), RangeError)
    assert.throws(() => DateTime.fromDate(new Date(Date.UTC(-1, 0))), /year -1 is not within 0 to 9999/)
  })

  it('survives the conversion to a Date and back', () => {
    const dates = fc.date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(dates, (date) => {
        const clock = DateTime.fromDate(date)
        assert.equal(DateTime.fromDate(clock.toDate()).text, clock.text)
      }),
    )
  })

  it('is ordered and compared by its instant', () => {
    const texts = ['19980717T14:08:56', '1998-07-17T14:08:55Z', '19980717T14:08:54', '19980717T16:08:55+02:00']
    const sorted = texts.map((text) => new DateTime(text)).sort((a, b) => Number(a) - Number(b))
    assert.deepEqual(
      sorted.map(({ text }) => text),
      [texts[2], texts[1], texts[3], texts[0]],
    )
    assert.ok(new DateTime('19980717T140855').equals(new DateTime('1998-07-17T14:08:55')))
    assert.ok(new DateTime('19980717T140855') < new DateTime('1998-07-17T14:08:56'))
  })
})
