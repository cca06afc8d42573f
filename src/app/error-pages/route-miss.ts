/**
 * The 404 page of debug mode, which lists the routes.
 *
 * @module
 */

import { similar } from '../../base/suggest.ts'
import { errorMediaType } from '../../http/error-document.ts'
import type { Response } from '../../http/response.ts'
import { HTTPNotFound } from '../../http/status-exceptions.ts'
import type { NearMiss, Route } from '../../routing/index.ts'
import { onThisHost } from '../../routing/percent.ts'
import { rawScriptName } from '../../wsgi/request-url.ts'
import type { Environ } from '../../wsgi/types.ts'
import { devResponse, type Html, html, requestSection, section, table } from './dev-page.ts'

/** The request, and the routes that were tried. */
export interface RouteMiss {
  readonly method: string
  /** Percent-encoded. */
  readonly path: string
  /** The nearest routes, with the reason why each does not match. */
  readonly near: readonly NearMiss[]
  /** All routes. */
  readonly routes: readonly Route[]
  /** Names of the controllers. */
  readonly controllers: readonly string[]
  /** Returns true if a route matches GET of a path. */
  readonly leads: (path: string) => boolean
}

const MAX_ROUTES = 1000

/** 404 Not Found with the routes of the application, for debug mode. */
export class RouteNotFound extends HTTPNotFound {
  readonly #miss: RouteMiss

  constructor(miss: RouteMiss) {
    const nearest = miss.near.map(({ route, condition, detail }) => ({
      route: routeLabel(route),
      condition,
      detail,
    }))
    super(missText(miss), { 'Cache-Control': 'no-store' }, { json: { nearest } })
    this.#miss = miss
  }

  override toResponse(environ: Environ): Response {
    const accept = typeof environ.HTTP_ACCEPT === 'string' ? environ.HTTP_ACCEPT : undefined
    return errorMediaType(accept) === 'text/html' ? missPage(this.#miss, environ) : super.toResponse(environ)
  }
}

/** Name and path of a route. */
export function routeLabel({ name, path }: Route): string {
  return name === null ? path : `${name} ${path}`
}

function missText({ method, path, near }: RouteMiss): string {
  const line = `No route matches ${method} ${path}.`
  if (near.length === 0) return line
  const lines = near.map(({ route, condition, detail }) => `  ${routeLabel(route)} (${condition}): ${detail}`)
  return `${line} The nearest routes:\n${lines.join('\n')}`
}

function missPage(miss: RouteMiss, environ: Environ): Response {
  const { method, path, near, routes } = miss
  const meant = meantPath(miss)
  const matching = routes.filter((route) => !route.static)
  const all = table(COLUMNS, matching.slice(0, MAX_ROUTES).map(cellsOf))
  const rest = matching.length - MAX_ROUTES
  return devResponse({
    status: 404,
    heading: `No route matches ${method} ${path}`,
    sections: [
      meant === undefined
        ? undefined
        : html`<p>Did you mean <a href="${onThisHost(rawScriptName(environ) + meant)}">${meant}</a>?</p>`,
      section(
        'Nearest routes',
        table(
          COLUMNS.toSpliced(2, 0, 'Why it does not match'),
          near.map(({ route, condition, detail }) => {
            const reason = html`<strong>${condition}</strong>: ${detail}`
            return cellsOf(route).toSpliced(2, 0, reason)
          }),
        ),
      ),
      section(
        `All routes (${matching.length})`,
        all && html`${all}${rest > 0 ? html`<p>${rest} more. To list all, run propylon routes.</p>` : undefined}`,
      ),
      matching.length === 0
        ? html`<p>The application has no routes. Define one: <code>new Mapper().connect('/', { controller: 'pages', action: 'index' })</code></p>`
        : undefined,
      requestSection(environ),
    ],
  })
}

/**
 * Returns the path of the nearest route to which a link leads. Segments of parameters stay as they are in the
 * request.
 */
function meantPath({ method, path, near, controllers, leads }: RouteMiss): string | undefined {
  const segments = path.split('/')
  for (const { route, condition } of (method === 'GET' && near) || []) {
    const wanted = route.path.split('/')
    const isOpen = route.methods === null || route.methods.includes('GET')
    if (condition !== 'path' || !isOpen || wanted.length !== segments.length) continue
    const meant = wanted.map((segment, index) => {
      const given = segments[index] ?? ''
      if (segment === '{controller}') return similar(given, controllers) ?? given
      return segment.includes('{') ? given : segment
    })
    if (leads(meant.join('/'))) return meant.join('/')
  }
  return undefined
}

const COLUMNS: readonly string[] = ['Method', 'Path', 'Name', 'Controller#action']

function cellsOf(route: Route): (Html | string)[] {
  const { methods, path, name, controller, action, redirect } = route
  const target = redirect === undefined ? `${controller ?? '{controller}'}#${action ?? '{action}'}` : 'redirect'
  return [
    methods === null ? 'any' : methods.join(' '),
    html`<code>${path}</code>`,
    name ?? '',
    html`<code>${target}</code>`,
  ]
}
