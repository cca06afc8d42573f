/**
 * The requests of tests.
 *
 * @module
 */

import type { HeaderPair } from '../../wsgi/types.ts'
import { type EncodedBody, encodeFields, type Fields, pairsOf, type RequestBody } from './bodies.ts'

/** Header fields: by name (a list repeats the field, `undefined` omits it), as pairs, or a web `Headers`. */
export type HeaderFields =
  | { readonly [name: string]: string | readonly string[] | undefined }
  | Iterable<readonly [name: string, value: string]>
  | Headers

/** A status code, a class such as `'2xx'`, or a list of these. */
export type ExpectedStatus = number | string | readonly (number | string)[]

/** Options of every request. */
export interface RequestOptions {
  /** Header fields. They replace header fields of the TestApp with the same name. */
  headers?: HeaderFields | undefined
  /** Fields appended to the query of the path. */
  query?: Fields | undefined
  /** The expected status. Another one is an error. Default: any. */
  status?: ExpectedStatus | undefined
  /** Further environ values, for instance `{ REMOTE_USER: 'ann' }`. */
  environ?: Readonly<Record<string, unknown>> | undefined
}

/** Options of a request with a body. */
export interface BodyOptions extends RequestOptions {
  /** Content type of the body. Default: by the kind of the body. */
  contentType?: string | undefined
}

/** Options of {@link TestApp.request}. */
export interface TestRequestInit extends BodyOptions {
  body?: RequestBody | undefined
  /** A value to send as JSON, instead of `body`. */
  json?: unknown
}

/** A request that was sent. */
export interface TestRequest {
  readonly method: string
  readonly url: URL
  /** The request target: the path and query, percent-encoded. */
  readonly target: string
  readonly headers: Headers
  readonly body: EncodedBody
}

/** The request of a link, a form or a redirect. */
export interface NextRequest {
  readonly method: string
  readonly url: URL
  readonly body: EncodedBody
  readonly options: RequestOptions
}

/** The URL of a request, and its request target. */
export interface Address {
  readonly url: URL
  readonly target: string
}

/**
 * Resolves a path. Percent signs and dot segments stay unchanged; characters that a request target may not contain are
 * percent-encoded. The fragment is dropped, because it is never sent.
 */
export function addressOf(path: string, base: URL, query?: Fields): Address {
  const [authority = '', scheme = ''] = /^(https?):\/\/[^/?#]*/i.exec(path) ?? []
  const rest = path.slice(authority.length).replace(/#.*$/s, '')
  const absolute = rest.startsWith('/') ? rest : `/${rest}`
  let target = absolute.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent)
  const added = query === undefined ? '' : encodeFields(query)
  if (added !== '') target += (target.includes('?') ? '&' : '?') + added
  const origin = scheme === '' ? base.origin : new URL(authority).origin
  return { url: new URL(origin + target), target }
}

/** Merges header fields. Each layer replaces the fields of earlier ones with the same name. */
export function mergeHeaders(...layers: (HeaderFields | undefined)[]): HeaderPair[] {
  let merged: HeaderPair[] = []
  for (const layer of layers) {
    if (layer === undefined) continue
    const pairs = pairsOf(layer).map(([name, value]): HeaderPair => [name, String(value)])
    const names = new Set(pairs.map(([name]) => name.toLowerCase()))
    merged = [...merged.filter(([name]) => !names.has(name.toLowerCase())), ...pairs]
  }
  return merged
}

/** Returns whether a status matches `404`, `'404'`, `'4xx'` or one of a list. */
export function fitsStatus(status: number, expected: ExpectedStatus): boolean {
  if (typeof expected === 'object') return expected.some((one) => fitsStatus(status, one))
  const pattern = String(expected).toLowerCase()
  if (!/^[1-5](?:xx|\d\d)$/.test(pattern)) {
    throw new TypeError(`${JSON.stringify(expected)} is not a status. Give 404, '4xx', or a list of these.`)
  }
  return pattern === String(status) || pattern === `${String(status)[0]}xx`
}
