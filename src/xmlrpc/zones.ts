const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const MOST_ZONES = 100

const formats = new Map<string, Intl.DateTimeFormat>()

/** The clock's fields as milliseconds since 1970, as if the clock showed UTC; years below 100 are meant as such. */
export function clockMilliseconds(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  millisecond: number,
): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second, millisecond)
  return date.getTime()
}

/** `Z` → 0, `+02:00`, `+0200`, `+02` → 120; `undefined` for anything else. */
export function parseOffset(text: string): number | undefined {
  if (text === 'Z') return 0
  const match = /^([+-])(\d{2})(?::?(\d{2}))?$/.exec(text)
  if (match === null) return undefined
  const hours = Number(match[2])
  const minutes = Number(match[3] ?? 0)
  if (hours > 23 || minutes > 59) return undefined
  return (match[1] === '-' ? -1 : 1) * (hours * 60 + minutes)
}

/**
 * How far the clocks of a zone are ahead of UTC at an instant, in milliseconds.
 *
 * @param zone `UTC`, an offset (`+02:00`) or an IANA name (`Europe/Berlin`).
 * @throws RangeError when the zone is not known.
 */
export function offsetAt(zone: string, instant: number): number {
  if (zone === 'UTC') return 0
  const fixed = parseOffset(zone)
  if (fixed !== undefined) return fixed * MINUTE
  const fields: Record<string, number> = {}
  for (const { type, value } of formatOf(zone).formatToParts(instant)) fields[type] = Number(value)
  const { month = 0, day = 0, hour = 0, minute = 0, second = 0 } = fields
  const year = yearNear(new Date(instant), month)
  return clockMilliseconds(year, month, day, hour, minute, second, 0) - Math.floor(instant / 1000) * 1000
}

/** The year on a clock that shows this month: formatted years count from 1 both ways, and engines differ on saying which. */
function yearNear(utc: Date, month: number): number {
  const year = utc.getUTCFullYear()
  const turned = month - (utc.getUTCMonth() + 1)
  if (turned === 11) return year - 1
  return turned === -11 ? year + 1 : year
}

/**
 * The instant at which the clocks of a zone show this time. A time that occurs twice is the earlier one; a
 * time that is skipped is the one as long after the gap's begin (as Temporal's `compatible`).
 */
export function instantOf(zone: string, clock: number): number {
  const before = offsetAt(zone, clock - DAY)
  const after = offsetAt(zone, clock + DAY)
  if (offsetAt(zone, clock - before) === before) return clock - before
  return offsetAt(zone, clock - after) === after ? clock - after : clock - before
}

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    if (formats.size >= MOST_ZONES) formats.clear()
    formats.set(zone, format)
  }
  return format
}
