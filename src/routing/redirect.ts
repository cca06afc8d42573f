/**
 * Where redirect routes lead.
 *
 * @module
 */

import { GenerationError } from './errors.ts'
import type { Match, RouteContext } from './options.ts'
import { encodePath, encodeQueryPair, safeLocation } from './percent.ts'
import type { Route } from './route.ts'
import { writePattern } from './writing.ts'

/** Whether a URL names its own host. */
export function isExternal(url: string): boolean {
  return /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?\/\//.test(url)
}

/** Adds a raw query to a URL that may have one already. */
export function withQuery(url: string, query: string | undefined): string {
  if (!query) return url
  const hash = url.indexOf('#')
  const front = hash < 0 ? url : url.slice(0, hash)
  const clean = query.replace(/[^!-~]+|#/g, (text) =>
    text === '#' ? '%23' : encodeURIComponent(text.toWellFormed()),
  )
  return front + (front.includes('?') ? '&' : '?') + clean + (hash < 0 ? '' : url.slice(hash))
}

/**
 * The location of a redirect route's destination: with the mount point in front, values that the destination does not take in
 * the query, and then the request's own query.
 *
 * @returns null when the destination cannot take the values: it leads nowhere then.
 */
export function redirectLocation(route: Route, match: Match, context: RouteContext): string | null {
  const { redirect } = route
  if (!redirect) return null
  const { pattern } = redirect
  let url: string
  try {
    url = writePattern(pattern, (name) => match[name], route.label)
  } catch (error) {
    if (error instanceof GenerationError) return null
    throw error
  }
  const taken = new Set(pattern.parameters.map(({ name }) => name))
  const extra = route.pattern.parameters
    .filter(({ name }) => !taken.has(name) && match[name] !== null && match[name] !== undefined)
    .map(({ name }) => encodeQueryPair(name, match[name] ?? ''))
    .join('&')
  const located =
    isExternal(pattern.template) || route.absolute
      ? url
      : safeLocation(encodePath(context.scriptName ?? '') + url)
  return withQuery(withQuery(located, extra), context.query)
}
