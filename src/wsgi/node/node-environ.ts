/**
 * Creates environs for requests of node:http.
 *
 * @module
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { addHeader, environKey, makeEnviron } from '../environ.ts'
import { emptyInput } from '../input.ts'
import { applyForwarded, type Proxies } from '../proxy/proxy-headers.ts'
import { MALFORMED_KEY, MALFORMED_TARGET, UNDECODABLE_PATH, withoutHost } from '../refusal.ts'
import { decodePath, isHost, mountAt } from '../request-url.ts'
import type { Environ, ErrorStream } from '../types.ts'
import { isHttp2, type Mount } from './foreign-request.ts'
import { http } from './http-module.ts'

/**
 * The header fields of a request in which none is repeated; null if one is, or if they were replaced; undefined until
 * they are read.
 */
const DISTINCT: unique symbol = Symbol('distinct fields')

/** Takes the pieces of a body from the parser. */
interface BodyTaker {
  /** Returns false if it does not take the piece. */
  take(piece: Uint8Array): boolean
  end(): void
  lose(cause: unknown): void
}

/** The request class of `serve()`. Only `wsgi.input` reads its body, which the parser pushes into it. */
export class ServedRequest extends http.IncomingMessage {
  /** The input that takes the pieces of the body. Undefined until its first read. */
  declare input?: BodyTaker
  /** Marks the stream as ended and closed, without events. node:http has it where it has `optimizeEmptyRequests`. */
  declare _dumpAndCloseReadable?: () => void
  declare [DISTINCT]?: DistinctFields | null
}

const inherited = Object.getOwnPropertyDescriptor(http.IncomingMessage.prototype, 'headers')

// The base class has an accessor too, though its type has a property.
Object.defineProperty(ServedRequest.prototype, 'headers', {
  configurable: true,
  get(this: ServedRequest): unknown {
    if (this[DISTINCT] === undefined) this[DISTINCT] = distinctFields(this.rawHeaders) ?? null
    return this[DISTINCT]?.fields ?? inherited?.get?.call(this)
  },
  set(this: ServedRequest, headers: unknown) {
    this[DISTINCT] = null
    inherited?.set?.call(this, headers)
  },
})

/** The name of a header field. */
interface FieldName {
  /** As a client sends it. */
  readonly sent: string
  readonly lower: string
  /** Its key in the environ. Undefined if environs leave out fields with this name. */
  readonly key: string | undefined
}

/** Header fields of which none is repeated. */
interface DistinctFields {
  /** The names, in the order in which they were sent. */
  readonly names: readonly FieldName[]
  /** The values by name in lower case. */
  readonly fields: IncomingHttpHeaders
}

/**
 * Names by the text that clients have sent. They choose it, so the number and length of all names that are remembered
 * are limited.
 */
const knownNames = new Map<string, FieldName>()
const MAX_CACHED = 1024
const MAX_CACHED_LENGTH = 64

/**
 * For each position in a request, the name that was last there. Most requests repeat the one before, and a text is
 * compared faster than it is looked up.
 */
const latestNames: FieldName[] = []

/**
 * Returns the names and values of header fields. Undefined if one is repeated, or has the name of a member of
 * Object.prototype.
 *
 * node:http makes a new text of each name of each request, and V8 looks up such a text in the table of all names. A
 * small request with the fields of a browser takes 15 % more instructions if node:http makes the fields, and 4.6 %
 * more if names are looked up instead of compared with the latest ones.
 *
 * @param rawHeaders - names and values in turn.
 */
function distinctFields(rawHeaders: readonly string[]): DistinctFields | undefined {
  const names: FieldName[] = []
  const fields: IncomingHttpHeaders = {}
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at] ?? ''
    const latest = latestNames[names.length]
    const name = latest?.sent === sent ? latest : nameAt(names.length, sent)
    const { lower } = name
    // node:http has an array for Set-Cookie.
    if (fields[lower] !== undefined || lower === 'set-cookie') return undefined
    fields[lower] = rawHeaders[at + 1]
    names.push(name)
  }
  return { names, fields }
}

/** Returns the name that a client has sent at a position, and remembers it if it is short. */
function nameAt(position: number, sent: string): FieldName {
  const name = knownNames.get(sent) ?? makeName(sent)
  if (sent.length <= MAX_CACHED_LENGTH) latestNames[position] = name
  return name
}

/** Makes a name, and remembers it if it is short and there are few. */
function makeName(sent: string): FieldName {
  const lower = sent.toLowerCase()
  const name = { sent, lower, key: environKey(lower) }
  if (knownNames.size < MAX_CACHED && sent.length <= MAX_CACHED_LENGTH) knownNames.set(sent, name)
  return name
}

/** Values that all requests of a server share. */
export interface ServerFacts {
  readonly errors: ErrorStream
  readonly multiprocess: boolean
  /** The proxies whose forwarding headers are used. Undefined for none. */
  readonly proxies?: Proxies | undefined
  /** Path at which the application is mounted. */
  readonly scriptName?: string
}

/** Values that all requests of a connection share. */
interface ConnectionFacts {
  readonly serverName: string
  readonly serverPort: string
  readonly remoteAddr: string
  readonly scheme: 'http' | 'https'
  /** Whether no further request of the connection is accepted. */
  isOver: boolean
}

const connections = new WeakMap<Socket, ConnectionFacts>()

/** For requests of mocks, which have no socket. */
const NO_CONNECTION: ConnectionFacts = {
  serverName: 'localhost',
  serverPort: '80',
  remoteAddr: '',
  scheme: 'http',
  isOver: false,
}

