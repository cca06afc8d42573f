/**
 * The WebSockets of an application: routes handshakes, checks them, and runs the connections.
 *
 * @module
 */

import { describeValue } from '../../base/describe.ts'
import { isRecord } from '../../base/record.ts'
import { within } from '../../base/time.ts'
import { APPLICATION_KEY, type Application } from '../../controllers/application.ts'
import { type CrossSiteRule, crossSiteEvidence, foreignCheck } from '../../http/cross-site.ts'
import {
  HTTPBadRequest,
  HTTPForbidden,
  HTTPNotImplemented,
  HTTPServiceUnavailable,
  HTTPUpgradeRequired,
} from '../../http/exceptions.ts'
import { Response } from '../../http/response.ts'
import { Mapper } from '../../routing/mapper.ts'
import type { MatchResolution } from '../../routing/resolver.ts'
import type { Match } from '../../routing/route.ts'
import { rawPathInfo, rawScriptName } from '../../wsgi/request-url.ts'
import { SWITCHING_PROTOCOLS } from '../../wsgi/response-head.ts'
import type { Body, Environ, StartResponse, WSGIApplication } from '../../wsgi/types.ts'
import { asksForWebSocket, type Upgrade } from '../../wsgi/upgrade.ts'
import { type SendException, sendingExceptions } from '../http-exceptions.ts'
import type { Connection, ConnectionOwner } from './connection.ts'
import { type Socket, type SocketRecord, socketOf } from './socket-hooks.ts'

/** Longest wait for clients to close their side, and for the last hooks, in milliseconds. */
const LINGER = 1000

/** The key of RFC 6455 §4.1: 16 bytes in Base64. */
const KEY = /^[+/\dA-Za-z]{22}==$/

export class Sockets implements ConnectionOwner {
  /** Maximum length of the longest message of all paths, in bytes. */
  readonly maxMessage: number
  readonly #application: Application
  readonly #sendException: SendException
  readonly #isForeign: (environ: Environ) => boolean
  readonly #map = new Mapper()
  readonly #sockets = new Map<string, Socket>()
  /** Connections whose last hook has not returned. */
  readonly #open = new Set<Connection>()
  /** Signals that have a listener. */
  readonly #watched = new WeakSet<AbortSignal>()

