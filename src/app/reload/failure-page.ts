/** The page in place of what does not load: file, line, reason, and the lines around. */
import { relative } from 'node:path'
import { escapeHtml } from '../../http/html.ts'
import { Request } from '../../http/request.ts'
import { Response } from '../../http/response.ts'
import type { Environ, WSGIApplication } from '../../wsgi/types.ts'
import { type LoadFailure, linesOf, type Place } from './load-failure.ts'

const LINES_AROUND = 4

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color-scheme:light dark}
h1{font-size:1.3rem}pre{overflow:auto;padding:1rem;border:1px solid;border-radius:.3rem;font-size:.9rem}mark{display:block}`

/** The failure in one line: `controllers/users.ts:3:7: Unexpected token`. */
export function failureLine({ reason, place }: LoadFailure, root: string): string {
  return place === undefined ? reason : `${placeText(place, root)}: ${reason}`
}

/** The page for a failure: HTML for browsers, else text. */
export function failurePage(failure: LoadFailure, root: string, environ: Environ): WSGIApplication {
  const isHtml = Request.of(environ).accept('text/plain', 'text/html') === 'text/html'
  const text = isHtml
    ? html(failure, root)
    : `${failureLine(failure, root)}\n\n${excerpt(failure.place).join('\n')}\n`
  const headers = { 'Cache-Control': 'no-store' }
  const contentType = `text/${isHtml ? 'html' : 'plain'}; charset=utf-8`
  return new Response(text, { status: 500, contentType, headers }).wsgi
}

function html(failure: LoadFailure, root: string): string {
  const { place } = failure
  const where = place === undefined ? 'A module' : placeText(place, root)
  const lines = excerpt(place).map((line) =>
    line.startsWith('>') ? `<mark>${escapeHtml(line)}</mark>` : `${escapeHtml(line)}\n`,
  )
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(where)} does not load</title><style>${STYLE}</style></head>
<body>
<h1>${escapeHtml(where)} does not load</h1>
<p>${escapeHtml(failure.reason)}</p>
${lines.length === 0 ? '' : `<pre>${lines.join('')}</pre>`}
<p>The rest of the application goes on. Save the file mended, and this page goes away.</p>
</body>
</html>
`
}

function placeText({ path, line, column }: Place, root: string): string {
  const inside = relative(root, path)
  return `${inside.startsWith('..') ? path : inside}:${line}${column === undefined ? '' : `:${column}`}`
}

/** The lines around a place, numbered; the line itself begins with `>`. */
function excerpt(place: Place | undefined): string[] {
  if (place === undefined) return []
  const first = Math.max(1, place.line - LINES_AROUND)
  return linesOf(place.path)
    .slice(first - 1, place.line + LINES_AROUND)
    .map(
      (text, index) =>
        `${first + index === place.line ? '>' : ' '} ${String(first + index).padStart(4)}  ${text}`,
    )
}
