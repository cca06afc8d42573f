/**
 * The option `mcp` of FrameworkApp: the address of the server for the Model Context Protocol, and its authorization
 * (basic protocol, "Authorization"). Everything else of the server is loaded on first use, because most processes
 * never serve a request of the protocol.
 */
import { describeValue } from '../../base/describe.ts'
import { isRead } from '../../base/methods.ts'
import { isRecord } from '../../base/record.ts'
import type { KnownController } from '../../controllers/application.ts'
import { drive, type Steps, wait } from '../../controllers/call.ts'
import type { ControllerClass } from '../../controllers/class-methods.ts'
import { describeController, securityOf } from '../../controllers/describe.ts'
import { type CrossSiteRule, crossSiteCheck } from '../../http/cross-site.ts'
import { HTTPForbidden, HTTPMethodNotAllowed } from '../../http/exceptions.ts'
import { Response } from '../../http/response.ts'
import { toApplication } from '../../wsgi/application.ts'
import { applicationUrl, encodePath, rawScriptName } from '../../wsgi/request-url.ts'
import type { Body, Environ, HeaderPair, StartResponse, WSGIApplication } from '../../wsgi/types.ts'
import { checkOptions, isString } from '../check-options.ts'
import { type SendException, sendingExceptions } from '../error-pages/inside-middleware.ts'
import { MadeOfClasses } from '../openapi/classes.ts'
import type { ControllerRegistry } from '../registry.ts'
import type { Catalogue } from './catalogue.ts'
import type { ServedApplication } from './inner-requests.ts'

/** Options of the server for the Model Context Protocol. */
export interface MCPOptions {
  /** Path of the server. Default `/mcp`. */
  readonly path?: string
  /** Name of the server, for clients. Default `propylon`. */
  readonly name?: string
  /** Version of the server, for clients. Default `1.0.0`. */
  readonly version?: string
  /** Text for language models: what the tools are for. Default: none. */
  readonly instructions?: string
  /**
   * URLs of the authorization servers whose tokens the application accepts. Serves protected resource metadata (RFC
   * 9728), which responses with status 401 name. Default: none.
   */
  readonly authorizationServers?: readonly string[]
}

/** The application that has the server. */
export type ServingApplication = ServedApplication & { readonly controllers: ControllerRegistry }

/**
 * Key of a static member of controllers that are servers of the protocol themselves: the name of the action at whose
 * path they answer, or undefined.
 */
export const SERVER_ACTION: unique symbol = Symbol('propylon.mcpAction')

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** The parts that are loaded on first use. */
type Parts = typeof import('./application-server.ts')

/** Serves the tools, resources and prompts of an application. */
export class MCPService {
  readonly #app: ServingApplication
  readonly #options: MCPOptions
  /** Path of the server. */
  readonly path: string
  readonly #isCrossSite: (environ: Environ) => boolean
  readonly #send: SendException
  readonly #catalogue = new MadeOfClasses<Catalogue>()
  #parts: Parts | undefined

  /** @throws TypeError - an option does not exist or is malformed. */
  constructor(options: MCPOptions, app: ServingApplication, crossSite: CrossSiteRule, send: SendException) {
    check(options)
    this.#options = options
    this.#app = app
    this.path = options.path ?? '/mcp'
    this.#isCrossSite = crossSiteCheck(crossSite)
    this.#send = send
  }

