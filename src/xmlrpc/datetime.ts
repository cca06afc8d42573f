import { clockMilliseconds, instantOf, offsetAt, parseOffset } from './zones.ts'

const FORM =
  /^(\d{4})(-?)(\d{2})\2(\d{2})T(\d{2})(:?)(\d{2})\6(\d{2})(?:[.,](\d{1,9}))?(Z|[+-]\d{2}(?::?\d{2})?)?$/
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** The part of `Temporal.PlainDateTime` that this library relies on. */
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

/** How the fields of a `DateTime` relate to an instant. */
export interface ZoneOptions {
  /** `UTC` (the default), an offset (`+02:00`) or an IANA name (`Europe/Berlin`). */
  readonly timeZone?: string
}

/**
 * The date and time of a clock on the wall: what `<dateTime.iso8601>` carries. XML-RPC assumes no time
 * zone, so none is assumed here: the application states it where it turns one into an instant.
 *
 * Read are `19980717T14:08:55`, and the forms that clients send beside it: dashes in the date, no colons in
 * the time, fractions of a second, and a zone (`Z`, `+02:00`, `+0200`, `+02`). The text stays as sent.
 *
 * @throws RangeError when the text has another form or there is no such day or time.
 * @example
 * ```ts
 * const moon = new DateTime('19690720T20:17:40')
 * moon.year // 1969
 * moon.toDate({ timeZone: 'UTC' }).toISOString() // '1969-07-20T20:17:40.000Z'
 * DateTime.fromDate(new Date(), { timeZone: 'Europe/Berlin' }).toString()
 * ```
 */
export class DateTime implements PlainDateTimeLike {
  /** The text as sent. */
  readonly text: string
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly millisecond: number
  /** Minutes ahead of UTC, if the text itself names a zone. */
  readonly offset: number | undefined

  constructor(text: string) {
    const match = FORM.exec(text)
    if (match === null) throw new RangeError('The text is not a date and time such as 19980717T14:08:55')
    const year = Number(match[1])
    const month = Number(match[3])
    const day = Number(match[4])
    const hour = Number(match[5])
    const minute = Number(match[7])
    const second = Number(match[8])
    const offset = match[10] === undefined ? undefined : parseOffset(match[10])
    if (month < 1 || day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59) {
      throw new RangeError(`There is no such date and time as ${text}`)
    }
    if (match[10] !== undefined && offset === undefined) {
      throw new RangeError(`There is no such time zone as ${match[10]}`)
    }
    this.text = text
    this.year = year
    this.month = month
    this.day = day
    this.hour = hour
    this.minute = minute
    this.second = second
    this.millisecond = match[9] === undefined ? 0 : Number(match[9].padEnd(3, '0').slice(0, 3))
    this.offset = offset
  }

  /**
   * What the clocks of a time zone show at an instant, to the second.
   *
   * @throws RangeError when the date is invalid, its year is not within 0 to 9999, or the zone is not known.
   */
  static fromDate(date: Date, { timeZone = 'UTC' }: ZoneOptions = {}): DateTime {
    const instant = date.getTime()
    if (Number.isNaN(instant)) throw new RangeError('The date is invalid')
    return DateTime.#ofClock(instant + offsetAt(timeZone, instant))
  }

  /** From a `Temporal.PlainDateTime`, a `Temporal.ZonedDateTime` (its clock) or any object with those fields. */
  static fromTemporal(fields: PlainDateTimeLike): DateTime {
    const { year, month, day, hour, minute, second } = fields
    return new DateTime(canonical(year, month, day, hour, minute, second))
  }

  /** Orders two as `Array.prototype.sort` wants it. One that names no zone is taken for UTC. */
  static compare(a: DateTime, b: DateTime): number {
    return a.valueOf() - b.valueOf()
  }

  static #ofClock(clock: number): DateTime {
    const at = new Date(clock)
    return new DateTime(
      canonical(
        at.getUTCFullYear(),
        at.getUTCMonth() + 1,
        at.getUTCDate(),
        at.getUTCHours(),
        at.getUTCMinutes(),
        at.getUTCSeconds(),
      ),
    )
  }

  /** The instant at which the clocks of a time zone show this. A zone within the text has precedence. */
  toDate({ timeZone = 'UTC' }: ZoneOptions = {}): Date {
    return new Date(this.offset === undefined ? instantOf(timeZone, this.#clock()) : this.valueOf())
  }

  /**
   * A `Temporal.PlainDateTime` with the same fields; a zone within the text is left out.
   *
   * @throws TypeError where the platform has no Temporal.
   */
  toTemporal(): PlainDateTimeLike {
    const host: TemporalHost & { readonly Date: unknown } = globalThis
    if (host.Temporal === undefined) throw new TypeError('This platform has no Temporal')
    const { year, month, day, hour, minute, second, millisecond } = this
    return host.Temporal.PlainDateTime.from({ year, month, day, hour, minute, second, millisecond })
  }

  /** Whether both mean the same time, however it is written. */
  equals(other: DateTime): boolean {
    return this.valueOf() === other.valueOf()
  }

  /** Milliseconds since 1970, so that `<` and `>` compare; one that names no zone is taken for UTC. */
  valueOf(): number {
    return this.#clock() - (this.offset ?? 0) * 60_000
  }

  /** The specification's form, `19980717T14:08:55`: no fraction, no zone. */
  toString(): string {
    return canonical(this.year, this.month, this.day, this.hour, this.minute, this.second)
  }

  toJSON(): string {
    return this.text
  }

  #clock(): number {
    const { year, month, day, hour, minute, second, millisecond } = this
    return clockMilliseconds(year, month, day, hour, minute, second, millisecond)
  }
}

function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 && !leap ? 28 : (DAYS[month - 1] ?? 0)
}

function canonical(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): string {
  if (!(year >= 0 && year <= 9999)) throw new RangeError('XML-RPC carries the years 0 to 9999')
  const date = `${String(year).padStart(4, '0')}${two(month)}${two(day)}`
  return `${date}T${two(hour)}:${two(minute)}:${two(second)}`
}

function two(field: number): string {
  return String(field).padStart(2, '0')
}
