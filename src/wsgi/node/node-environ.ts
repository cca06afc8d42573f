/**
 * Creates environs for requests of node:http.
 *
 * @module
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { addHeader, environKey, NO_REQUEST } from '../environ.ts'
import { applyForwarded, type Proxies } from '../proxy/proxy-headers.ts'
import { MALFORMED_KEY, MALFORMED_TARGET, UNDECODABLE_PATH, withoutHost } from '../refusal.ts'
import { decodePath, isHost, mountAt } from '../request-url.ts'
import type { Environ, ErrorStream } from '../types.ts'
import { isHttp2, type Mount } from './foreign-request.ts'
import { http } from './http-module.ts'

/**
 * The header fields of a request whose names are known; null if they are not, or if the fields were replaced; undefined
 * until they are read.
 */
const KNOWN: unique symbol = Symbol('known fields')

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
  declare [KNOWN]?: KnownFields | null
}

const inherited = Object.getOwnPropertyDescriptor(http.IncomingMessage.prototype, 'headers')

// The base class has an accessor too, though its type has a property.
Object.defineProperty(ServedRequest.prototype, 'headers', {
  configurable: true,
  get(this: ServedRequest): unknown {
    if (this[KNOWN] === undefined) this[KNOWN] = knownFields(this.rawHeaders) ?? null
    return this[KNOWN]?.fields ?? inherited?.get?.call(this)
  },
  set(this: ServedRequest, headers: unknown) {
    this[KNOWN] = null
    inherited?.set?.call(this, headers)
  },
})

/** The header fields of a request and the list of their names. */
interface KnownFields {
  readonly names: FieldNames
  /** The values by name in lower case. */
  readonly fields: IncomingHttpHeaders
}

/** Number of lists and of names in one that are remembered, and the length of a name: clients choose them. */
const MAX_CACHED = 1024
const MAX_NAMES = 64
const MAX_CACHED_LENGTH = 64

/**
 * The names of header fields in the order in which a client sends them: a longer list begins with the names of its
 * parent. Most requests repeat a list, so its objects are made once, and copied: V8 copies an object faster than it
 * adds properties to another one.
 */
class FieldNames {
  /** The last name, as it was sent. */
  readonly sent: string
  /** The names in lower case, and their keys in the environ. */
  readonly lower: readonly string[]
  readonly keys: readonly string[]
  /** Whether no name is repeated, and each has a place of its own in the environ. */
  readonly isPlain: boolean
  #latest: FieldNames | undefined
  readonly #longer = new Map<string, FieldNames>()
  #blank: { readonly fields: IncomingHttpHeaders; readonly environ: Environ } | undefined

  constructor(sent: string, lower: readonly string[], keys: readonly string[], isPlain: boolean) {
    this.sent = sent
    this.lower = lower
    this.keys = keys
    this.isPlain = isPlain
  }

