/** The key of a cached answer: everything that is known to make one answer differ from another. */
import type { WSGIController } from '../controllers/wsgi-controller.ts'
import type { QueryParams } from '../http/query.ts'
import type { Request } from '../http/request.ts'

/** What else is in a key, by the decorator's options. */
export interface KeyOptions {
  /** What else the answer depends on; undefined to leave this request to the action. */
  readonly key?: (controller: WSGIController) => string | undefined
  /** The fields of the query that the answer depends on; all when absent or true. */
  readonly query?: readonly string[] | true
}

/**
 * The key of a request: class, action, host (pages have absolute links), the match, the action's arguments, the query
 * and what the application adds.
 *
 * @returns undefined when the application leaves this request to the action.
 * @throws TypeError when an argument is no text and the application gives no key of its own.
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
    throw new TypeError(`cached: ${label} takes start_response, and what is sent through it cannot be kept`)
  }
  if (typeof value !== 'object' || value === null) return `${typeof value} ${String(value)}`
  if (Object.getPrototypeOf(value) === null) {
    // A destructured parameter.
    return Object.entries(value).map(([name, member]) => [name, argumentKey(member, label, hasOwnKey)])
  }
  if (hasOwnKey) return null
  throw new TypeError(
    `cached: an argument of ${label} is an object, which is in no key. Say what of it the answer depends on: cached({ key: (controller) => … })`,
  )
}
