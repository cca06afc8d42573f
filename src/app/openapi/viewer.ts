/** The page of an OpenAPI document for people: Swagger UI, with the files of its package. */
import { getOrCreate } from '../../base/get-or-create.ts'
import { optionalPackageFile } from '../../base/optional-package.ts'
import { StaticFiles } from '../../http/files/static-files.ts'
import { escapeHtml } from '../../http/html.ts'
import type { Request } from '../../http/request.ts'
import { Response } from '../../http/response.ts'
import { encodePath, rawScriptName } from '../../wsgi/request-url.ts'
import type { Environ } from '../../wsgi/types.ts'
import type { OpenAPIOptions } from './document.ts'

const PACKAGE = 'swagger-ui-dist'
const BUNDLE = 'swagger-ui-bundle.js'
const STYLE = 'swagger-ui.css'
const ICON = 'favicon-32x32.png'
const FILES: ReadonlySet<string> = new Set([BUNDLE, STYLE, ICON])

/** Name of the script that starts the viewer. Not a file of the package. */
const START = 'start.js'

/** Swagger UI sets styles by script, which needs no inline styles, and has icons in data: URLs. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Puts the server of the page before the servers of the document, so that it is the one that is tried. */
const SCRIPT = `const { url, mount } = document.currentScript.dataset
if (matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.classList.add('dark-mode')
const { href } = new URL(url, location.href)
SwaggerUIBundle({
  url,
  dom_id: '#viewer',
  deepLinking: true,
  validatorUrl: null,
  responseInterceptor(response) {
    if (response.url !== href || !response.ok) return response
    const description = JSON.parse(response.text)
    const { servers = [] } = description
    if (!servers.some((server) => server.url === mount)) servers.unshift({ url: mount, description: 'this server' })
    response.text = JSON.stringify({ ...description, servers })
    return response
  },
})
`

const files = new Map<string, StaticFiles>()

/**
 * Returns the page, or one of its files.
 *
 * @param request - a request by GET or HEAD.
 * @param page - path of the page. The path of the document is the same with `.json`.
 * @returns undefined if the path is another one.
 * @throws Error, as a rejection, if the package of the viewer is not installed.
 */
export async function viewerResponse(
  request: Request,
  page: string,
  options: OpenAPIOptions,
): Promise<Response | undefined> {
  const { environ } = request
  if (environ.PATH_INFO === page) {
    // Fails here without the package, and not in the page.
    directoryOf(page)
    return ownResponse(request, pageText(environ, page, options), 'text/html', {
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
    })
  }
  const name = environ.PATH_INFO.slice(page.length + 1)
  if (name === START) return ownResponse(request, SCRIPT, 'text/javascript')
  if (!FILES.has(name)) return undefined
  const directory = directoryOf(page)
  return getOrCreate(files, directory, () => new StaticFiles(directory)).respond(request, `/${name}`)
}

/** Returns the directory of the package. It is looked up each time, so that it is found once it was installed. */
function directoryOf(page: string): string {
  const install = 'npm install --save-dev --ignore-scripts'
  return optionalPackageFile(PACKAGE, BUNDLE, `The page ${page}`, install).slice(0, -BUNDLE.length)
}

function ownResponse(
  request: Request,
  text: string,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const response = new Response(text, { contentType, headers })
  response.cacheControl = 'no-cache'
  // Weak, because a middleware may compress the body.
  return response.addEntityTag({ weak: true }).makeConditional(request)
}

function pageText(environ: Environ, page: string, { title }: OpenAPIOptions): string {
  const mount = rawScriptName(environ)
  const path = escapeHtml(mount + encodePath(page))
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${escapeHtml(title)}</title>
<link rel="icon" href="${path}/${ICON}"><link rel="stylesheet" href="${path}/${STYLE}"></head>
<body>
<noscript><p>This page needs scripts. The document is at <a href="${path}.json">${path}.json</a>.</p></noscript>
<main id="viewer"></main>
<script src="${path}/${BUNDLE}"></script>
<script src="${path}/${START}" data-url="${path}.json" data-mount="${escapeHtml(mount || '/')}"></script>
</body>
</html>
`
}
