/** The OpenAPI document of an application, made once for its controllers, and its page. */

import { describeValue } from '../base/describe.ts'
import { isRead } from '../base/methods.ts'
import { hasPackages } from '../base/optional-package.ts'
import { isRecord } from '../base/record.ts'
import { type Application, EXCEPTION_RESPONSE, type OpenAPIDocument } from '../controllers/application.ts'
import { HTTPMethodNotAllowed } from '../http/exceptions.ts'
import { Request } from '../http/request.ts'
import { Response } from '../http/response.ts'
import { rawScriptName } from '../wsgi/request-url.ts'
import type { Environ, WSGIApplication } from '../wsgi/types.ts'
import { anything, checkOptions, isBoolean, isFunction, isString, type OptionRule } from './check-options.ts'
import { type DescribedApplication, MadeOfClasses } from './openapi/classes.ts'
import type { OpenAPIOptions } from './openapi/document.ts'
import type { ErrorRules } from './openapi/responses.ts'

type DocumentedApplication = DescribedApplication & Pick<Application, 'debug' | typeof EXCEPTION_RESPONSE>

const TEXT: OptionRule = [(text) => isString(text) && text !== '', "text, such as 'Books'"]

const RULES = {
  title: TEXT,
  version: TEXT,
  path: [(path) => isString(path) && path.startsWith('/'), "a path such as '/openapi.json'"],
  page: [isBoolean, 'true or false, or leave it out: then there is a page in debug mode'],
  description: anything,
  license: anything,
  contact: anything,
  termsOfService: anything,
  servers: anything,
  security: anything,
  securitySchemes: anything,
  tags: anything,
  under: [(under) => isString(under) && /^[^/]+(?:\/[^/]+)*$/.test(under), "a folder of controllers such as 'api'"],
  transform: [isFunction, 'a function that returns the document'],
} satisfies Record<keyof OpenAPIOptions, OptionRule>

/** Makes and serves the document of an application. */
export class OpenAPIService {
  readonly #application: DocumentedApplication
  readonly #options: OpenAPIOptions
  readonly #rules: ErrorRules
  /** Path of the document. */
  readonly path: string
  /** Path of the page for people. Undefined if there is none. */
  readonly #page: string | undefined
  readonly #document = new MadeOfClasses<{ readonly usual: OpenAPIDocument; readonly own: OpenAPIDocument }>()

  /**
   * @throws TypeError - the title, the version or the path is not text, `page` is not a boolean, or the path does not
   * allow a page.
   */
  constructor(options: OpenAPIOptions, application: DocumentedApplication, rules: ErrorRules) {
    this.#rules = rules
    this.#application = application
    this.#options = options
    checkOptions('FrameworkApp({ openapi })', options, RULES, ['title', 'version'])
    this.path = options.path ?? '/openapi.json'
    this.#page = pageOf(options, this.path, application.debug)
  }

  /** Returns an application that serves the paths of the document and its page, and passes all others to `app`. */
  before(app: WSGIApplication): WSGIApplication {
    const page = this.#page
    return (environ, start_response) => {
      const { PATH_INFO: path } = environ
      const isOfPage = page !== undefined && (path === page || path.startsWith(`${page}/`))
      if (path !== this.path && !isOfPage) return app(environ, start_response)
      return this.#respond(environ, page).then((response) =>
        response === undefined ? app(environ, start_response) : response.send(environ, start_response),
      )
    }
  }

  /**
   * Returns a copy of the whole document.
   *
   * @throws the error of the first controller that does not load or cannot be described, as a rejection.
   */
  async document(): Promise<OpenAPIDocument> {
    const document = await this.#servedDocument('')
    const [fault] = this.#document.faults
    if (fault !== undefined) throw fault
    return structuredClone(document)
  }

  /**
   * Returns the document of the controllers that can be described. It is made again if a controller was loaded again
   * or a route was added.
   *
   * @param scriptName - mount point of the application, percent-encoded.
   */
  async #servedDocument(scriptName: string): Promise<OpenAPIDocument> {
    const { mapper } = this.#application
    // Loaded on first use, because most processes of an application never make the document.
    const { openapiDocument } = await import('./openapi/document.ts')
    const { usual, own } = await this.#document.of(this.#application, 'routed', (classes, leaveOut) => {
      const usual = openapiDocument(mapper, classes, { ...this.#options, ...this.#rules }, leaveOut)
      return { usual, own: this.#transformed(usual) }
    })
    if (this.#options.servers !== undefined || scriptName === '') return own
    return this.#transformed({ ...usual, servers: [{ url: scriptName }] })
  }

  /** @throws TypeError - `transform` returned no document. */
  #transformed(document: OpenAPIDocument): OpenAPIDocument {
    const { transform } = this.#options
    if (transform === undefined) return document
    const made: unknown = transform(structuredClone(document))
    if (isDocument(made)) return made
    throw new TypeError(
      `FrameworkApp: openapi.transform returned ${describeValue(made)}. Return the document that it received, changed.`,
    )
  }

  /** Returns the document, the page or one of its files. Undefined for other paths below the page. */
  async #respond(environ: Environ, page: string | undefined): Promise<Response | undefined> {
    const { PATH_INFO: path, REQUEST_METHOD: method } = environ
    if (!isRead(method)) return path === this.path || path === page ? this.#otherMethod(environ) : undefined
    if (path === this.path || page === undefined) return this.#documentResponse(environ)
    const { viewerResponse } = await import('./openapi/viewer.ts')
    return viewerResponse(Request.of(environ), page, this.#options)
  }

  async #documentResponse(environ: Environ): Promise<Response> {
    const document = await this.#servedDocument(rawScriptName(environ))
    const response = new Response(JSON.stringify(document), { contentType: 'application/json' })
    response.cacheControl = 'no-cache'
    // Weak, because a middleware may compress the body.
    return response.addEntityTag({ weak: true }).makeConditional(Request.of(environ))
  }

  /** Returns the response to a method other than GET and HEAD. */
  #otherMethod(environ: Environ): Response {
    const headers = { Allow: 'GET, HEAD, OPTIONS' }
    return environ.REQUEST_METHOD === 'OPTIONS'
      ? new Response(null, { status: 204, headers })
      : this.#application[EXCEPTION_RESPONSE](new HTTPMethodNotAllowed(undefined, headers), environ)
  }
}

function isDocument(value: unknown): value is OpenAPIDocument {
  return isRecord(value) && typeof value.openapi === 'string' && isRecord(value.info) && isRecord(value.paths)
}

/**
 * Returns the path of the page. It needs files of a package, which bundles for Workers lack.
 *
 * @throws TypeError - `page` is true and the path of the document does not end in `.json`.
 */
function pageOf({ page }: OpenAPIOptions, path: string, isDebug: boolean): string | undefined {
  const [, beside] = /^(\/.*[^/])\.json$/s.exec(path) ?? []
  if (page === true && beside === undefined) {
    throw new TypeError(
      `FrameworkApp: openapi.page is true, and openapi.path is ${JSON.stringify(path)}. The page is at the path without .json: write a path such as '/openapi.json'.`,
    )
  }
  return (page ?? isDebug) && hasPackages() ? beside : undefined
}
