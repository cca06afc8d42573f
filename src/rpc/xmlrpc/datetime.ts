const FORM = /^(\d{4})(-?)(\d{2})\2(\d{2})T(\d{2})(:?)(\d{2})\6(\d{2})(?:[.,](\d{1,9}))?(Z|[+-]\d{2}(?::?\d{2})?)?$/
const OFFSET = /^([+-])(\d{2})(?::?(\d{2}))?(?::(\d{2}))?$/
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
/** 400 years of the Gregorian calendar, after which it repeats. */
const CYCLE = 146_097 * DAY
const MAX_CACHED_ZONES = 100

/** The fields of `Temporal.PlainDateTime` that this library reads and writes. */
export interface PlainDateTimeLike {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly millisecond: number
}

interface TemporalHost {
  readonly Temporal?: { readonly PlainDateTime: { from(fields: PlainDateTimeLike): PlainDateTimeLike } }
}

/** The time zone in which a `DateTime` is an instant. */
export interface ZoneOptions {
  /** `UTC` (the default), an offset (`+02:00`) or an IANA name (`Europe/Berlin`). */
  readonly timeZone?: string
}

/**
 * A local date and time: the value of `<dateTime.iso8601>`. XML-RPC assumes no time zone, so the application states one
 * to convert it to an instant.
 *
 * Parses `19980717T14:08:55` and other forms that clients send: dashes in the date, no colons in the time, fractions
 * of a second, and a zone (`Z`, `+02:00`, `+0200`, `+02`). `text` keeps the form.
 *
 * @throws RangeError - the text has another form, or the date, time or zone does not exist.
 * @example
 * ```ts
 * import { DateTime } from 'propylon/xmlrpc'
 *
 * const moon = new DateTime('19690720T20:17:40')
 * console.log(moon.year) // 1969
 * console.log(moon.toDate({ timeZone: 'UTC' }).toISOString()) // '1969-07-20T20:17:40.000Z'
 * console.log(String(DateTime.fromDate(new Date(0), { timeZone: 'Europe/Berlin' }))) // '19700101T01:00:00'
 * ```
 */
export class DateTime implements PlainDateTimeLike {
  /** Text as it was sent. */
  readonly text: string
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly millisecond: number
  /** Offset from UTC in minutes, or undefined if the text has no zone. */
  readonly offset: number | undefined

  constructor(text: string) {
    const match = FORM.exec(text)
    if (match === null) {
      throw new RangeError('The text is not a date and time. Write it in the form 19980717T14:08:55.')
    }
    const [, year, , month, day, hour, , minute, second, fraction, zone] = match
    const offset = zone === undefined ? undefined : parseOffset(zone)
    if (zone !== undefined && offset === undefined) throw new RangeError(`The time zone ${zone} does not exist.`)
    this.text = text
    this.year = Number(year)
    this.month = Number(month)
    this.day = Number(day)
    this.hour = Number(hour)
    this.minute = Number(minute)
    this.second = Number(second)
    this.millisecond = fraction === undefined ? 0 : Number(fraction.padEnd(3, '0').slice(0, 3))
    this.offset = offset === undefined ? undefined : offset / MINUTE
    if (
      this.day < 1 ||
      this.day > daysIn(this.year, this.month) ||
      this.hour > 23 ||
      this.minute > 59 ||
      this.second > 59
    ) {
      throw new RangeError(`The date and time ${text} does not exist.`)
    }
  }

  /**
   * Converts an instant to the local time of a zone. Drops milliseconds.
   *
   * @throws RangeError - the date is invalid, the year is not within 0 to 9999, or the zone is unknown.
   */
  static fromDate(date: Date, { timeZone = 'UTC' }: ZoneOptions = {}): DateTime {
    const instant = date.getTime()
    if (Number.isNaN(instant)) throw new RangeError('The date is invalid.')
    return new DateTime(formatUtc(new Date(instant + offsetAt(timeZone, instant))))
  }

  /** Converts the fields of a `Temporal.PlainDateTime`, a `Temporal.ZonedDateTime` or any object that has them. */
  static fromTemporal(fields: PlainDateTimeLike): DateTime {
    return new DateTime(formatDateTime(fields))
  }

  /** Comparator for `Array.prototype.sort`. Reads a time without a zone as UTC. */
  static compare(a: DateTime, b: DateTime): number {
    return a.valueOf() - b.valueOf()
  }

