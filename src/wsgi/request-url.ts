/**
 * The URL of a request, built from the environ (PEP 3333, "URL Reconstruction").
 *
 * @module
 */
import { hostOf } from './host.ts'
import { encodePath, rawPathInfo } from './path.ts'
import type { Environ } from './types.ts'

/** The absolute URL, with the path and the query percent-encoded. */
export function urlOf(environ: Environ): string {
  const { PATH_INFO, QUERY_STRING: query } = environ
  // The asterisk form of a target means the server as a whole: its URL has no path (RFC 9112 §3.2.4).
  const path = PATH_INFO === '*' ? '/' : encodePath(environ.SCRIPT_NAME) + rawPathInfo(environ)
  return `${environ['wsgi.url_scheme']}://${hostOf(environ)}${path || '/'}${query === '' ? '' : `?${query}`}`
}
