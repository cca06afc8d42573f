/** The server of an application for the Model Context Protocol. */

import { describeValue } from '../base/describe.ts'
import { isRead } from '../base/methods.ts'
import { isRecord } from '../base/record.ts'
import type { KnownController } from '../controllers/application.ts'
import type { ControllerClass } from '../controllers/controller-class.ts'
import { type CrossSiteRule, crossSiteCheck } from '../http/cross-site.ts'
import { HTTPForbidden, HTTPMethodNotAllowed } from '../http/exceptions.ts'
import { Response } from '../http/response.ts'
import { toApplication } from '../wsgi/application.ts'
import { applicationUrl, encodePath } from '../wsgi/request-url.ts'
import type { Environ, WSGIApplication } from '../wsgi/types.ts'
import { checkOptions, isString } from './check-options.ts'
import { type SendException, sendingExceptions } from './http-exceptions.ts'
import type { ServedApplication } from './mcp/application-server.ts'
import { describedPath, metadataUrl, SERVER_ACTION, scopesOf, withChallenge } from './mcp/authorization.ts'
import type { Catalogue } from './mcp/exposed.ts'
import type { MCPOptions } from './mcp/mcp-options.ts'
import { MadeOfClasses } from './openapi/classes.ts'
import type { ControllerRegistry } from './registry.ts'

/** The parts that are loaded on first use, because most processes of an application never serve a request of the protocol. */
type Parts = typeof import('./mcp/index.ts')

/** Serves the tools, resources and prompts of an application. */
export class MCPService {
  readonly #app: ServedApplication & { readonly controllers: ControllerRegistry }
  readonly #options: MCPOptions
  /** Path of the server. */
  readonly path: string
  readonly #isCrossSite: (environ: Environ) => boolean
  readonly #send: SendException
  readonly #catalogue = new MadeOfClasses<Catalogue>()
  #parts: Parts | undefined

  /** @throws TypeError - an option does not exist or is malformed. */
  constructor(
    options: MCPOptions,
    app: ServedApplication & { readonly controllers: ControllerRegistry },
    crossSite: CrossSiteRule,
    send: SendException,
  ) {
    check(options)
    this.#options = options
    this.#app = app
    this.path = options.path ?? '/mcp'
    this.#isCrossSite = crossSiteCheck(crossSite)
    this.#send = send
  }

  /** Returns an application that serves the path of the server, and passes all others to `app`. */
  before(app: WSGIApplication): WSGIApplication {
    const own = sendingExceptions(
      (environ, start_response) => this.#answer(environ).then((answer) => answer(environ, start_response)),
      this.#send,
    )
    const metadata = sendingExceptions(async (environ, start_response) => {
      const response = await this.#metadata(environ)
      return response === undefined ? app(environ, start_response) : response.send(environ, start_response)
    }, this.#send)
    return (environ, start_response) => {
      const { PATH_INFO: path } = environ
      if (path === this.path || environ['propylon.prompt'] !== undefined) return own(environ, start_response)
      return this.#options.authorizationServers !== undefined && describedPath(path) !== undefined
        ? metadata(environ, start_response)
        : app(environ, start_response)
    }
  }

  /** Returns an application whose responses with status 401 name the metadata, at the paths of this server and of services. */
  withChallenges(app: WSGIApplication): WSGIApplication {
    if (this.#options.authorizationServers === undefined) return app
    return (environ, start_response) => {
      const { PATH_INFO: path, REQUEST_METHOD: method } = environ
      return app(environ, (statusLine, fields, excInfo) => {
        const status = Number(statusLine.slice(0, 3))
        const scopes = status === 401 || status === 403 ? this.#scopesAt(environ, method, path) : undefined
        const sent =
          scopes === undefined
            ? fields
            : withChallenge(status, fields, { metadata: metadataUrl(environ, path), scopes })
        return start_response(statusLine, sent, excInfo)
      })
    }
  }

  /** Returns the scopes of the server at a path. Undefined if there is none, or a controller that is not loaded yet. */
  #scopesAt(environ: Environ, method: string, path: string): readonly string[] | undefined {
    if (path === this.path) return [] // Calls name the scopes of their classes.
    const match = this.#match(environ, method, path)
    const server = match && serverOf(this.#app.controllers.loaded.get(match.controller), match.action)
    return server && scopesOf(server)
  }

  #match(environ: Environ, method: string, path: string): { controller: string; action: string } | undefined {
    const context = { host: environ.HTTP_HOST, query: '', scriptName: environ.SCRIPT_NAME, environ }
    const resolution = this.#app.mapper.resolve(method, encodePath(path), context)
    if (resolution.kind !== 'match') return undefined
    const { controller, action } = resolution.match
    return { controller: controller ?? '', action: action ?? 'index' }
  }

  async #answer(environ: Environ): Promise<WSGIApplication> {
    const mcp = this.#parts ?? (await this.#load())
    const prompt = mcp.promptApplication(this.#app, environ)
    if (prompt !== undefined) return prompt
    const catalogue = await this.#catalogueBy(mcp)
    if (environ.REQUEST_METHOD === 'OPTIONS') {
      return new Response(null, { status: 204, headers: { Allow: 'OPTIONS, POST' } }).wsgi
    }
    if (this.#isCrossSite(environ)) {
      throw new HTTPForbidden('Pages of other sites may not send requests to this server.')
    }
    const server = new mcp.ApplicationServer(this.#app, environ, catalogue, this.#options)
    return toApplication(await mcp.answerMCP(server))
  }

  /** Keeps the module, because Node resolves the specifier of each import() again. */
  async #load(): Promise<Parts> {
    this.#parts ??= await import('./mcp/index.ts')
    return this.#parts
  }

  /**
   * Returns what the classes declare. It is read again if a controller was loaded again or a route was added.
   *
   * @throws ControllerLoadError, as a rejection, if a controller does not load.
   * @throws TypeError, as a rejection, if a declaration is invalid.
   */
  async catalogue(): Promise<Catalogue> {
    return this.#catalogueBy(await this.#load())
  }

  #catalogueBy({ catalogueOf }: Parts): Catalogue | Promise<Catalogue> {
    return this.#catalogue.of(this.#app, 'all', (classes) => catalogueOf(this.#app.mapper, classes))
  }

