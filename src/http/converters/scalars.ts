/** Converters of text, numbers and booleans. */

import { accept, type Converter, makeTextConverter, refuse } from './converter.ts'

/**
 * Accepts any text, also an empty one, but not the character NUL: PostgreSQL and C libraries refuse it.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { string } from 'propylon/converters'
 *
 * export class SearchController extends WSGIController {
 *   static args = { index: { q: string } } // /search?q=tea
 *
 *   index(q: string) {
 *     return `Looking for ${q}`
 *   }
 * }
 * ```
 */
export const string: Converter<string> = makeTextConverter('string', { type: 'string' }, { type: 'string' }, (text) =>
  text.includes('\0') ? refuse('propylon.value.nul') : accept(text),
)

const INTEGER = '-?(?:0|[1-9][0-9]*)'
const integer = new RegExp(`^${INTEGER}$`)
const { MAX_SAFE_INTEGER, MIN_SAFE_INTEGER } = Number

/**
 * Accepts a decimal integer without leading zeros, within the safe integers. `-0` is 0.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { int } from 'propylon/converters'
 *
 * export class UsersController extends WSGIController {
 *   static args = { show: { id: int } } // /users/7; /users/joe is 404
 *
 *   show(id: number) {
 *     return { id }
 *   }
 * }
 * ```
 */
export const int: Converter<number> = makeTextConverter(
  'int',
  { type: 'string', pattern: `^${INTEGER}$` },
  { type: 'integer', minimum: MIN_SAFE_INTEGER, maximum: MAX_SAFE_INTEGER },
  (text) => {
    if (!integer.test(text)) return refuse('propylon.value.integer')
    const value = Number(text)
    if (Number.isSafeInteger(value)) return accept(positiveZero(value))
    return refuse('propylon.value.integerBetween', { min: MIN_SAFE_INTEGER, max: MAX_SAFE_INTEGER })
  },
)

/**
 * Returns a converter that accepts what {@link int} does, within limits.
 *
 * @param max - defaults to the largest safe integer.
 *
 * @example
 * ```ts
 * import { env } from 'propylon'
 * import { intBetween, optional } from 'propylon/converters'
 *
 * const settings = env({ PORT: optional(intBetween(0, 65_535), 8080) }, { PORT: '80' })
 * console.log(settings.PORT) // 80
 * ```
 */
export function intBetween(min: number, max: number = MAX_SAFE_INTEGER): Converter<number> {
  const key = max === MAX_SAFE_INTEGER ? 'propylon.value.integerFrom' : 'propylon.value.integerBetween'
  return makeTextConverter(
    `intBetween(${min}, ${max})`,
    { type: 'string', pattern: `^${INTEGER}$` },
    { type: 'integer', minimum: min, maximum: max },
    (text) => {
      const value = integer.test(text) ? positiveZero(Number(text)) : Number.NaN
      return value >= min && value <= max ? accept(value) : refuse(key, { min, max })
    },
  )
}

const DECIMAL = `${INTEGER}(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?`
const decimal = new RegExp(`^${DECIMAL}$`)

/**
 * Accepts a finite number as JSON writes it: `2`, `-0.5`, `1e-7`. `-0` is 0.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { number } from 'propylon/converters'
 *
 * export class MapController extends WSGIController {
 *   static args = { index: { lat: number, lon: number } } // /map?lat=48.2&lon=16.37
 *
 *   index(lat: number, lon: number) {
 *     return { lat, lon }
 *   }
 * }
 * ```
 */
export const number: Converter<number> = makeTextConverter(
  'number',
  { type: 'string', pattern: `^${DECIMAL}$` },
  { type: 'number' },
  (text) => {
    const value = decimal.test(text) ? Number(text) : Number.NaN
    return Number.isFinite(value) ? accept(positiveZero(value)) : refuse('propylon.value.number')
  },
)

/** Returns 0 for -0, which `Object.is` and `JSON.stringify` treat differently. */
function positiveZero(value: number): number {
  return value === 0 ? 0 : value
}

/**
 * Accepts `true` and `false`.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { bool, optional } from 'propylon/converters'
 *
 * export class UsersController extends WSGIController {
 *   static args = { index: { active: optional(bool, true) } } // /users?active=false
 *
 *   index(active: boolean) {
 *     return { active }
 *   }
 * }
 * ```
 */
export const bool: Converter<boolean> = makeTextConverter(
  'bool',
  { type: 'string', enum: ['true', 'false'] },
  { type: 'boolean' },
  (text) => {
    if (text === 'true') return accept(true)
    return text === 'false' ? accept(false) : refuse('propylon.value.boolean')
  },
)

const UUID = '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}'
const wholeUuid = new RegExp(`^${UUID}$`)

/**
 * Accepts a UUID of any version (RFC 9562 §4) in either case. The value is in lower case.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { uuid } from 'propylon/converters'
 *
 * export class OrdersController extends WSGIController {
 *   static args = { show: { id: uuid } }
 *
 *   show(id: string) {
 *     return { id }
 *   }
 * }
 * ```
 */
export const uuid: Converter<string> = makeTextConverter(
  'uuid',
  { type: 'string', pattern: `^${UUID}$` },
  { type: 'string', format: 'uuid' },
  (text) => (wholeUuid.test(text) ? accept(text.toLowerCase()) : refuse('propylon.value.uuid')),
)

const SLUG = '[a-z0-9]+(?:-[a-z0-9]+)*'
const wholeSlug = new RegExp(`^${SLUG}$`)

/**
 * Accepts lower-case letters and digits of ASCII, in words with single hyphens between them: `tea-time-2`.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { slug } from 'propylon/converters'
 *
 * export class PostsController extends WSGIController {
 *   static args = { show: { title: slug } }
 *
 *   show(title: string) {
 *     return { title }
 *   }
 * }
 * ```
 */
export const slug: Converter<string> = makeTextConverter(
  'slug',
  { type: 'string', pattern: `^${SLUG}$` },
  { type: 'string', pattern: `^${SLUG}$` },
  (text) => (wholeSlug.test(text) ? accept(text) : refuse('propylon.value.slug')),
)

const DATE = '[0-9]{4}-[0-9]{2}-[0-9]{2}'
const wholeDate = new RegExp(`^${DATE}$`)

/**
 * Accepts a calendar date, `YYYY-MM-DD` (ISO 8601). The value is a Date at 00:00 UTC.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { isoDate } from 'propylon/converters'
 *
 * export class EventsController extends WSGIController {
 *   static args = { on: { day: isoDate } } // /events/on/2026-02-28; /events/on/2026-02-29 is 404
 *
 *   on(day: Date) {
 *     return day.toISOString()
 *   }
 * }
 * ```
 */
export const isoDate: Converter<Date> = makeTextConverter(
  'isoDate',
  { type: 'string', format: 'date', pattern: `^${DATE}$` },
  { type: 'string', format: 'date' },
  (text) => {
    const date = wholeDate.test(text) ? new Date(`${text}T00:00:00.000Z`) : undefined
    // Date accepts 30 February as 2 March.
    const isReal = date !== undefined && !Number.isNaN(date.valueOf()) && date.toISOString().startsWith(text)
    return isReal ? accept(date) : refuse('propylon.value.date')
  },
)
