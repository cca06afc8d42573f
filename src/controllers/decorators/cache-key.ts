/** The cache key of a response: all inputs that the response may depend on. */

import type { QueryParams } from '../../http/query.ts'
import type { Request } from '../../http/request.ts'
import type { WSGIController } from '../wsgi-controller.ts'

/** The options of `cached` that affect the key. */
export interface KeyOptions {
  /** Returns a further part of the key, or undefined not to cache this request. */
  readonly key?: (controller: WSGIController) => string | undefined
  /** Query fields in the key. Default `true`: all. */
  readonly query?: readonly string[] | true
}

/**
 * Returns the cache key of a request: class, action, host (pages have absolute links), match, arguments, query and the
 * application's own part.
 *
 * @returns undefined if the application's `key` returns undefined.
 * @throws TypeError - an argument is an object and the application gives no `key`.
 */
export function cacheKey(
  controller: WSGIController,
  action: string,
  args: readonly unknown[],
  { key, query = true }: KeyOptions,
): string | undefined {
  const own = key?.(controller)
  if (key !== undefined && own === undefined) return undefined
  const { request } = controller
  const label = `${controller.constructor.name}.${action}`
  return JSON.stringify([
    label,
    request.scheme,
    request.host,
    request.scriptName,
    Object.entries(request.routeParams),
    args.map((value) => argumentKey(value, label, key !== undefined)),
    queryKey(request.query, query),
    own,
  ])
}

/** Returns the key of an answer that varies by request headers: `key` itself if `fields` is empty. */
export function variantKey(key: string, fields: readonly string[], { headers }: Request): string {
  return fields.length === 0 ? key : JSON.stringify([key, fields.map((name) => [name, headers.get(name)])])
}

function queryKey(query: QueryParams, chosen: readonly string[] | true): unknown {
  const names = chosen === true ? [...query.keys()].sort() : chosen
  return names.map((name) => [name, query.getAll(name)])
}

function argumentKey(value: unknown, label: string, hasOwnKey: boolean): unknown {
  if (typeof value === 'function') {
    throw new TypeError(
      `cached: ${label} takes start_response, and a response sent through it cannot be cached. Return the response.`,
    )
  }
  if (typeof value !== 'object' || value === null) return `${typeof value} ${String(value)}`
  if (Object.getPrototypeOf(value) === null) {
    // A destructured parameter.
    return Object.entries(value).map(([name, member]) => [name, argumentKey(member, label, hasOwnKey)])
  }
  if (hasOwnKey) return null
  throw new TypeError(
    `cached: an argument of ${label} is an object, which cannot be part of the key. Give the part that the response depends on: cached({ key: (controller) => … })`,
  )
}
