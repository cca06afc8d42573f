/**
 * Environs from requests of node:http.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { makeEnviron } from '../environ.ts'
import { environKey, joinHeader } from '../headers.ts'
import { emptyInput } from '../input.ts'
import { decodePath } from '../path.ts'
import type { Environ, ErrorStream } from '../types.ts'

/** What is the same for all requests of a server. */
export interface ServerFacts {
  readonly errors: ErrorStream
  readonly multiprocess: boolean
}

/** What is the same for all requests of a connection. */
interface ConnectionFacts {
  readonly serverName: string
  readonly serverPort: string
  readonly remoteAddr: string
  readonly scheme: 'http' | 'https'
}

const connections = new WeakMap<Socket, ConnectionFacts>()

/**
 * The environ of a request, with an empty `wsgi.input`.
 *
 * @returns undefined when the request target or the Host header is not as HTTP has it: the answer is 400 then.
 */
export function nodeEnviron(req: IncomingMessage, facts: ServerFacts): Environ | undefined {
  const { url = '', method = '', rawHeaders } = req
  const query = url.indexOf('?')
  let rawPath = query < 0 ? url : url.slice(0, query)
  let authority: string | undefined
  if (!rawPath.startsWith('/')) {
    // RFC 9112 §3.2: besides the path alone there are the absolute form, and the asterisk of OPTIONS.
    const absolute = /^https?:\/\/([^/@#]+)(\/.*)?$/i.exec(rawPath)
    if (absolute !== null) {
      authority = absolute[1]
      rawPath = absolute[2] ?? '/'
    } else if (rawPath !== '*' || query >= 0 || method !== 'OPTIONS') return undefined
  }
  const pathInfo = decodePath(rawPath)
  if (pathInfo === undefined) return undefined

  const connection = connections.get(req.socket) ?? connectionFacts(req.socket)
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
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const key = environKey(rawHeaders[at] ?? '')
    if (key === undefined) continue
    const value = rawHeaders[at + 1] ?? ''
    const before = environ[key]
    if (typeof before !== 'string' || before === '') environ[key] = value
    else if (key === 'HTTP_HOST') return undefined
    else environ[key] = joinHeader(key, before, value)
  }
  // RFC 9112 §3.2.2: the target's host counts, not the header's.
  if (authority !== undefined) environ.HTTP_HOST = authority
  return environ
}

function connectionFacts(socket: Socket): ConnectionFacts {
  const scheme = 'encrypted' in socket && socket.encrypted === true ? 'https' : 'http'
  const facts: ConnectionFacts = {
    serverName: plainAddress(socket.localAddress ?? 'localhost', true),
    serverPort: String(socket.localPort ?? (scheme === 'https' ? 443 : 80)),
    remoteAddr: plainAddress(socket.remoteAddress ?? '', false),
    scheme,
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
