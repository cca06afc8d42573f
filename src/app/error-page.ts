/** The page that shows a developer an error that nobody handled. */
import { escapeHtml } from '../http/html.ts'
import { Request } from '../http/request.ts'
import { Response } from '../http/response.ts'
import { errorText } from '../wsgi/errors.ts'
import type { Environ, WSGIApplication } from '../wsgi/types.ts'

/**
 * The error with its source and stack, as a page for browsers (made by youch where it is installed),
 * else as text.
 */
export async function debugErrorPage(error: unknown, environ: Environ): Promise<WSGIApplication> {
  const status = statusOf(error)
  const request = Request.of(environ)
  const headers = { 'Cache-Control': 'no-store', Vary: 'Accept' }
  if (request.accept('text/plain', 'text/html') !== 'text/html') {
    const contentType = 'text/plain; charset=utf-8'
    return new Response(`${errorText(error)}\n`, { status, headers, contentType }).wsgi
  }
  const page = (await youchPage(error, request)) ?? plainPage(error)
  return new Response(page, { status, headers }).wsgi
}

/** A developer's error may know the status it stands for, as ActionNotFound does. */
function statusOf(error: unknown): number {
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined
  return typeof status === 'number' && status >= 400 && status <= 599 ? status : 500
}

/** The page by youch, an optional peer dependency; undefined where it is not installed. */
async function youchPage(error: unknown, request: Request): Promise<string | undefined> {
  let youch: typeof import('youch')
  try {
    youch = await import('youch')
  } catch {
    return undefined
  }
  // Headers are left out: cookies and credentials do not belong on a page.
  const shown = { url: request.url, method: request.method }
  return new youch.Youch().toHTML(error, { title: titleOf(error), request: shown })
}

function plainPage(error: unknown): string {
  const title = escapeHtml(titleOf(error))
  return `<!doctype html><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><pre>${escapeHtml(errorText(error))}</pre><p>Install youch to see the source here.</p>`
}

function titleOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
