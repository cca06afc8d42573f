import type { Request } from 'propylon'

/** The formats of this application. */
export type Format = 'html' | 'json'

/**
 * The format that a request asks for: the suffix of its path, else `?format=`, else its Accept header, else HTML.
 *
 * @param suffix - what the route matched as the format, if anything.
 */
export function formatOf(request: Request, suffix: unknown): Format {
  const named = suffix ?? request.query.get('format')
  if (named !== undefined && named !== null) return named === 'json' ? 'json' : 'html'
  const type = request.accept('text/html', 'application/json', 'text/javascript')
  return type === undefined || type === 'text/html' ? 'html' : 'json'
}

/** Whether a browser asks: a program that takes anything gets plain text rather than a page. */
export function wantsPage(request: Request): boolean {
  return request.accept('text/plain', 'text/html') === 'text/html'
}
