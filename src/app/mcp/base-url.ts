import { encodePath, hostOf } from '../../wsgi/request-url.ts'
import type { Environ } from '../../wsgi/types.ts'

/** Returns the URL of the application, without a slash at its end. */
export function baseOf(environ: Environ): string {
  return `${environ['wsgi.url_scheme']}://${hostOf(environ)}${encodePath(environ.SCRIPT_NAME)}`
}
