/** The OpenAPI document of an application, made once for its controllers. */

import type { Application } from '../controllers/application.ts'
import { HTTPMethodNotAllowed } from '../http/exceptions.ts'
import { Request } from '../http/request.ts'
import { Response } from '../http/response.ts'
import { MALFORMED_KEY } from '../wsgi/malformed.ts'
import { encodePath } from '../wsgi/request-url.ts'
import type { Body, Environ, StartResponse, WSGIApplication } from '../wsgi/types.ts'
import type { OpenAPIDocument } from './openapi/document.ts'
import type { Classes, DescribedApplication } from './openapi/operations.ts'
import type { OpenAPIOptions } from './openapi/options.ts'

type DocumentedApplication = DescribedApplication & Pick<Application, 'exceptionResponse'>

/** Makes and serves the document of an application. */
export class OpenAPIService {
  readonly #application: DocumentedApplication
  readonly #options: OpenAPIOptions
  readonly #path: string
  /** The document that was made last, with what it was made of. */
  #made:
    | { readonly classes: Classes; readonly routes: number; readonly document: OpenAPIDocument }
    | undefined

  /** @throws TypeError - the title, the version or the path is not text. */
  constructor(options: OpenAPIOptions, application: DocumentedApplication) {
    this.#application = application
    this.#options = options
    this.#path = options.path ?? '/openapi.json'
    for (const name of ['title', 'version'] as const) {
      const value: unknown = options[name]
      if (typeof value === 'string' && value !== '') continue
      throw new TypeError(
        `FrameworkApp: openapi.${name} is ${JSON.stringify(value)}. Write text: openapi: { title: 'Books', version: '1.0.0' }.`,
      )
    }
    if (typeof this.#path !== 'string' || !this.#path.startsWith('/')) {
      throw new TypeError(
        `FrameworkApp: openapi.path is ${JSON.stringify(this.#path)}. Write a path such as '/openapi.json'.`,
      )
    }
  }

  /** Returns an application that serves the path of the document, and passes all others to `app`. */
  before(app: WSGIApplication): WSGIApplication {
    return (environ, start_response) =>
      environ.PATH_INFO === this.#path && environ[MALFORMED_KEY] === undefined
        ? this.#serve(environ, start_response)
        : app(environ, start_response)
  }

  /**
   * Returns the document. It is made again if a controller was loaded again or a route was added.
   *
   * @param scriptName - mount point of the application, percent-encoded.
   * @throws ControllerLoadError, as a rejection, if a controller does not load.
   */
  async document(scriptName = ''): Promise<OpenAPIDocument> {
    const { mapper } = this.#application
    // Loaded on first use, because most processes of an application never make the document.
    const { loadClasses, openapiDocument } = await import('./openapi/index.ts')
    const classes = await loadClasses(this.#application)
    const routes = mapper.routes.length
    if (this.#made === undefined || this.#made.routes !== routes || !isSame(this.#made.classes, classes)) {
      this.#made = { classes, routes, document: openapiDocument(mapper, classes, this.#options) }
    }
    const { document } = this.#made
    if (this.#options.servers !== undefined || scriptName === '') return document
    return { ...document, servers: [{ url: scriptName }] }
  }

  async #serve(environ: Environ, start_response: StartResponse): Promise<Body> {
    const method = environ.REQUEST_METHOD
    if (method !== 'GET' && method !== 'HEAD') {
      const headers = { Allow: 'GET, HEAD, OPTIONS' }
      const response =
        method === 'OPTIONS'
          ? new Response(null, { status: 204, headers })
          : this.#application.exceptionResponse(new HTTPMethodNotAllowed(undefined, headers), environ)
      return response.send(environ, start_response)
    }
    const document = await this.document(encodePath(environ.SCRIPT_NAME))
    const response = new Response(JSON.stringify(document), { contentType: 'application/json' })
    response.cacheControl = 'no-cache'
    // Weak, because a middleware may compress the body.
    response.addEntityTag({ weak: true }).makeConditional(Request.of(environ))
    return response.send(environ, start_response)
  }
}

function isSame(known: Classes, classes: Classes): boolean {
  if (known.size !== classes.size) return false
  return [...classes].every(([name, controllerClass]) => known.get(name) === controllerClass)
}
