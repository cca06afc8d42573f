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
import { GatheredBytes, PulledInput } from '../input.ts'
import { MALFORMED_KEY, malformedPath } from '../refusal.ts'
import { decodePath, normalizePath, rawPathInfo, rawScriptName, targetPath } from '../request-url.ts'
import type { Environ, InputStream } from '../types.ts'
import { http } from './http-module.ts'

/** Key in the environ for the request of the Connect handlers. */
export const CONNECT_REQUEST_KEY = 'propylon.node.req'

/** The bodies of the requests of Connect handlers. */
const bodies = new WeakMap<IncomingMessage, SharedBody>()

/** A request of Connect handlers, and the state in which they received it. */
export class ConnectRequest {
  readonly message: IncomingMessage
  /**
   * Whether the request was created for these handlers. Otherwise handlers outside of them have received it as well.
   */
  readonly isOwn: boolean
  readonly #environ: Environ
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
      this.message = makeRequest(environHeaders(environ), body, socket)
      // Connect and Express set it for mounted handlers.
      Object.assign(this.message, { originalUrl: normalizePath(originalPath(environ)) + query })
      bodies.set(this.message, body)
      environ[CONNECT_REQUEST_KEY] = this.message
    }
    this.message.method = this.#method
    this.message.url = this.#url
    Object.assign(this.message, { baseUrl: rawScriptName(environ) })
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
    const body = bodies.get(message)
    if (body?.isRead) environ['wsgi.input'] = body.replay()
  }

  #applyUrl(url: string): void {
    const path = targetPath(url)
    const decoded = decodePath(path)
    if (decoded === undefined) {
      const error = new URIError(`A Connect handler set the URL ${url}, which cannot be decoded.`)
      throw Object.assign(error, { status: 400 })
    }
    const environ = this.#environ
    const query = url.indexOf('?')
    environ.PATH_INFO = decoded
    environ.QUERY_STRING = query === -1 ? '' : url.slice(query + 1)
    environ.REQUEST_URI = rawScriptName(environ) + url
  }
}

/** Returns the path below SCRIPT_NAME, percent-encoded. One that cannot be decoded is in PATH_INFO as it was sent. */
function sentPathInfo(environ: Environ): string {
  const isUndecodable = environ[MALFORMED_KEY] !== undefined && decodePath(malformedPath(environ)) === undefined
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
  return rawScriptName(environ) + rawPathInfo(environ) || '/'
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

// ------------------------------------------------------------ the body

/** Maximum number of bytes of a body that a handler has read and the application behind it can read again. */
const MAX_REPLAYED = 4 * 1024 * 1024

/**
 * The body of a request of Connect handlers. Bytes that can be read again are in memory, so they count in the memory
 * for all bodies of the server.
 */
class SharedBody {
  readonly #input: InputStream
  #iterator: AsyncIterator<Uint8Array> | undefined
  /** The bytes that handlers have read, as long as they can be read again. */
  #gathered: GatheredBytes | undefined = new GatheredBytes()
  #size = 0
  /** Bytes of memory that the gathered bytes take. */
  #held = 0
  /** Bytes of memory that have been counted. */
  #counted = 0

  constructor(input: InputStream) {
    this.#input = input
  }

  /** Whether handlers have begun to read. */
  get isRead(): boolean {
    return this.#iterator !== undefined
  }

  /**
   * Returns the next chunk for the handlers, undefined at the end.
   *
   * @throws BodyMemoryError if the server has no memory left for it.
   */
  async next(): Promise<Uint8Array | undefined> {
    const chunk = await this.#pull()
    if (chunk === undefined) return undefined
    this.#size += chunk.byteLength
    if (this.#size > MAX_REPLAYED) this.#drop()
    else if (this.#gathered !== undefined) {
      this.#held += this.#gathered.add(chunk)
      this.count(this.#held)
    }
    return chunk
  }

  /** Counts as many bytes as a reader holds. The same bytes count once for all readers. */
  count(bytes: number): void {
    if (!(this.#input instanceof PulledInput) || bytes <= this.#counted) return
    this.#input.count(bytes - this.#counted)
    this.#counted = bytes
  }

  /** Returns the body from its beginning. */
  replay(): InputStream {
    return new ReplayedInput(this, this.#replayed())
  }

  #drop(): void {
    this.#gathered = undefined
    this.#counted = 0
    if (this.#input instanceof PulledInput) this.#input.uncount()
  }

  async #pull(): Promise<Uint8Array | undefined> {
    this.#iterator ??= this.#input[Symbol.asyncIterator]()
    const { done, value } = await this.#iterator.next()
    return done ? undefined : value
  }

  async *#replayed(): AsyncGenerator<Uint8Array, void, undefined> {
    let at = 0
    for (;;) {
      const piece = this.#piece(at)
      if (piece !== undefined) {
        at += 1
        yield piece
        continue
      }
      const chunk = await this.#pull()
      // A handler that still reads may have received earlier pieces in the meantime.
      for (let earlier = this.#piece(at); earlier !== undefined; earlier = this.#piece(at)) {
        at += 1
        yield earlier
      }
      if (chunk === undefined) return
      yield chunk
    }
  }

  /** @throws Error - handlers have read more than can be read again. */
  #piece(at: number): Uint8Array | undefined {
    if (this.#gathered !== undefined) return this.#gathered.pieces()[at]
    throw new Error(
      `A Connect handler has read ${this.#size} bytes of the request body, of which at most ${MAX_REPLAYED} can be read again. Use the result of the handler, for instance req.body.`,
    )
  }
}

/** A body that is read again. What its reader holds counts as far as it is more than the handlers hold. */
class ReplayedInput extends PulledInput {
  readonly #body: SharedBody
  #held = 0

  constructor(body: SharedBody, pieces: AsyncIterable<Uint8Array>) {
    super(pieces)
    this.#body = body
  }

  override count(bytes: number): void {
    this.#held += bytes
    this.#body.count(this.#held)
  }

  override uncount(): void {
    this.#held = 0
  }
}