  /** Returns the metadata of the server that a path names. Undefined if there is none. */
  async #metadata(environ: Environ): Promise<Response | undefined> {
    const path = describedPath(environ.PATH_INFO) ?? ''
    if (path === '' || path === this.path) {
      const { allScopes } = await this.#load()
      return this.#metadataResponse(environ, this.path, allScopes(await this.catalogue()))
    }
    const match = this.#match(environ, 'POST', path)
    const server = match && serverOf(await this.#app.controllers.find(match.controller), match.action)
    return server && this.#metadataResponse(environ, path, scopesOf(server))
  }

  /** Returns the metadata of a protected resource (RFC 9728 §2). */
  #metadataResponse(environ: Environ, path: string, scopes: readonly string[]): Response {
    if (!isRead(environ.REQUEST_METHOD)) throw new HTTPMethodNotAllowed(undefined, { Allow: 'GET, HEAD' })
    const { authorizationServers, name } = this.#options
    const metadata = {
      resource: applicationUrl(environ) + encodePath(path),
      ...(name !== undefined && { resource_name: name }),
      authorization_servers: authorizationServers,
      ...(scopes.length > 0 && { scopes_supported: scopes }),
      bearer_methods_supported: ['header'],
    }
    // Clients that run in browsers read it from pages of other sites. It has no secrets.
    const headers = { 'Access-Control-Allow-Origin': '*' }
    return new Response(JSON.stringify(metadata), { contentType: 'application/json', headers })
  }
}

/** Returns the class of a controller that is a server of the protocol at the path of an action. */
function serverOf(controller: KnownController | undefined, action: string): ControllerClass | undefined {
  if (controller?.kind !== 'class') return undefined
  const { controllerClass } = controller
  return Reflect.get(controllerClass, SERVER_ACTION) === action ? controllerClass : undefined
}

/** @throws TypeError - the options are not an object, or one of them does not exist or is malformed. */
function check(options: MCPOptions): void {
  // False must not serve the tools.
  if (!isRecord(options)) {
    throw new TypeError(
      `FrameworkApp: mcp is ${describeValue(options)}. Pass an object, such as mcp: {}, or leave the option out.`,
    )
  }
  checkOptions('FrameworkApp({ mcp })', options, {
    path: [(path) => isString(path) && /^\/[\w\-./~]*$/.test(path), "a path such as '/mcp'"],
    name: [isString, 'text'],
    version: [isString, 'text'],
    instructions: [isString, 'text'],
    authorizationServers: [
      (urls) => Array.isArray(urls) && urls.every(isServer),
      "a list of URLs: ['https://login.example']",
    ],
  })
}

function isServer(url: unknown): boolean {
  return isString(url) && /^https?:\/\//.test(url) && URL.canParse(url)
}
