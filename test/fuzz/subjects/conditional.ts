/** Conditional requests: entity tags, dates, and the order in which they are evaluated. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { evaluatePreconditions, formatHttpDate, parseEntityTags, parseHttpDate } from 'propylon/http'
import { blank, edited, edits, soup } from '../arbitraries.ts'
import { property, type Subject } from '../property.ts'

const tag = fc
  .tuple(fc.boolean(), fc.oneof(fc.constantFrom('a', 'b', '', ',', 'W/'), fc.stringMatching(/^[!#-~\x80-\xff]{0,6}$/)))
  .map(([isWeak, name]) => `${isWeak ? 'W/' : ''}"${name}"`)

const tags = fc.array(fc.tuple(blank, tag, blank), { maxLength: 4 })

const seconds = fc.integer({ min: 0, max: 253_402_300_799 })

const near = fc.integer({ min: 1_000_000_000, max: 1_000_000_004 })

const wild = soup(['"', '"a"', 'W/', 'w/', ',', '*', '\\', 'a', ' ', '\t'])

/** A list of tags, `*`, or null for no field. */
const list = fc.option(fc.oneof(fc.constant('*'), tags.map(joined)))

export const conditional: Subject = {
  name: 'conditional',
  properties: [
    property('a list of entity tags is read as it was written', tags, (given) => {
      assert.deepEqual(
        parseEntityTags(joined(given)),
        given.map(([, tag]) => tag),
      )
    }),
    property('any list is read as tags that are in it, in order', wild, (header) => {
      const parsed = parseEntityTags(header)
      if (parsed === '*') return assert.equal(header.trim(), '*')
      let at = 0
      for (const each of parsed) {
        assert.match(each, /^(?:W\/)?"[^"]*"$/)
        at = header.indexOf(each, at)
        assert.ok(at >= 0)
        at += each.length
      }
    }),
    property('a date is read as it was written, in all three formats', seconds, (at) => {
      const date = new Date(at * 1000)
      const fixed = formatHttpDate(date)
      assert.equal(parseHttpDate(fixed)?.getTime(), date.getTime())
      const [, day = '', month = '', year = '', time = ''] = /^\w+, (\d+) (\w+) (\d+) (\S+)/.exec(fixed) ?? []
      const asctime = `${fixed.slice(0, 3)} ${month} ${String(Number(day)).padStart(2)} ${time} ${year}`
      assert.equal(parseHttpDate(asctime)?.getTime(), date.getTime(), asctime)
      const weekday = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'][date.getUTCDay()]
      const old = `${weekday}, ${day}-${month}-${year.slice(2)} ${time} GMT`
      const read = parseHttpDate(old, date)
      assert.equal(read?.getTime(), date.getTime(), old)
    }),
    property(
      'a year of two digits is at most 50 years ahead',
      fc.record({ year: fc.nat(99), now: seconds }),
      ({ year, now }) => {
        const today = new Date(now * 1000)
        const digits = String(year).padStart(2, '0')
        const read = parseHttpDate(`Sunday, 06-Nov-${digits} 08:49:37 GMT`, today)
        const difference = (read?.getUTCFullYear() ?? Number.NaN) - today.getUTCFullYear()
        assert.ok(
          difference > -100 && difference <= 50,
          `${digits} is ${difference} years from ${today.getUTCFullYear()}`,
        )
        assert.equal((read?.getUTCFullYear() ?? 0) % 100, year)
      },
    ),
    property(
      'a spoilt date is refused, or is a date that exists',
      fc.record({ seconds, changes: edits(fc.stringMatching(/^[ 0-9:,A-Za-z-]{0,4}$/)) }),
      ({ seconds, changes }) => {
        const sent = edited(formatHttpDate(new Date(seconds * 1000)), changes)
        const read = parseHttpDate(sent)
        if (read === undefined) return
        assert.ok(!Number.isNaN(read.getTime()))
        // The weekday is not compared, and 60 is a leap second.
        if (/GMT$/.test(sent) && !/:60 GMT$/.test(sent) && /^\w{3}, /.test(sent)) {
          assert.equal(formatHttpDate(read).slice(4), sent.slice(4))
        }
      },
    ),
    property(
      'preconditions are evaluated as RFC 9110 §13.2.2 says',
      fc.record({
        method: fc.constantFrom('GET', 'HEAD', 'PUT', 'DELETE', 'POST'),
        ifMatch: list,
        ifNoneMatch: list,
        ifModifiedSince: fc.option(near),
        ifUnmodifiedSince: fc.option(near),
        etag: fc.option(tag),
        lastModified: fc.option(near),
        exists: fc.boolean(),
      }),
      (given) => {
        const { method, ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince, etag, lastModified, exists } = given
        const date = (at: number | null) => (at === null ? undefined : formatHttpDate(new Date(at * 1000)))
        const result = evaluatePreconditions(
          {
            method,
            ifMatch: ifMatch ?? undefined,
            ifNoneMatch: ifNoneMatch ?? undefined,
            ifModifiedSince: date(ifModifiedSince),
            ifUnmodifiedSince: date(ifUnmodifiedSince),
          },
          {
            etag: etag ?? undefined,
            lastModified: lastModified === null ? undefined : new Date(lastModified * 1000 + 999),
            exists,
          },
        )
        assert.equal(result, expected(given))
      },
    ),
  ],
}

function joined(tags: readonly (readonly [string, string, string])[]): string {
  return tags.map((each) => each.join('')).join(',')
}

/** The steps of RFC 9110 §13.2.2, one by one. */
function expected(given: {
  method: string
  ifMatch: string | null
  ifNoneMatch: string | null
  ifModifiedSince: number | null
  ifUnmodifiedSince: number | null
  etag: string | null
  lastModified: number | null
  exists: boolean
}): string {
  const { method, ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince, etag, lastModified, exists } = given
  const isRead = method === 'GET' || method === 'HEAD'
  const listed = (list: string, isWeak: boolean) => {
    if (list === '*') return exists
    if (!exists || etag === null) return false
    const tags: readonly string[] = list.match(/(?:W\/)?"[^"]*"/g) ?? []
    if (isWeak) return tags.some((each) => each.replace(/^W\//, '') === etag.replace(/^W\//, ''))
    return !etag.startsWith('W/') && tags.includes(etag)
  }
  if (ifMatch !== null) {
    if (!listed(ifMatch, false)) return 'failed'
  } else if (ifUnmodifiedSince !== null && lastModified !== null && lastModified > ifUnmodifiedSince) return 'failed'
  if (ifNoneMatch !== null) {
    if (listed(ifNoneMatch, true)) return isRead ? 'not-modified' : 'failed'
  } else if (isRead && ifModifiedSince !== null && lastModified !== null && lastModified <= ifModifiedSince) {
    return 'not-modified'
  }
  return 'proceed'
}
