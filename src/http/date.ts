/**
 * HTTP dates (RFC 9110 §5.6.7).
 *
 * @module
 */

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const IMF_FIXDATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/
const RFC_850 = /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\d\d)-([A-Z][a-z]{2})-(\d\d) (\d\d):(\d\d):(\d\d) GMT$/
const ASCTIME = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([A-Z][a-z]{2}) ([ \d]\d) (\d\d):(\d\d):(\d\d) (\d{4})$/

/**
 * Formats a date as an IMF-fixdate. Fractions of a second are dropped.
 *
 * @throws RangeError - the date is invalid or outside the years 0 to 9999.
 *
 * @example
 * ```ts
 * import { formatHttpDate } from 'propylon/http'
 *
 * formatHttpDate(new Date(784111777000)) // 'Sun, 06 Nov 1994 08:49:37 GMT'
 * ```
 */
export function formatHttpDate(date: Date): string {
  const year = date.getUTCFullYear()
  if (!(year >= 0 && year <= 9999)) {
    throw new RangeError(`The date ${String(date)} cannot be an HTTP date. Give one in the years 0 to 9999.`)
  }
  return date.toUTCString()
}

/**
 * Parses a date in any of the three formats that recipients must accept (RFC 9110 §5.6.7).
 *
 * @param now - the reference for two-digit years.
 * @returns `undefined` for any other text.
 *
 * @example
 * ```ts
 * import { parseHttpDate } from 'propylon/http'
 *
 * parseHttpDate('Sun, 06 Nov 1994 08:49:37 GMT')?.getTime() // 784111777000
 * ```
 */
export function parseHttpDate(text: string, now: Date = new Date()): Date | undefined {
  const fixed = IMF_FIXDATE.exec(text)
  if (fixed) return moment(fixed[3], fixed[2], fixed[1], fixed[4], fixed[5], fixed[6])
  const asctime = ASCTIME.exec(text)
  if (asctime) return moment(asctime[6], asctime[1], asctime[2], asctime[3], asctime[4], asctime[5])
  const old = RFC_850.exec(text)
  if (!old) return undefined
  // A two-digit year more than 50 years ahead is the most recent past year with those digits.
  let year = Math.floor(now.getUTCFullYear() / 100) * 100 + Number(old[3])
  if (year > now.getUTCFullYear() + 50) year -= 100
  return moment(String(year), old[2], old[1], old[4], old[5], old[6])
}

type Digits = string | undefined

function moment(year: Digits, monthName: Digits, day: Digits, hour: Digits, minute: Digits, second: Digits) {
  const month = MONTHS.indexOf(monthName ?? '')
  if (month === -1 || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined
  const date = new Date(0)
  date.setUTCFullYear(Number(year), month, Number(day))
  if (date.getUTCMonth() !== month || date.getUTCDate() !== Number(day)) return undefined
  date.setUTCHours(Number(hour), Number(minute), Number(second))
  return date
}
