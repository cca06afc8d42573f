/**
 * The values that a URL is generated from, told apart by their purpose.
 *
 * @module
 */

import { encodeQueryPair } from './percent.ts'
import type { UrlParts } from './url-types.ts'

export type Values = Record<string, unknown>

const PARTS = ['anchor', 'host', 'protocol', 'qualified', 'subDomain', 'method'] as const

/** A value of its own name; nothing that a prototype would lend. */
export function own(values: Values, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

/** Tells the URL's other parts from values; a name with an underscore behind is the value of that name. */
export function separate(
  values: Values,
  isParameter: (name: string) => boolean,
): { parts: UrlParts; rest: Values } {
  let parts: Record<string, unknown> | undefined
  let rest: Values | undefined
  for (const name of PARTS) {
    if (own(values, name) !== undefined && !isParameter(name)) {
      parts ??= {}
      rest ??= { ...values }
      parts[name] = values[name]
      delete rest[name]
    }
    if (own(values, `${name}_`) !== undefined && !isParameter(`${name}_`)) {
      rest ??= { ...values }
      delete rest[`${name}_`]
      rest[name] = values[`${name}_`]
    }
  }
  return { parts: parts ?? {}, rest: rest ?? values }
}

/** The query for the values that belong in it: lists repeat, null and undefined are left out. */
export function queryOf(values: Values, isQuery: (name: string) => boolean): string {
  let query = ''
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null || !isQuery(name)) continue
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === undefined || one === null) continue
      query += (query ? '&' : '') + encodeQueryPair(name, String(one))
    }
  }
  return query
}

/** A raw query without the keys that are given anew. */
export function withoutKeys(query: string, given: Values): string {
  return query
    .split('&')
    .filter((pair) => {
      const key = pair.split('=', 1)[0]?.replaceAll('+', ' ') ?? ''
      try {
        return !Object.hasOwn(given, decodeURIComponent(key))
      } catch {
        // A key that cannot be decoded is nobody's; it stays as it is.
        return pair !== ''
      }
    })
    .join('&')
}
