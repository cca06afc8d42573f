const FORM = /^(\d{4})(-?)(\d{2})\2(\d{2})T(\d{2})(:?)(\d{2})\6(\d{2})(?:[.,](\d{1,9}))?(Z|[+-]\d{2}(?::?\d{2})?)?$/
const OFFSET = /^([+-])(\d{2})(?::?(\d{2}))?$/
const MINUTE = 60_000

/**
 * A date and time: the value of `<dateTime.iso8601>`. XML-RPC assumes no time zone. Conversions read a time without a
 * zone as UTC.
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
 * console.log(moon.toDate().toISOString()) // '1969-07-20T20:17:40.000Z'
 * console.log(String(DateTime.fromDate(new Date(0)))) // '19700101T00:00:00'
 * ```
 */
export class DateTime {
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
  /** Fields as ISO 8601 has them, without fraction and zone. */
  readonly #fields: string
  /** Milliseconds since 1970. */
  readonly #instant: number

  constructor(text: string) {
    const match = FORM.exec(text)
    if (match === null) {
      throw new RangeError('The text is not a date and time. Write it in the form 19980717T14:08:55.')
    }
    const [, year, , month, day, hour, , minute, second, fraction = '', zone] = match
    const offset = zone === undefined ? undefined : parseOffset(zone)
    if (zone !== undefined && offset === undefined) throw new RangeError(`The time zone ${zone} does not exist.`)
    this.text = text
    this.year = Number(year)
    this.month = Number(month)
    this.day = Number(day)
    this.hour = Number(hour)
    this.minute = Number(minute)
    this.second = Number(second)
    this.millisecond = Number(fraction.padEnd(3, '0').slice(0, 3))
    this.offset = offset
    this.#fields = `${year}-${month}-${day}T${hour}:${minute}:${second}`
    const time = Date.parse(`${this.#fields}Z`)
    // Date.parse() takes 30 February for 2 March.
    if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(this.#fields)) {
      throw new RangeError(`The date and time ${text} does not exist.`)
    }
    this.#instant = time + this.millisecond - (offset ?? 0) * MINUTE
  }

  /**
   * Converts an instant to the time in UTC. Drops milliseconds.
   *
   * @throws RangeError - the date is invalid, or the year is not within 0 to 9999.
   */
  static fromDate(date: Date): DateTime {
    if (Number.isNaN(date.getTime())) throw new RangeError('The date is invalid.')
    const [, time] = /^(\d{4}-.*)\.\d{3}Z$/.exec(date.toISOString()) ?? []
    if (time === undefined) throw new RangeError(`The year ${date.getUTCFullYear()} is not within 0 to 9999.`)
    return new DateTime(time.replaceAll('-', ''))
  }

  toDate(): Date {
    return new Date(this.#instant)
  }

  /** Returns true if both are the same time, in whatever form. */
  equals(other: DateTime): boolean {
    return this.#instant === other.#instant
  }

  /** Returns milliseconds since 1970, so that `<` and `>` work. */
  valueOf(): number {
    return this.#instant
  }

  /** Formats the time as the specification does: `19980717T14:08:55`, without fraction and zone. */
  toString(): string {
    return this.#fields.replaceAll('-', '')
  }

  toJSON(): string {
    return this.text
  }
}

/** Parses `Z`, `+02:00`, `+0200` or `+02` to minutes; undefined for an offset that does not exist. */
function parseOffset(text: string): number | undefined {
  if (text === 'Z') return 0
  const [, sign, hours, minutes = 0] = OFFSET.exec(text) ?? []
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined
  const size = Number(hours) * 60 + Number(minutes)
  return sign === '-' ? -size : size
}
