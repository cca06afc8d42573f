/** The page in place of a module that does not load: file, line, reason, and the lines around. */
import { errorMediaType } from '../../http/error-document.ts'
import { Response } from '../../http/response.ts'
import type { Environ, WSGIApplication } from '../../wsgi/types.ts'
import { DEV_HEADERS, devResponse, section, sourceBlock } from './dev-page.ts'
import { html } from './html.ts'
import { excerptAt, type Place, shortPath } from './source.ts'

/** A module that does not load. */
export interface LoadFailure {
  readonly reason: string
  /** Undefined if unknown. */
  readonly place: Place | undefined
}

/** The failure in one line: `controllers/users.ts:3:7: Unexpected token`. */
export function failureLine({ reason, place }: LoadFailure, root: string): string {
  return place === undefined ? reason : `${placeText(place, root)}: ${reason}`
}

/** The page for a failure: HTML for browsers, else text. */
export function failurePage(failure: LoadFailure, root: string, environ: Environ): WSGIApplication {
  const { place, reason } = failure
  const excerpt = place === undefined ? '' : excerptAt(place)
  const accept = typeof environ.HTTP_ACCEPT === 'string' ? environ.HTTP_ACCEPT : undefined
  if (errorMediaType(accept) !== 'text/html') {
    const text = `${failureLine(failure, root)}\n\n${excerpt}\n`
    const contentType = 'text/plain; charset=utf-8'
    return new Response(text, { status: 500, headers: DEV_HEADERS, contentType }).wsgi
  }
  return devResponse({
    status: 500,
    heading: `${place === undefined ? 'A module' : placeText(place, root)} does not load`,
    sections: [
      html`<pre class="text">${reason}</pre>`,
      excerpt === '' ? undefined : section('Source', sourceBlock(excerpt)),
      html`<p>Requests that do not need this module are still served. Correct the file and save it: the next request loads it again.</p>`,
    ],
  }).wsgi
}

function placeText({ path, line, column }: Place, root: string): string {
  return `${shortPath(path, root)}:${line}${column === undefined ? '' : `:${column}`}`
}
