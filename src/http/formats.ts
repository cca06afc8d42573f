/**
 * Selects the format of a resource if the path has no suffix.
 *
 * @module
 */

import type { Environ } from '../wsgi/types.ts'
import { type ErrorMediaType, errorMediaType } from './error-document.ts'
import { isJson, parseMediaType } from './media-type.ts'
import { accepts } from './negotiation.ts'

/** Key in the environ for the formats of a route, if the path has no format suffix. */
export const FORMATS_KEY = 'propylon.formats'

/** Key in the environ for a route in which `format` is a parameter like others. */
export const PLAIN_FORMAT_KEY = 'propylon.plain_format'

/** Returns the format that the path of a request names, or its route. Null without a suffix. */
export function formatInPath(environ: Environ): unknown {
  return environ[PLAIN_FORMAT_KEY] === true ? undefined : environ['wsgiorg.routing_args']?.[1].format
}

/** Media types of each format, for the Accept header. Wildcards match the first type of a format before the others. */
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

/** A media type that only wildcards match. A client that prefers a wildcard receives the default format. */
const DEFAULT_FORMAT = 'application/x-any-format'

/** The members of a request that select a format. */
export interface NegotiatedRequest {
  readonly environ: Pick<Environ, 'QUERY_STRING'>
  readonly query: { get(name: string): string | undefined }
  header(name: string): string | undefined
}

/**
 * Returns the format that a request selects by `?format=`, or else by its Accept header. Another value in the query
 * selects none, as an unknown suffix.
 *
 * @param formats - the formats of the resource.
 * @returns `undefined` for the default format.
 */
export function negotiateFormat(request: NegotiatedRequest, formats: readonly string[]): string | undefined {
  if (request.environ.QUERY_STRING.includes('format=')) {
    const named = request.query.get('format')
    if (named !== undefined && formats.includes(named)) return named
  }
  const header = request.header('accept')
  if (header === undefined || header === '*/*') return undefined
  const offers = formats.flatMap((format) =>
    (MEDIA_TYPES.get(format) ?? []).map((type, place) => ({ format, type, place })),
  )
  offers.sort((one, other) => one.place - other.place)
  const chosen = accepts(header, [...offers.map(({ type }) => type), DEFAULT_FORMAT])
  return offers.find(({ type }) => type === chosen)?.format
}

/** Media types of error responses by the format that a URL names. */
const ERROR_TYPES: ReadonlyMap<string | null | undefined, ErrorMediaType> = new Map([
  ['html', 'text/html'],
  ['json', 'application/problem+json'],
])

/**
 * Returns the media type of an error response: the one of the format in the URL of the request (`.json`,
 * `?format=json`), or else by its Accept header. A client that sends JSON and does not prefer HTML receives a problem
 * document.
 */
export function errorMediaTypeFor(environ: Environ): ErrorMediaType {
  const inUrl = ERROR_TYPES.get(formatInUrl(environ))
  if (inUrl !== undefined) return inUrl
  const { HTTP_ACCEPT: accept, CONTENT_TYPE: sent } = environ
  const type = errorMediaType(typeof accept === 'string' ? accept : undefined)
  if (type !== 'text/plain' || sent === undefined || sent === '') return type
  const sentType = parseMediaType(sent)
  return sentType !== undefined && isJson(sentType) ? 'application/problem+json' : type
}

/**
 * Returns true for a client that prefers JSON to a page, or sends JSON and does not prefer a page. The format in the
 * URL wins, also in the query of a route without formats.
 */
export function isProgram(environ: Environ): boolean {
  const named = formatInUrl(environ) ?? formatInQuery(environ)
  return (ERROR_TYPES.get(named) ?? errorMediaTypeFor(environ)) === 'application/problem+json'
}

function formatInQuery({ QUERY_STRING: query }: Environ): string | null {
  return query.includes('format=') ? new URLSearchParams(query).get('format') : null
}

function formatInUrl(environ: Environ): string | null | undefined {
  const formats = environ[FORMATS_KEY]
  if (!Array.isArray(formats)) {
    const format = formatInPath(environ)
    return typeof format === 'string' || format === null ? format : undefined
  }
  const named = formatInQuery(environ)
  return formats.includes(named) ? named : undefined
}