  /**
   * @throws RouteDefinitionError - a path is malformed.
   * @throws TypeError - the record is not an object, or an entry is not a class or an object of hooks.
   */
  constructor(record: SocketRecord, application: Application, crossSite: CrossSiteRule, send: SendException) {
    this.#application = application
    this.#sendException = send
    this.#isForeign = foreignCheck(crossSite)
    if (!isRecord(record)) {
      throw new TypeError(
        `FrameworkApp: sockets is ${describeValue(record)}. Pass an object such as { '/chat': ChatSocket }.`,
      )
    }
    for (const [path, value] of Object.entries(record)) {
      this.#sockets.set(path, socketOf(path, value))
      this.#map.connect(path)
    }
    this.maxMessage = Math.max(1, ...Array.from(this.#sockets.values(), ({ maxMessage }) => maxMessage))
  }

  /** Names of the classes by path. Null for an object of hooks. */
  get classes(): Map<string, string | null> {
    return new Map(Array.from(this.#sockets, ([path, { className }]) => [path, className]))
  }

  /**
   * Returns an application that answers handshakes for the paths of sockets, and calls `app` for all other requests.
   */
  before(app: WSGIApplication): WSGIApplication {
    return sendingExceptions((environ, start_response) => {
      const resolution = this.#find(environ)
      return resolution === undefined ? app(environ, start_response) : this.#answer(resolution, environ, start_response)
    }, this.#sendException)
  }

  /** Closes all connections with 1001, and waits a short time for their last hooks. */
  async close(): Promise<void> {
    const ends = Array.from(this.#open, (connection) => connection.shutDown())
    await within(LINGER, () => Promise.all(ends)).catch(() => {})
  }

  opened(connection: Connection): void {
    this.#open.add(connection)
    if (closingOf(connection)?.aborted) void connection.shutDown()
  }

  ended(connection: Connection): void {
    this.#open.delete(connection)
  }

  failed({ context }: Connection, error: unknown): void {
    this.#application.reportError(error, context.request.environ)
  }

  #find(environ: Environ): MatchResolution | undefined {
    const { HTTP_UPGRADE: upgrade, HTTP_HOST: host } = environ
    if (!asksForWebSocket(environ.REQUEST_METHOD, upgrade)) return undefined
    const context = { host, rawScriptName: rawScriptName(environ), environ }
    const resolution = this.#map.resolve('GET', rawPathInfo(environ), context)
    return resolution.kind === 'match' ? resolution : undefined
  }

  async #answer({ route, match }: MatchResolution, environ: Environ, start_response: StartResponse): Promise<Body> {
    const upgrade = upgradeOf(environ)
    const application = this.#application
    if (this.#isForeign(environ)) throw this.#foreignOrigin(environ)
    environ[APPLICATION_KEY] = application
    environ['wsgiorg.routing_args'] = [[], match]
    environ['propylon.route'] = route.path
    await application.loadSession(environ)
    const session = application.keepsSessions ? application.openSession(environ) : undefined
    const [{ Connection }, { SocketRequest }] = await Promise.all([
      import('./connection.ts'),
      import('./socket-request.ts'),
    ])
    const request = new SocketRequest(environ, () => session ?? application.openSession(environ))
    // Each route has one.
    const socket = this.#sockets.get(route.path) as Socket
    const hooks = socket.create()
    const allowed: unknown = await hooks.authorize?.(request)
    if (allowed === false) throw new HTTPForbidden()
    if (allowed !== true && allowed !== undefined) throw unclear(route.path, allowed)
    const response = new Response(null, { status: SWITCHING_PROTOCOLS })
    if (session !== undefined) await application.saveSession(session, environ, response)
    this.#watch(environ['propylon.connection']?.closing)
    upgrade.connection = new Connection(socket, hooks, { params: textsOf(match), request }, this)
    return response.send(environ, start_response)
  }

  /** Returns the refusal of a page of another site. A browser would send the visitor's cookies. */
  #foreignOrigin(environ: Environ): HTTPForbidden {
    const detail = 'Pages of other sites may not open WebSockets of this one.'
    if (!this.#application.showsErrors(environ)) return new HTTPForbidden(detail)
    return new HTTPForbidden(
      `${detail} The request has the header "${crossSiteEvidence(environ)}". To allow it, list the origin in FrameworkApp({ crossSite: [origin] }).`,
    )
  }

  /** Closes the connections of a server when it begins to shut down. */
  #watch(closing: AbortSignal | undefined): void {
    if (closing === undefined || this.#watched.has(closing)) return
    this.#watched.add(closing)
    closing.addEventListener('abort', () => {
      for (const connection of this.#open) if (closingOf(connection) === closing) void connection.shutDown()
    })
  }
}

/** Returns the signal that is aborted when the server of a connection begins to shut down. */
function closingOf({ context }: Connection): AbortSignal | undefined {
  return context.request.environ['propylon.connection']?.closing
}

/**
 * Returns the offer of the server for a handshake.
 *
 * @throws HTTPBadRequest - the handshake is malformed (RFC 6455 §4.2.1).
 * @throws HTTPUpgradeRequired - it has another version.
 * @throws HTTPNotImplemented - the server cannot switch protocols.
 * @throws HTTPServiceUnavailable - the server is shutting down.
 */
function upgradeOf(environ: Environ): Upgrade {
  const {
    SERVER_PROTOCOL: protocol,
    HTTP_UPGRADE: upgrade = '',
    HTTP_CONNECTION: connection = '',
    HTTP_SEC_WEBSOCKET_KEY: key = '',
    HTTP_SEC_WEBSOCKET_VERSION: version,
    'propylon.upgrade': offer,
  } = environ
  if (protocol !== 'HTTP/1.1') throw new HTTPBadRequest('A WebSocket handshake requires HTTP/1.1.')
  if (upgrade.toLowerCase() !== 'websocket') throw new HTTPBadRequest('The Upgrade header is not "websocket".')
  if (!/(?:^|,)[ \t]*upgrade[ \t]*(?:,|$)/i.test(connection)) {
    throw new HTTPBadRequest('The Connection header lacks "Upgrade".')
  }
  if (version !== '13') {
    throw new HTTPUpgradeRequired('The version of the WebSocket protocol is not 13.', {
      'Sec-WebSocket-Version': '13',
    })
  }
  if (!KEY.test(key)) throw new HTTPBadRequest('The Sec-WebSocket-Key header is missing or malformed.')
  if (offer === undefined) {
    throw new HTTPNotImplemented('This server cannot switch the connection of this request to a WebSocket.')
  }
  if (environ['propylon.connection']?.closing?.aborted) throw new HTTPServiceUnavailable()
  return offer
}

function unclear(path: string, allowed: unknown): TypeError {
  return new TypeError(
    `authorize() of sockets[${JSON.stringify(path)}] returned ${describeValue(allowed)}. Return true or false, or throw abort(401).`,
  )
}

/** Returns the values of a match that are text. */
function textsOf(match: Match): Record<string, string> {
  const texts: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(match)) if (typeof value === 'string') texts[name] = value
  return texts
}
