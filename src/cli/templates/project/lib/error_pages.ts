import type { Body, HeaderPair, Middleware } from 'propylon/wsgi'

/** The statuses that have a page of their own, and its template. */
const PAGES: ReadonlyMap<string, string> = new Map([
  ['403', 'errors/403'],
  ['404', 'errors/404'],
])

type Render = (template: string, values: Record<string, unknown>) => string | Promise<string>

/** Shows the pages in templates/errors/ to browsers in place of the plain ones. */
export function errorPages(render: Render): Middleware {
  return (app) => (environ, start_response) => {
    if (environ.REQUEST_METHOD !== 'GET' || environ.HTTP_ACCEPT?.includes('text/html') !== true) {
      return app(environ, start_response)
    }
    let held: { template: string; status: string; headers: HeaderPair[] } | undefined
    let isOver = false
    const finish = async (body: Body): Promise<Body> => {
      isOver = true
      if (held === undefined) return body
      await body.close?.()
      const page = new TextEncoder().encode(await render(held.template, { title: held.status }))
      const kept = held.headers.filter(([name]) => !/^content-(type|length|encoding)$|^etag$/i.test(name))
      const own: HeaderPair[] = [
        ['Content-Type', 'text/html; charset=utf-8'],
        ['Content-Length', String(page.length)],
      ]
      start_response(held.status, [...kept, ...own])
      return [page]
    }
    const body = app(environ, (status, headers, excInfo) => {
      const template = PAGES.get(status.slice(0, 3))
      if (template === undefined || isOver) return start_response(status, headers, excInfo)
      held = { template, status, headers }
      return () => undefined
    })
    if (body instanceof Promise)
      return body.then((settled) => (held === undefined ? settled : finish(settled)))
    return held === undefined ? body : finish(body)
  }
}
