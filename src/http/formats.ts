/**
 * Which format of a resource a request asks for, where the path does not say.
 *
 * @module
 */

import { accepts } from './negotiation.ts'
import type { Request } from './request.ts'

/** The media types by which Accept may ask for a format. */
const MEDIA_TYPES: ReadonlyMap<string, readonly string[]> = new Map([
  ['html', ['text/html', 'application/xhtml+xml']],
  ['json', ['application/json', 'text/javascript', 'text/json']],
  ['xml', ['application/xml', 'text/xml']],
  ['txt', ['text/plain']],
  ['csv', ['text/csv']],
  ['js', ['text/javascript', 'application/javascript']],
  ['atom', ['application/atom+xml']],
  ['rss', ['application/rss+xml']],
])

/** Matches nothing but a wildcard, so that a client that takes anything is given the default. */
const ANYTHING = 'application/x-any-format'

/**
 * The format that a request asks for: by `?format=`, else by its Accept header.
 *
 * @param formats - those to choose from; an unknown name in the query asks for the default.
 * @returns the format; `undefined` where the default is to be taken.
 */
export function negotiateFormat(request: Request, formats: readonly string[]): string | undefined {
  if (request.environ.QUERY_STRING.includes('format=')) {
    const named = request.query.get('format')
    if (named !== undefined) return formats.includes(named) ? named : undefined
  }
  const header = request.header('accept')
  if (header === undefined || header === '*/*') return undefined
  const offers = formats.flatMap((format) =>
    (MEDIA_TYPES.get(format) ?? []).map((type) => ({ format, type })),
  )
  const chosen = accepts(header, [...offers.map(({ type }) => type), ANYTHING])
  return offers.find(({ type }) => type === chosen)?.format
}
