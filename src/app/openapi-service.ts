/** The OpenAPI document of an application, made once for its controllers. */

import { describeValue } from '../base/describe.ts'
import { isRead } from '../base/methods.ts'
import { isRecord } from '../base/record.ts'
import { type Application, EXCEPTION_RESPONSE, type OpenAPIDocument } from '../controllers/application.ts'
import { HTTPMethodNotAllowed } from '../http/exceptions.ts'
import { Request } from '../http/request.ts'
import { Response } from '../http/response.ts'
import { rawScriptName } from '../wsgi/request-url.ts'
import type { Environ, WSGIApplication } from '../wsgi/types.ts'
import { anything, checkOptions, isFunction, isString, type OptionRule } from './check-options.ts'
import { type DescribedApplication, MadeOfClasses } from './openapi/classes.ts'
import type { OpenAPIOptions } from './openapi/document.ts'
import type { ErrorRules } from './openapi/responses.ts'

type DocumentedApplication = DescribedApplication & Pick<Application, typeof EXCEPTION_RESPONSE>

const TEXT: OptionRule = [(text) => isString(text) && text !== '', "text, such as 'Books'"]

const RULES = {
  title: TEXT,
  version: TEXT,
  path: [(path) => isString(path) && path.startsWith('/'), "a path such as '/openapi.json'"],
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
  readonly #document = new MadeOfClasses<{ readonly usual: OpenAPIDocument; readonly own: OpenAPIDocument }>()

  /** @throws TypeError - the title, the version or the path is not text. */
  constructor(options: OpenAPIOptions, application: DocumentedApplication, rules: ErrorRules) {
    this.#rules = rules
    this.#application = application
    this.#options = options
    checkOptions('FrameworkApp({ openapi })', options, RULES, ['title', 'version'])
    this.path = options.path ?? '/openapi.json'
  }

  /** Returns an application that serves the path of the document, and passes all others to `app`. */
  before(app: WSGIApplication): WSGIApplication {
    return (environ, start_response) => {
      if (environ.PATH_INFO !== this.path) return app(environ, start_response)
      const response = isRead(environ.REQUEST_METHOD) ? this.#documentResponse(environ) : this.#otherMethod(environ)
      return Promise.resolve(response).then((sent) => sent.send(environ, start_response))
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
