import type { Request } from 'propylon'

/** Returns true for requests that prefer HTML, as browsers do. Requests that accept all types get plain text. */
export function wantsPage(request: Request): boolean {
  return request.accept('text/plain', 'text/html') === 'text/html'
}