  /**
   * Converts this local time to an instant. A zone in the text takes precedence over `timeZone`. Of two instants the
   * earlier one counts; a time that the zone skips moves forward by the length of the gap (as in Temporal).
   */
  toDate({ timeZone = 'UTC' }: ZoneOptions = {}): Date {
    return new Date(this.offset === undefined ? instantOf(timeZone, this.#local) : this.valueOf())
  }

  /**
   * Converts this to a `Temporal.PlainDateTime`. Drops the zone.
   *
   * @throws TypeError - the platform has no Temporal.
   */
  toTemporal(): PlainDateTimeLike {
    const host: TemporalHost & { readonly Date: unknown } = globalThis
    if (host.Temporal === undefined) throw new TypeError('This platform has no Temporal. Use toDate() instead.')
    const { year, month, day, hour, minute, second, millisecond } = this
    return host.Temporal.PlainDateTime.from({ year, month, day, hour, minute, second, millisecond })
  }

  /** Returns true if both are the same time, in whatever form. */
  equals(other: DateTime): boolean {
    return this.valueOf() === other.valueOf()
  }

  /** Returns milliseconds since 1970, so that `<` and `>` work. Reads a time without a zone as UTC. */
  valueOf(): number {
    return this.#local - (this.offset ?? 0) * MINUTE
  }

  /** Formats the time as the specification does: `19980717T14:08:55`, without fraction and zone. */
  toString(): string {
    return formatDateTime(this)
  }

  toJSON(): string {
    return this.text
  }

  /** The fields as milliseconds since 1970 in UTC, without the offset. */
  get #local(): number {
    const { year, month, day, hour, minute, second, millisecond } = this
    // Date.UTC() takes years below 100 for 1900 to 1999, so the year is moved by whole cycles of the calendar.
    const cycles = Math.floor(year / 400) - 5
    const time = Date.UTC(year - cycles * 400, month - 1, day, hour, minute, second, millisecond)
    return time + cycles * CYCLE
  }
}

/** Returns the number of days of a month, or 0 if the month does not exist. */
function daysIn(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 && !isLeap ? 28 : (DAYS[month - 1] ?? 0)
}

function formatDateTime({ year, month, day, hour, minute, second }: PlainDateTimeLike): string {
  if (!(year >= 0 && year <= 9999)) throw new RangeError(`The year ${year} is not within 0 to 9999.`)
  const [m, d, h, min, s] = [month, day, hour, minute, second].map((field) => String(field).padStart(2, '0'))
  return `${String(year).padStart(4, '0')}${m}${d}T${h}:${min}:${s}`
}

function formatUtc(date: Date): string {
  const [, time = ''] = /^(\d{4}-.*)\.\d{3}Z$/.exec(date.toISOString()) ?? []
  if (time === '') throw new RangeError(`The year ${date.getUTCFullYear()} is not within 0 to 9999.`)
  return time.replaceAll('-', '')
}

/** Parses `Z`, `+02:00`, `+0200` or `+02` to milliseconds; undefined for anything else. */
function parseOffset(text: string): number | undefined {
  if (text === 'Z') return 0
  const [, sign, hours, minutes = 0, seconds = 0] = OFFSET.exec(text) ?? []
  if (sign === undefined || Number(hours) > 23 || Number(minutes) > 59) return undefined
  const size = (Number(hours) * 60 + Number(minutes)) * MINUTE + Number(seconds) * 1000
  return sign === '-' ? -size : size
}

const formats = new Map<string, Intl.DateTimeFormat>()

/**
 * Returns the offset of a zone from UTC at an instant, in milliseconds.
 *
 * @throws RangeError - the zone is unknown.
 */
function offsetAt(zone: string, instant: number): number {
  const fixed = zone === 'UTC' ? 0 : parseOffset(zone)
  if (fixed !== undefined) return fixed
  let zoneFormat = formats.get(zone)
  if (zoneFormat === undefined) {
    zoneFormat = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    if (formats.size >= MAX_CACHED_ZONES) formats.clear()
    formats.set(zone, zoneFormat)
  }
  const name = zoneFormat.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  // 'GMT', 'GMT+02:00' or 'GMT-00:25:21'
  return parseOffset(name.slice(3)) ?? 0
}

function instantOf(zone: string, local: number): number {
  const before = offsetAt(zone, local - DAY)
  const after = offsetAt(zone, local + DAY)
  if (offsetAt(zone, local - before) === before) return local - before
  return offsetAt(zone, local - after) === after ? local - after : local - before
}
