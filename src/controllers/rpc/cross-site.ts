/** Keeps other sites' pages from making a visitor's browser call a service. */
import { HTTPForbidden } from '../../http/status-exceptions.ts'
import { hostOf } from '../../wsgi/host.ts'
import type { Environ } from '../../wsgi/types.ts'

/**
 * Refuses a call that a browser makes for a page of another site: the browser would add the visitor's cookies, and
 * reach what only the visitor's network reaches. Programs send neither header and pass.
 *
 * The browser's own word counts first (Sec-Fetch-Site, Fetch Metadata §2.3): behind a proxy the Host may be another
 * than the visitor sees. Older browsers send Origin alone (Fetch §3.2).
 *
 * @throws HTTPForbidden for such a call.
 */
export function refuseCrossSite(environ: Environ): void {
  const site = environ.HTTP_SEC_FETCH_SITE
  if (site === 'same-origin' || site === 'none') return
  const origin = environ.HTTP_ORIGIN
  if (site === undefined && (origin === undefined || isOwn(origin, environ))) return
  throw new HTTPForbidden('Pages of other sites may not call this service.')
}

function isOwn(origin: unknown, environ: Environ): boolean {
  return typeof origin === 'string' && URL.canParse(origin) && new URL(origin).host === hostOf(environ)
}
