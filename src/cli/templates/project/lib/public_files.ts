import { readdirSync, readFileSync, statSync } from 'node:fs'
import type { HeaderPair, Middleware } from 'propylon/wsgi'

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  webp: 'image/webp',
  woff2: 'font/woff2',
}

/**
 * Serves the files of a folder: `public/style.css` at `/style.css`. URLs are looked up in a list of the files, which is read
 * at start, and in development again for each unknown path.
 */
export function publicFiles(folder: URL): Middleware {
  let files = filesIn(folder, '/')
  return (app) => (environ, start_response) => {
    const { REQUEST_METHOD: method, PATH_INFO: path } = environ
    if ((method !== 'GET' && method !== 'HEAD') || !/\.\w+$/.test(path)) return app(environ, start_response)
    if (!files.has(path) && process.env.NODE_ENV !== 'production') files = filesIn(folder, '/')
    const file = files.get(path)
    if (file === undefined) return app(environ, start_response)
    const { mtime } = statSync(file)
    const headers: HeaderPair[] = [
      ['Last-Modified', mtime.toUTCString()],
      ['Cache-Control', 'public, max-age=0, must-revalidate'],
    ]
    if (environ.HTTP_IF_MODIFIED_SINCE === mtime.toUTCString()) {
      start_response('304 Not Modified', headers)
      return []
    }
    const content = readFileSync(file)
    const type = TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
    start_response('200 OK', [...headers, ['Content-Type', type], ['Content-Length', String(content.length)]])
    return method === 'HEAD' ? [] : [content]
  }
}

function filesIn(folder: URL, path: string): Map<string, URL> {
  const files = new Map<string, URL>()
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('.')) continue
    const inside = new URL(encodeURIComponent(entry.name), folder)
    if (entry.isFile()) files.set(path + entry.name, inside)
    if (!entry.isDirectory()) continue
    for (const [name, file] of filesIn(new URL(`${inside.href}/`), `${path}${entry.name}/`))
      files.set(name, file)
  }
  return files
}
