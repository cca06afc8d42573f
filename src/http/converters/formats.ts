/** Converters of texts with a fixed form. */
import { accept, type Converter, makeTextConverter, refuse } from './converter.ts'

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
