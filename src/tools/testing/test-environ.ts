/** Environs of the requests of tests, as servers create them. */

import { createEnviron } from '../../wsgi/environ.ts'
import { MALFORMED_KEY, UNDECODABLE_PATH } from '../../wsgi/refusal.ts'
import { targetPath } from '../../wsgi/request-url.ts'
import type { Environ, ErrorStream, WSGIApplication } from '../../wsgi/types.ts'
import type { Address } from './request.ts'

type EnvironInit = Parameters<typeof createEnviron>[0]

/** Returns the environ of a request, and whether its path could be decoded. */
export function testEnviron(init: EnvironInit, address: Address): { environ: Environ; isDecoded: boolean } {
  try {
    return { environ: createEnviron(init), isDecoded: true }
  } catch (error) {
    if (error instanceof URIError) return { environ: createUndecodable(init, address), isDecoded: false }
    throw error
  }
}

/** Returns the environ of a request whose path cannot be decoded, as servers create it. */
function createUndecodable(init: EnvironInit, { url, target }: Address): Environ {
  const environ = createEnviron({ ...init, url: url.origin })
  return Object.assign(environ, {
    [MALFORMED_KEY]: UNDECODABLE_PATH,
    PATH_INFO: targetPath(target),
    QUERY_STRING: target.split('?').slice(1).join('?'),
    REQUEST_URI: target,
  })
}

/** Responds as servers do to a path that is not percent-encoded UTF-8, without calling the application. */
export const undecodable: WSGIApplication = (_environ, start_response) => {
  start_response('400 Bad Request', [['Content-Type', 'text/plain; charset=utf-8']])
  return [`${UNDECODABLE_PATH}\n`]
}

/** Collects what an application writes to `wsgi.errors`. */
export class CollectedText implements ErrorStream {
  text = ''

  write(text: string): void {
    this.text += text
  }

  flush(): void {}
}
