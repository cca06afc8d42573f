/**
 * Creates environs for requests of node:http.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { makeEnviron } from '../environ.ts'
import { isHost, isHostField } from '../host.ts'
import { emptyInput } from '../input.ts'
import { decodePath } from '../path.ts'
import { type EnvironName, environName, joinHeader } from '../request-header-names.ts'
import type { Environ, ErrorStream } from '../types.ts'

/** Values that all requests of a server share. */
export interface ServerFacts {
  readonly errors: ErrorStream
  readonly multiprocess: boolean
}

/** Values that all requests of a connection share. */
interface ConnectionFacts {
  readonly serverName: string
  readonly serverPort: string
  readonly remoteAddr: string
  readonly scheme: 'http' | 'https'
  /** The names of the last request's header fields up to the first one that is special: none is repeated. */
  names: readonly EnvironName[]
  /** Whether no further request of the connection is accepted. */
  isOver: boolean
}

/** Maximum number of header names cached per connection. */
const MAX_NAMES = 32

const connections = new WeakMap<Socket, ConnectionFacts>()

/**
 * The environ of a request, with an empty `wsgi.input`.
 *
 * @returns undefined when the request target or the Host field is malformed, or there are several Host fields. The
 *   response is then 400.
 */
export function nodeEnviron(req: IncomingMessage, facts: ServerFacts): Environ | undefined {
  const { url = '', method = '', rawHeaders } = req
  const query = url.indexOf('?')
  let rawPath = query < 0 ? url : url.slice(0, query)
  let authority: string | undefined
  if (!rawPath.startsWith('/')) {
    // RFC 9112 §3.2: the absolute form, and the asterisk of OPTIONS.
    const absolute = /^https?:\/\/([^/@#]+)(\/.*)?$/i.exec(rawPath)
    if (absolute !== null) {
      authority = absolute[1]
      rawPath = absolute[2] ?? '/'
    } else if (rawPath !== '*' || query >= 0 || method !== 'OPTIONS') return undefined
  }
  const pathInfo = decodePath(rawPath)
  if (pathInfo === undefined) return undefined

  const connection = connections.get(req.socket) ?? connectionFacts(req.socket)
  if (connection.isOver) return undefined
  const environ = makeEnviron({
    method,
    scriptName: '',
    pathInfo,
    queryString: query < 0 ? '' : url.slice(query + 1),
    requestUri: url,
    serverName: connection.serverName,
    serverPort: connection.serverPort,
    protocol: req.httpVersion === '1.1' ? 'HTTP/1.1' : `HTTP/${req.httpVersion}`,
    remoteAddr: connection.remoteAddr,
    scheme: connection.scheme,
    input: emptyInput,
    errors: facts.errors,
    multiprocess: facts.multiprocess,
  })
  const added = addKnownHeaders(environ, rawHeaders, connection.names)
  if (added < rawHeaders.length && !addHeaders(environ, rawHeaders, added, connection)) return undefined
  if (!isHostField(environ.HTTP_HOST)) return undefined
  if (authority !== undefined) {
    if (!isHost(authority)) return undefined
    // The host of the target replaces that of the Host field (RFC 9112 §3.2.2).
    environ.HTTP_HOST = authority
  }
  return environ
}

/**
 * Adds the header fields as long as they are called what those of the connection's last request were. Clients send the
 * same ones each time, and to compare names takes half the time of looking keys up and for repeated fields.
 *
 * @returns the place in `rawHeaders` of the first that is called otherwise.
 */
function addKnownHeaders(
  environ: Environ,
  rawHeaders: readonly string[],
  names: readonly EnvironName[],
): number {
  let at = 0
  for (const { name, key } of names) {
    if (rawHeaders[at] !== name) break
    environ[key] = rawHeaders[at + 1]
    at += 2
  }
  return at
}

/** Adds the header fields from a place on. @returns false when there is more than one Host. */
function addHeaders(
  environ: Environ,
  rawHeaders: readonly string[],
  from: number,
  connection: ConnectionFacts,
): boolean {
  const names = connection.names.slice(0, from / 2)
  let areKept = true
  for (let at = from; at < rawHeaders.length; at += 2) {
    const named = environName(rawHeaders[at] ?? '')
    areKept &&= named !== undefined && names.length < MAX_NAMES && !names.some(({ key }) => key === named.key)
    if (named === undefined) continue
    if (areKept) names.push(named)
    const { key } = named
    const value = rawHeaders[at + 1] ?? ''
    const before = environ[key]
    if (key === 'HTTP_HOST' && before !== undefined) return false
    if (typeof before !== 'string' || before === '') environ[key] = value
    else environ[key] = joinHeader(key, before, value)
  }
  connection.names = names
  return true
}

/**
 * Makes {@link nodeEnviron} return undefined for every later request of a connection. Node parses pipelined requests
 * even behind one whose response closes the connection, and such bytes may be another client's body.
 */
export function acceptNoMore(socket: Socket): void {
  const facts = connections.get(socket) ?? connectionFacts(socket)
  facts.isOver = true
}

function connectionFacts(socket: Socket): ConnectionFacts {
  const scheme = 'encrypted' in socket && socket.encrypted === true ? 'https' : 'http'
  const facts: ConnectionFacts = {
    serverName: plainAddress(socket.localAddress ?? 'localhost', true),
    serverPort: String(socket.localPort ?? (scheme === 'https' ? 443 : 80)),
    remoteAddr: plainAddress(socket.remoteAddress ?? '', false),
    scheme,
    names: [],
    isOver: false,
  }
  connections.set(socket, facts)
  return facts
}

/** An address as CGI writes it: IPv4 in its own form, and the server's IPv6 in brackets (RFC 3875 §4.1.14). */
function plainAddress(address: string, isServer: boolean): string {
  if (!address.includes(':')) return address
  if (/^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address)) return address.slice('::ffff:'.length)
  return isServer ? `[${address}]` : address
}
