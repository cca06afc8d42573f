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

  for (const [text, timeZone, instant] of [
    ['19980717T14:08:55', 'UTC', '1998-07-17T14:08:55.000Z'],
    ['19980717T14:08:55', '+02:00', '1998-07-17T12:08:55.000Z'],
    ['19980717T14:08:55', '-0530', '1998-07-17T19:38:55.000Z'],
    ['19980717T14:08:55', 'Europe/Berlin', '1998-07-17T12:08:55.000Z'],
    ['19980117T14:08:55', 'Europe/Berlin', '1998-01-17T13:08:55.000Z'],
    ['19980717T14:08:55Z', 'Europe/Berlin', '1998-07-17T14:08:55.000Z'],
    ['19980717T14:08:55.5+01', 'Europe/Berlin', '1998-07-17T13:08:55.500Z'],
    // An hour that is skipped in spring, and one that occurs twice in autumn.
    ['20240331T02:30:00', 'Europe/Berlin', '2024-03-31T01:30:00.000Z'],
    ['20241027T02:30:00', 'Europe/Berlin', '2024-10-27T00:30:00.000Z'],
    ['00500101T00:00:00', 'UTC', '0050-01-01T00:00:00.000Z'],
    // The year 0, and a new year that differs between two zones.
    ['00000601T00:00:00', 'Etc/GMT-1', '0000-05-31T23:00:00.000Z'],
    ['20240101T00:30:00', 'Europe/Berlin', '2023-12-31T23:30:00.000Z'],
    ['20231231T23:30:00', 'America/New_York', '2024-01-01T04:30:00.000Z'],
    // Local mean time has an offset with seconds.
    ['18800101T00:00:00', 'Europe/Berlin', '1879-12-31T23:06:32.000Z'],
    ['20240229T12:00:00', 'UTC', '2024-02-29T12:00:00.000Z'],
  ] as const) {
    it(`${text} in ${timeZone} is ${instant}`, () => {
      assert.equal(new DateTime(text).toDate({ timeZone }).toISOString(), instant)
    })
  }

  it('is converted from a Date to the local time of a zone', () => {
    const date = new Date('2024-07-01T22:30:00.999Z')
    assert.equal(DateTime.fromDate(date).text, '20240701T22:30:00')
    assert.equal(DateTime.fromDate(date, { timeZone: 'Europe/Berlin' }).text, '20240702T00:30:00')
    assert.equal(DateTime.fromDate(date, { timeZone: '-01:30' }).text, '20240701T21:00:00')
  })

  it('refuses unknown zones, invalid dates and years beyond four digits', () => {
    assert.throws(() => DateTime.fromDate(new Date(0), { timeZone: 'Mars/Base' }), RangeError)
    assert.throws(() => new DateTime('19980717T14:08:55').toDate({ timeZone: 'Mars/Base' }), RangeError)
    assert.throws(() => DateTime.fromDate(new Date(Number.NaN)), RangeError)
    assert.throws(() => DateTime.fromDate(new Date(Date.UTC(-1, 0))), /year -1 is not within 0 to 9999/)
    const zero = new Date('0000-01-01T00:00:00Z')
    assert.equal(DateTime.fromDate(zero, { timeZone: 'UTC' }).text, '00000101T00:00:00')
    assert.throws(() => DateTime.fromDate(new Date(Date.UTC(-1, 0)), { timeZone: 'Etc/GMT-1' }), RangeError)
  })

  it('survives the conversion to a Date and back in every zone', () => {
    const dates = fc.date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    const zones = fc.constantFrom('UTC', '+05:45', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe')
    fc.assert(
      fc.property(dates, zones, (date, timeZone) => {
        const clock = DateTime.fromDate(date, { timeZone })
        assert.equal(DateTime.fromDate(clock.toDate({ timeZone }), { timeZone }).text, clock.text)
      }),
    )
  })

  it('is ordered and compared by its instant', () => {
    const texts = ['19980717T14:08:56', '1998-07-17T14:08:55Z', '19980717T14:08:54', '19980717T16:08:55+02:00']
    const sorted = texts.map((text) => new DateTime(text)).sort(DateTime.compare)
    assert.deepEqual(
      sorted.map(({ text }) => text),
      [texts[2], texts[1], texts[3], texts[0]],
    )
    assert.ok(new DateTime('19980717T140855').equals(new DateTime('1998-07-17T14:08:55')))
    assert.ok(new DateTime('19980717T140855') < new DateTime('1998-07-17T14:08:56'))
  })

  it('is converted from objects with the fields of a Temporal.PlainDateTime', () => {
    const fields = { year: 1998, month: 7, day: 17, hour: 14, minute: 8, second: 55, millisecond: 0 }
    assert.equal(DateTime.fromTemporal(fields).text, '19980717T14:08:55')
  })

  it('is converted to a Temporal.PlainDateTime if the platform has it', (t) => {
    const fields = new DateTime('19980717T14:08:55.5Z')
    const had = Object.getOwnPropertyDescriptor(globalThis, 'Temporal')
    t.after(() => {
      if (had === undefined) Reflect.deleteProperty(globalThis, 'Temporal')
      else Object.defineProperty(globalThis, 'Temporal', had)
    })
    Reflect.deleteProperty(globalThis, 'Temporal')
    assert.throws(() => fields.toTemporal(), TypeError)
    const Temporal = { PlainDateTime: { from: (given: unknown) => given } }
    Object.defineProperty(globalThis, 'Temporal', { value: Temporal, configurable: true })
    assert.deepEqual(fields.toTemporal(), {
      year: 1998,
      month: 7,
      day: 17,
      hour: 14,
      minute: 8,
      second: 55,
      millisecond: 500,
    })
  })
})
