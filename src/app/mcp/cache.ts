/** Hints for caches (server utilities, "Caching"). */
import type { ControllerClass } from '../../controllers/controller-class.ts'
import { metadataOf } from '../../controllers/metadata.ts'
import type { Environ } from '../../wsgi/types.ts'
import type { CacheHint } from './server.ts'

/** Time for which a client may keep a list, in milliseconds. Lists change when the application is deployed. */
const LIST_MILLISECONDS = 300_000

/**
 * Returns the hint for a list. It is private if the request has credentials (RFC 9111 §3.5) or a hook guards the list.
 *
 * @param isStable - false if the list can change at any time, as in debug mode.
 */
export function listHint(environ: Environ, isStable: boolean, isGuarded = false): CacheHint {
  const isPrivate = isGuarded || hasCredentials(environ)
  return { ttlMs: isStable ? LIST_MILLISECONDS : 0, cacheScope: isPrivate ? 'private' : 'public' }
}

/** Returns true if a hook of a class, or its `static security`, may guard its actions. */
export function isGuarded(controllerClass: ControllerClass): boolean {
  const security: unknown = Reflect.get(controllerClass, 'security')
  const isSecured = Array.isArray(security) && security.length > 0
  return isSecured || metadataOf(controllerClass).before !== undefined
}

/**
 * Returns the hint for a response, by its header fields. It is private unless it says `public`, because middleware may guard it.
 * Credentials and guards make it private in any case.
 */
export function responseHint(
  environ: Environ,
  header: (name: string) => string | undefined,
  isGuarded: boolean,
): CacheHint {
  const directives = (header('cache-control') ?? '').toLowerCase().split(/\s*,\s*/)
  const maxAge = directives.map((each) => /^max-age=(\d{1,9})$/.exec(each)?.[1]).find(Boolean)
  const isStale = directives.includes('no-store') || directives.includes('no-cache')
  const varies = /\b(?:cookie|authorization)\b|\*/i.test(header('vary') ?? '')
  const isPrivate =
    isGuarded || varies || hasCredentials(environ) || isStale || !directives.includes('public')
  return {
    ttlMs: isStale ? 0 : Number(maxAge ?? 0) * 1000,
    cacheScope: isPrivate ? 'private' : 'public',
  }
}

function hasCredentials({ HTTP_AUTHORIZATION, HTTP_COOKIE }: Environ): boolean {
  return HTTP_AUTHORIZATION !== undefined || HTTP_COOKIE !== undefined
}
