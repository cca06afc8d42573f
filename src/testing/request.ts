/**
 * Requests as tests write them down.
 *
 * @module
 */

import type { HeaderPair } from '../wsgi/types.ts'
import { type EncodedBody, encodeFields, type Fields, type RequestBody } from './body.ts'

/** Header fields: by name (a list repeats the field, `undefined` leaves it out), in order, or a web `Headers`. */
export type HeaderFields =
  | { readonly [name: string]: string | readonly string[] | undefined }
  | Iterable<readonly [name: string, value: string]>
  | Headers

/** A status code, or a class of them such as `'2xx'`; a list allows any of several. */
export type ExpectedStatus = number | string | readonly (number | string)[]

/** What every request takes. */
export interface RequestOptions {
  /** Header fields beside, or instead of, the TestApp's own. */
  headers?: HeaderFields | undefined
  /** Added to the query that the path has. */
  query?: Fields | undefined
  /** The status that is expected; another one is an error. Default: any. */
  status?: ExpectedStatus | undefined
  /** Further environ values, for instance `{ REMOTE_USER: 'ann' }`. */
  environ?: Readonly<Record<string, unknown>> | undefined
}

/** What a request with a body takes. */
export interface BodyOptions extends RequestOptions {
  /** The body's content type, instead of the one that fits the body's kind. */
  contentType?: string | undefined
}

/** What {@link TestApp.request} takes. */
export interface TestRequestInit extends BodyOptions {
  body?: RequestBody | undefined
  /** A value to be sent as JSON, instead of `body`. */
  json?: unknown
}

/** A request that was sent. */
export interface TestRequest {
  readonly method: string
  readonly url: URL
  /** The request target as it was sent: the path and query, percent-encoded. */
  readonly target: string
  readonly headers: Headers
  readonly body: EncodedBody
}

/** Where a request goes. */
export interface Address {
  readonly url: URL
  readonly target: string
}

/**
 * The address that a path means. Percent signs and dot segments stay as they are written; what cannot stand in a request
 * target is percent-encoded. A fragment is left out, for it is never sent.
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

/** Header fields as pairs; each layer replaces what earlier ones say under the same names. */
export function mergeHeaders(...layers: (HeaderFields | undefined)[]): HeaderPair[] {
  let merged: HeaderPair[] = []
  for (const layer of layers) {
    if (layer === undefined) continue
    const pairs = pairsOf(layer)
    const names = new Set(pairs.map(([name]) => name.toLowerCase()))
    merged = [...merged.filter(([name]) => !names.has(name.toLowerCase())), ...pairs]
  }
  return merged
}

function pairsOf(fields: HeaderFields): HeaderPair[] {
  if (isIterable(fields)) return Array.from(fields, ([name, value]): HeaderPair => [name, value])
  return Object.entries(fields).flatMap(([name, value]): HeaderPair[] => {
    if (value === undefined) return []
    return typeof value === 'string' ? [[name, value]] : value.map((one): HeaderPair => [name, one])
  })
}

function isIterable(
  fields: HeaderFields,
): fields is Iterable<readonly [name: string, value: string]> | Headers {
  return Symbol.iterator in fields
}

/** Tells whether a status is the one expected: `404`, `'404'`, `'4xx'`. */
export function fitsStatus(status: number, expected: ExpectedStatus): boolean {
  if (typeof expected === 'object') return expected.some((one) => fitsStatus(status, one))
  const pattern = String(expected).toLowerCase()
  if (!/^[1-5](?:xx|\d\d)$/.test(pattern)) {
    throw new TypeError(`${JSON.stringify(expected)} is no status: write 404, '4xx', or a list of these`)
  }
  return pattern === String(status) || pattern === `${String(status)[0]}xx`
}