  /** Returns the list with one name more. */
  with(sent: string): FieldNames {
    if (this.#latest?.sent === sent) return this.#latest
    let longer = this.#longer.get(sent)
    if (longer === undefined) {
      // Clients that send ever different lists cannot fill the memory, and the others are known again soon.
      if (lists++ === MAX_CACHED) {
        root = new FieldNames('', [], [], true)
        lists = 1
      }
      const lower = sent.toLowerCase()
      // Names with an underscore are left out of environs.
      const key = environKey(lower) ?? ''
      // node:http has an array for Set-Cookie.
      const isShared = this.lower.includes(lower) || lower in Object.prototype || lower === 'set-cookie' || key === ''
      longer = new FieldNames(sent, [...this.lower, lower], [...this.keys, key], this.isPlain && !isShared)
      this.#longer.set(sent, longer)
    }
    this.#latest = longer
    return longer
  }

  /** Header fields without values, as node:http has them, and an environ with them: to be copied. */
  get blank(): { readonly fields: IncomingHttpHeaders; readonly environ: Environ } {
    this.#blank ??= { fields: blankOf({}, this.lower), environ: blankOf({ ...NO_REQUEST }, this.keys) }
    return this.#blank
  }
}

function blankOf<T extends object>(object: T, names: readonly string[]): T {
  return Object.assign(object, Object.fromEntries(names.map((name) => [name, ''])))
}

let root = new FieldNames('', [], [], true)
let lists = 0

/**
 * Returns header fields, or undefined if their list of names is not remembered: it is long, or a name of it is, or is
 * repeated, or has no place of its own.
 *
 * @param rawHeaders - names and values in turn.
 */
function knownFields(rawHeaders: readonly string[]): KnownFields | undefined {
  if (rawHeaders.length > 2 * MAX_NAMES) return undefined
  let names = root
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at] ?? ''
    if (sent.length > MAX_CACHED_LENGTH) return undefined
    names = names.with(sent)
  }
  if (!names.isPlain) return undefined
  const fields = { ...names.blank.fields }
  let at = 1
  for (const name of names.lower) {
    fields[name] = rawHeaders[at]
    at += 2
  }
  return { names, fields }
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
  const served = req instanceof ServedRequest ? req : undefined
  const known = served?.[KNOWN] && hasItsNames(served[KNOWN]) ? served[KNOWN] : undefined
  const environ: Environ = { ...(known?.names.blank.environ ?? NO_REQUEST) }
  environ.REQUEST_METHOD = method
  environ.SCRIPT_NAME = mount?.prefix ?? ''
  environ.PATH_INFO = mount?.path ?? rawPath
  environ.QUERY_STRING = query < 0 ? '' : url.slice(query + 1)
  environ.SERVER_NAME = connection.serverName
  environ.SERVER_PORT = connection.serverPort
  environ.SERVER_PROTOCOL = req.httpVersion === '1.1' ? 'HTTP/1.1' : `HTTP/${req.httpVersion ?? '1.1'}`
  environ.REMOTE_ADDR = connection.remoteAddr
  environ.REQUEST_URI = url
  environ['wsgi.url_scheme'] = connection.scheme
  environ['wsgi.errors'] = facts.errors
  environ['wsgi.multiprocess'] = facts.multiprocess
  let isHostValid = true
  if (known !== undefined) addKnown(environ, known)
  else {
    // Mocks and adapters of Lambda have `headers` only, and listeners of a server may have changed them.
    const isRaw = rawHeaders !== undefined && rawHeaders.length > 0 && !(served && areDistinct(rawHeaders))
    const fields = isRaw ? rawHeaders : fieldsOf(req.headers)
    for (let at = 0; at < fields.length; at += 2) {
      if (!addHeader(environ, fields[at] ?? '', fields[at + 1] ?? '')) isHostValid = false
    }
  }
  const pathInfo = decodePath(environ.PATH_INFO)
  const scriptName = mount === undefined ? '' : decodePath(mount.prefix)
  if (pathInfo === undefined || scriptName === undefined) malformed ??= UNDECODABLE_PATH
  else {
    environ.PATH_INFO = pathInfo
    environ.SCRIPT_NAME = scriptName
  }
  if (malformed !== undefined) environ[MALFORMED_KEY] = malformed
  // HTTP/2 sends the host in a pseudo-header, which has precedence (RFC 9113 §8.3.1).
  const pseudo = req.httpVersion === '1.1' ? undefined : req.headers?.[':authority']
  if (typeof pseudo === 'string') authority ??= pseudo
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

/** Returns true unless a listener of the server has added or removed fields. */
function hasItsNames({ names, fields }: KnownFields): boolean {
  let at = 0
  for (const name in fields) if (names.lower[at++] !== name) return false
  return at === names.lower.length
}

/** Adds fields to an environ that has their names. */
function addKnown(environ: Environ, { names, fields }: KnownFields): void {
  let at = 0
  for (const name in fields) {
    const key = names.keys[at++]
    if (key !== undefined) environ[key] = fields[name]
  }
}

/** Returns true if `headers` of a request has each of its fields as it was sent. */
function areDistinct(rawHeaders: readonly string[]): boolean {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  return (
    new Set(names).size === names.length && !names.some((name) => name === 'set-cookie' || name in Object.prototype)
  )
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