  /** Returns an application that serves the path of the server, and passes all others to `app`. */
  before(app: WSGIApplication): WSGIApplication {
    const own = sendingExceptions((...request) => drive(this.#serve(app, ...request)), this.#send)
    return (environ, start_response) => {
      const { PATH_INFO: path } = environ
      const isServer = path === this.path || environ['propylon.prompt'] !== undefined
      const isOwn = isServer || this.#describedPath(path) !== undefined
      return isOwn ? own(environ, start_response) : app(environ, start_response)
    }
  }

  *#serve(app: WSGIApplication, environ: Environ, start_response: StartResponse): Steps<Body | Promise<Body>> {
    const described = this.#describedPath(environ.PATH_INFO)
    const answer =
      described === undefined
        ? yield* this.#answer(environ)
        : ((yield* wait(this.#metadata(environ, described)))?.wsgi ?? app)
    return answer(environ, start_response)
  }

  /**
   * Returns the path of the server whose metadata are at a path (RFC 9728 §3.1): empty for this server. Undefined for
   * other paths.
   */
  #describedPath(requested: string): string | undefined {
    if (this.#options.authorizationServers === undefined || requested === this.path) return undefined
    const path = requested.slice(WELL_KNOWN.length)
    return requested.startsWith(WELL_KNOWN) && (path === '' || path.startsWith('/')) ? path : undefined
  }

  /**
   * Returns an application whose responses with status 401 name the metadata, at the paths of this server and of
   * services.
   */
  withChallenges(app: WSGIApplication): WSGIApplication {
    if (this.#options.authorizationServers === undefined) return app
    return (environ, start_response) => {
      const { PATH_INFO: path, REQUEST_METHOD: method } = environ
      return app(environ, (statusLine, fields, excInfo) => {
        const status = Number(statusLine.slice(0, 3))
        const scopes = status === 401 || status === 403 ? this.#scopesAt(environ, method, path) : undefined
        const sent = scopes === undefined ? fields : withChallenge(status, fields, metadataUrl(environ, path), scopes)
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
    const context = { host: environ.HTTP_HOST, query: '', rawScriptName: rawScriptName(environ), environ }
    const resolution = this.#app.mapper.resolve(method, encodePath(path), context)
    if (resolution.kind !== 'match') return undefined
    const { controller, action } = resolution.match
    return { controller: controller ?? '', action: action ?? 'index' }
  }

  *#answer(environ: Environ): Steps<WSGIApplication> {
    const mcp = this.#parts ?? (yield* wait(this.#load()))
    const prompt = mcp.promptApplication(this.#app, environ)
    if (prompt !== undefined) return prompt
    const catalogue = yield* wait(this.#catalogueBy(mcp))
    if (environ.REQUEST_METHOD === 'OPTIONS') {
      return new Response(null, { status: 204, headers: { Allow: 'OPTIONS, POST' } }).wsgi
    }
    if (this.#isCrossSite(environ)) {
      throw new HTTPForbidden('Pages of other sites may not send requests to this server.')
    }
    const { name = 'propylon', version = '1.0.0', instructions, authorizationServers } = this.#options
    const server = mcp.applicationServer(this.#app, environ, catalogue, {
      info: { name, version, instructions },
      challenge(status, fields, controllerClass) {
        if (authorizationServers === undefined) return fields
        return withChallenge(status, fields, metadataUrl(environ, environ.PATH_INFO), scopesOf(controllerClass))
      },
    })
    return toApplication(yield* wait(mcp.answerMCP(server)))
  }

  /** Keeps the module, because Node resolves the specifier of each import() again. */
  async #load(): Promise<Parts> {
    this.#parts ??= await import('./application-server.ts')
    return this.#parts
  }

  /**
   * Returns what the classes declare. It is read again if a controller was loaded again or a route was added.
   *
   * @throws TypeError, as a rejection, if a declaration of tools, resources or prompts is invalid.
   */
  #catalogueBy({ catalogueOf }: Parts): Catalogue | Promise<Catalogue> {
    return this.#catalogue.of(this.#app, 'all', (classes, leaveOut) => catalogueOf(this.#app.mapper, classes, leaveOut))
  }

  /**
   * Returns the metadata of the server at a path below the mount point, or at the whole path, which RFC 9728 §3.1
   * inserts behind the well-known one. Undefined if there is none.
   */
  async #metadata(environ: Environ, path: string): Promise<Response | undefined> {
    const { SCRIPT_NAME: mountPoint } = environ
    const isWhole = mountPoint !== '' && `${path}/`.startsWith(`${mountPoint}/`)
    const metadata = await this.#metadataBelow(environ, path)
    return metadata === undefined && isWhole ? this.#metadataBelow(environ, path.slice(mountPoint.length)) : metadata
  }

  async #metadataBelow(environ: Environ, path: string): Promise<Response | undefined> {
    if (path === '' || path === this.path) {
      const catalogue = await this.#catalogueBy(await this.#load())
      return this.#metadataResponse(environ, this.path, allScopes(catalogue))
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
      resource_name: name,
      authorization_servers: authorizationServers,
      scopes_supported: scopes.length > 0 ? scopes : undefined,
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

/**
 * Returns the URL of the metadata of the server at a path.
 *
 * @param path - not percent-encoded.
 */
function metadataUrl(environ: Environ, path: string): string {
  return applicationUrl(environ) + WELL_KNOWN + encodePath(path)
}

/**
 * Returns header fields whose challenge names the metadata and the scopes (RFC 9728 §5.1, RFC 6750 §3). A challenge
 * of the application keeps its own parameters. A response with status 403 is only changed if the class declares scopes.
 *
 * @param metadata - URL of the metadata.
 */
function withChallenge(
  status: number,
  fields: readonly HeaderPair[],
  metadata: string,
  scopes: readonly string[],
): HeaderPair[] {
  const isForbidden = status === 403
  if (status !== 401 && !(isForbidden && scopes.length > 0)) return [...fields]
  const isChallenge = ([name, value]: HeaderPair) =>
    name.toLowerCase() === 'www-authenticate' && /^bearer\b/i.test(value)
  const own = fields.find(isChallenge)?.[1] ?? 'Bearer'
  const lacks = (name: string) => !new RegExp(`\\b${name}\\s*=`, 'i').test(own)
  const parameters = [
    ...(isForbidden && lacks('error') ? ['error="insufficient_scope"'] : []),
    ...(scopes.length > 0 && lacks('scope') ? [`scope="${scopes.join(' ')}"`] : []),
    ...(lacks('resource_metadata') ? [`resource_metadata="${metadata}"`] : []),
  ]
  const separator = own.toLowerCase() === 'bearer' ? ' ' : ', '
  const value = parameters.length === 0 ? own : own + separator + parameters.join(', ')
  return [...fields.filter((field) => !isChallenge(field)), ['WWW-Authenticate', value]]
}

/** Returns the scopes of tokens that `static security` of a class names. */
function scopesOf(controllerClass: ControllerClass): string[] {
  const { actionNames } = describeController(controllerClass)
  const requirements = ['*', ...actionNames].flatMap((action) => securityOf(controllerClass, action) ?? [])
  return [...new Set(requirements.flatMap((requirement) => Object.values(requirement).flat()))]
}

/** Returns the scopes of all classes that declare something. */
function allScopes({ tools, resources, prompts }: Catalogue): string[] {
  const operations = [...[...tools.values()].map(({ operation }) => operation), ...resources.values()]
  const classes = [...operations, ...prompts.values()].map(({ controllerClass }) => controllerClass)
  return [...new Set([...new Set(classes)].flatMap(scopesOf))].sort()
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
