import type { Request } from 'propylon'

/** Whether a browser asks: a program that takes anything gets plain text rather than a page. */
export function wantsPage(request: Request): boolean {
  return request.accept('text/plain', 'text/html') === 'text/html'
}
