/**
 * The request of Connect handlers: a request of node:http created from an environ, whose changes are applied to it.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { toError } from '../../base/thrown.ts'
import { isBodyMemoryError, RETRY_AFTER } from '../body-memory.ts'
import { environHeaders, environKey } from '../environ.ts'
import { MALFORMED_KEY, malformedPath } from '../malformed.ts'
import { decodePath, encodePath, normalizePath, rawPathInfo, targetPath } from '../request-url.ts'
import type { Environ } from '../types.ts'
import { http } from './http-module.ts'
import { SharedBody } from './shared-body.ts'

/** Key in the environ for the request of the Connect handlers. */
export const CONNECT_REQUEST_KEY = 'propylon.node.req'

/** A request of Connect handlers, and the state in which they received it. */
export class ConnectRequest {
  readonly message: IncomingMessage
  /** Whether the request was created for these handlers. Otherwise handlers outside of them have received it as well. */
  readonly isOwn: boolean
  readonly #environ: Environ
  readonly #body: SharedBody | undefined
  readonly #method: string
  readonly #url: string
  readonly #headers: Readonly<Record<string, unknown>>

  /** Creates the request of an environ, or adapts the request of the handlers around the application. */
  constructor(environ: Environ, socket: Socket) {
    this.#environ = environ
    this.#method = environ.REQUEST_METHOD
    const query = environ.QUERY_STRING === '' ? '' : `?${environ.QUERY_STRING}`
    // Connect removes the mount point from the URL: /m and /m/ are both / below /m.
    this.#url = (normalizePath(sentPathInfo(environ)) || '/') + query
    const present = environ[CONNECT_REQUEST_KEY]
    this.isOwn = !(present instanceof http.IncomingMessage)
    if (present instanceof http.IncomingMessage) this.message = present
    else {
      const body = new SharedBody(environ['wsgi.input'])
      this.#body = body
      this.message = makeRequest(environHeaders(environ), body, socket)
      // Connect and Express set it for mounted handlers.
      Object.assign(this.message, { originalUrl: normalizePath(originalPath(environ)) + query })
      environ[CONNECT_REQUEST_KEY] = this.message
    }
    this.message.method = this.#method
    this.message.url = this.#url
    Object.assign(this.message, { baseUrl: encodePath(environ.SCRIPT_NAME) })
    this.#headers = { ...this.message.headers }
  }

  /**
   * Applies the changes of the handlers to the environ: method, URL, header fields, and the body as far as it was read.
   *
   * @throws Error with status 400 - the path of the URL cannot be decoded.
   */
  applyChanges(): void {
    const { message } = this
    const environ = this.#environ
    const { method = this.#method, url = this.#url } = message
    if (method !== this.#method) {
      environ['propylon.original_method'] ??= this.#method
      environ.REQUEST_METHOD = method
    }
    if (url !== this.#url) this.#applyUrl(url)
    for (const name of new Set([...Object.keys(this.#headers), ...Object.keys(message.headers)])) {
      const value = message.headers[name]
      const key = value === this.#headers[name] ? undefined : environKey(name)
      if (key === undefined) continue
      if (value !== undefined) environ[key] = Array.isArray(value) ? value.join(', ') : value
      else if (key === 'CONTENT_TYPE' || key === 'CONTENT_LENGTH') environ[key] = ''
      else delete environ[key]
    }
    if (this.#body?.isRead === true) environ['wsgi.input'] = this.#body.replay()
  }

  #applyUrl(url: string): void {
    const path = targetPath(url)
    const decoded = decodePath(path)
    if (decoded === undefined) {
      throw Object.assign(new URIError(`A Connect handler set the URL ${url}, which cannot be decoded.`), {
        status: 400,
      })
    }
    const environ = this.#environ
    const query = url.indexOf('?')
    environ.PATH_INFO = decoded
    environ.QUERY_STRING = query === -1 ? '' : url.slice(query + 1)
    environ.REQUEST_URI = encodePath(environ.SCRIPT_NAME) + url
  }
}

/** Returns the path below SCRIPT_NAME, percent-encoded. One that cannot be decoded is in PATH_INFO as it was sent. */
function sentPathInfo(environ: Environ): string {
  const isUndecodable =
    environ[MALFORMED_KEY] !== undefined && decodePath(malformedPath(environ)) === undefined
  return isUndecodable ? environ.PATH_INFO : rawPathInfo(environ)
}

/** Returns the path from the root of the host. A route may pass /m on as / below /m. */
function originalPath(environ: Environ): string {
  const { SCRIPT_NAME, PATH_INFO, REQUEST_URI } = environ
  if (environ[MALFORMED_KEY] !== undefined) return malformedPath(environ)
  if (PATH_INFO === '/' && REQUEST_URI !== undefined) {
    const target = targetPath(REQUEST_URI)
    if (decodePath(target) === SCRIPT_NAME && SCRIPT_NAME !== '') return target
  }
  return encodePath(SCRIPT_NAME) + rawPathInfo(environ) || '/'
}

function makeRequest(
  headers: readonly (readonly [name: string, value: string])[],
  body: SharedBody,
  socket: Socket,
): IncomingMessage {
  const req = new http.IncomingMessage(socket)
  req.httpVersion = '1.1'
  req.httpVersionMajor = 1
  req.httpVersionMinor = 1
  req.rawHeaders = headers.flat()
  req.headers = Object.fromEntries(headers)
  req.headersDistinct = Object.fromEntries(headers.map(([name, value]) => [name, [value]]))
  // An own property, because Express replaces the prototype.
  req._read = (size) => {
    // Sets the flag that node:http sets at the first read and requires for further reads.
    http.IncomingMessage.prototype._read.call(req, size)
    body.next().then(
      (chunk) => {
        if (req.destroyed || req.complete) return
        if (chunk === undefined) req.complete = true
        req.push(chunk ?? null)
      },
      (error: unknown) => req.destroy(withStatus(toError(error))),
    )
  }
  return req
}

/** Adds the status to the error of a server that has no memory for a body: body parsers would make it 400. */
function withStatus(error: Error): Error {
  if (!isBodyMemoryError(error)) return error
  return Object.assign(error, { status: 503, headers: { 'Retry-After': String(RETRY_AFTER) } })
}

/** Discards an unread request body after the response is complete, as node:http does. */
export function endUnread(req: IncomingMessage): void {
  if (req.complete || req.readableDidRead) return
  req.complete = true
  req.push(null)
  req.resume()
}