/**
 * The environ of a request, with an empty `wsgi.input`.
 *
 * @returns an environ with {@link MALFORMED_KEY} if the request target or the Host field is malformed, or if there
 *   are several Host fields. Undefined for a request behind another one whose framing cannot be trusted.
 */
export function nodeEnviron(req: IncomingMessage, facts: ServerFacts, mount?: Mount): Environ | undefined {
  const { method = 'GET', rawHeaders } = req
  const url = mount?.target ?? req.url ?? ''
  const query = url.indexOf('?')
  let rawPath = query < 0 ? url : url.slice(0, query)
  let authority: string | undefined
  let malformed: string | undefined
  if (!rawPath.startsWith('/')) {
    // RFC 9112 §3.2: the absolute form, and the asterisk of OPTIONS.
    const absolute = /^https?:\/\/([^/@#]+)(\/.*)?$/i.exec(rawPath)
    if (absolute !== null) {
      authority = absolute[1]
      rawPath = absolute[2] ?? '/'
    } else if (rawPath !== '*' || query >= 0 || method !== 'OPTIONS') malformed = MALFORMED_TARGET
  }
  const connection = connections.get(req.socket) ?? connectionFacts(req.socket)
  if (connection.isOver) return undefined
  const environ = makeEnviron({
    method,
    scriptName: mount?.prefix ?? '',
    pathInfo: mount?.path ?? rawPath,
    queryString: query < 0 ? '' : url.slice(query + 1),
    requestUri: url,
    serverName: connection.serverName,
    serverPort: connection.serverPort,
    protocol: req.httpVersion === '1.1' ? 'HTTP/1.1' : `HTTP/${req.httpVersion ?? '1.1'}`,
    remoteAddr: connection.remoteAddr,
    scheme: connection.scheme,
    input: emptyInput,
    errors: facts.errors,
    multiprocess: facts.multiprocess,
  })
  const pathInfo = decodePath(environ.PATH_INFO)
  const scriptName = mount === undefined ? '' : decodePath(mount.prefix)
  if (pathInfo === undefined || scriptName === undefined) malformed ??= UNDECODABLE_PATH
  else {
    environ.PATH_INFO = pathInfo
    environ.SCRIPT_NAME = scriptName
  }
  if (malformed !== undefined) environ[MALFORMED_KEY] = malformed
  let isHostValid = true
  const distinct = req instanceof ServedRequest ? req[DISTINCT] : undefined
  if (distinct) {
    const { names, fields } = distinct
    let at = 0
    // A listener of the server may have changed the fields.
    for (const name in fields) {
      const known = names[at++]
      const key = known?.lower === name ? known.key : environKey(name)
      if (key !== undefined) environ[key] = fields[name]
    }
  } else {
    // Mocks and adapters of Lambda have `headers` only.
    const fields = rawHeaders !== undefined && rawHeaders.length > 0 ? rawHeaders : fieldsOf(req.headers)
    for (let at = 0; at < fields.length; at += 2) {
      if (!addHeader(environ, fields[at] ?? '', fields[at + 1] ?? '')) isHostValid = false
    }
  }
  // HTTP/2 sends the host in a pseudo-header, which has precedence (RFC 9113 §8.3.1).
  if (req.httpVersion !== '1.1') authority ??= textOf(req.headers?.[':authority'])
  const { HTTP_HOST: host } = environ
  if (host !== undefined && host !== '' && !isHost(host)) isHostValid = false
  if (authority === undefined) {
    // A client may send an empty field only for a target that has no host (RFC 9112 §3.2).
    if (host === '' && req.httpVersion === '1.1') isHostValid = false
  } else {
    if (!isHost(authority)) isHostValid = false
    // The host of the target replaces the host of the Host field (RFC 9112 §3.2.2).
    environ.HTTP_HOST = authority
  }
  if (!isHostValid) withoutHost(environ)
  const { proxies } = facts
  if (facts.scriptName) mountAt(environ, facts.scriptName)
  if (proxies?.trusts(connection.remoteAddr)) applyForwarded(environ, proxies)
  return environ
}

/**
 * Makes {@link nodeEnviron} return undefined for every later request of a connection. Node parses pipelined requests
 * even behind one whose response closes the connection, and such bytes may be another client's body.
 */
export function acceptNoMore(req: IncomingMessage): void {
  const { socket } = req
  // A stream of HTTP/2 does not affect the others of its connection.
  if (isHttp2(req) || !socket) return
  const facts = connections.get(socket) ?? connectionFacts(socket)
  facts.isOver = true
}

/** Converts headers by name to pairs in one list, as `rawHeaders` has them. */
function fieldsOf(headers: Readonly<Record<string, unknown>> | undefined): string[] {
  const fields: string[] = []
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value === undefined || value === null) continue
    for (const each of Array.isArray(value) ? value : [value]) fields.push(name, String(each))
  }
  return fields
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function connectionFacts(socket: Socket | undefined): ConnectionFacts {
  if (socket === undefined || socket === null) return NO_CONNECTION
  const scheme = 'encrypted' in socket && socket.encrypted === true ? 'https' : 'http'
  const facts: ConnectionFacts = {
    serverName: plainAddress(socket.localAddress ?? 'localhost', true),
    serverPort: String(socket.localPort ?? (scheme === 'https' ? 443 : 80)),
    remoteAddr: plainAddress(socket.remoteAddress ?? '', false),
    scheme,
    isOver: false,
  }
  connections.set(socket, facts)
  return facts
}

/** Formats an address as CGI does: mapped IPv4 without prefix, the server's IPv6 in brackets (RFC 3875 §4.1.14). */
function plainAddress(address: string, isServer: boolean): string {
  if (!address.includes(':')) return address
  if (/^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address)) return address.slice('::ffff:'.length)
  return isServer ? `[${address}]` : address
}
