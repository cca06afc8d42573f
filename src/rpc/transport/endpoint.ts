import { encodeBase64 } from '../../base/base64.ts'

/** Address of a server, and how to connect to it. */
export interface Endpoint {
  /** The URL as the application gave it, without user name and password. For messages. */
  readonly url: string
  /** URL of the request. Its host is `localhost` if the server listens on a socket. */
  readonly target: string
  /** `Authorization` header for the user name and the password of the URL. */
  readonly authorization: string | undefined
  readonly connection: Connection
}

/** Connection to a server: HTTP over TCP, HTTP over a unix socket, or SCGI. */
export type Connection =
  | { readonly kind: 'http' }
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'scgi'; readonly address: SCGIAddress }

/** Address of an SCGI server: a host and a port, or a unix socket. */
export type SCGIAddress = { readonly host: string; readonly port: number } | { readonly path: string }

/** Names and defaults of the protocol that uses a transport. */
export interface Service {
  /** Name of the server in messages, such as `an XML-RPC server`. */
  readonly name: string
  /** Path of the request if the URL of a socket has none. */
  readonly path: string
}

/**
 * Parses the URL of a server. User name and password are moved to an `Authorization: Basic` header (RFC 7617).
 *
 * | URL | server |
 * |---|---|
 * | `http://host/path`, `https://host/path` | HTTP |
 * | `unix:/run/app.sock:/path`, `http+unix://%2Frun%2Fapp.sock/path` | HTTP over a unix socket |
 * | `scgi://host:port/path`, `scgi:///run/app.sock:/path` | SCGI |
 *
 * @throws TypeError - the URL is invalid or has another scheme.
 */
export function endpointOf(address: string | URL, service: Service): Endpoint {
  const url = new URL(address)
  const { username, password } = url
  url.username = ''
  url.password = ''
  url.hash = ''
  const credentials = username === '' && password === '' ? undefined : bytesOf(`${username}:${password}`)
  const authorization = credentials && `Basic ${encodeBase64(credentials)}`
  const { href, search } = url
  if (/^https?:$/.test(url.protocol)) {
    return { url: href, target: href, authorization, connection: { kind: 'http' } }
  }
  const { origin, path, connection } = serverAt(url, service.name)
  return { url: href, target: `${origin}${path || service.path}${search}`, authorization, connection }
}

/** A server that is not an HTTP server on TCP, and the parts of the URL of a request to it. */
interface Server {
  readonly origin: string
  /** Empty if the URL has none. */
  readonly path: string
  readonly connection: Connection
}

function serverAt(url: URL, name: string): Server {
  const { protocol, hostname, host, port, href } = url
  const pathname = url.pathname === '/' ? '' : url.pathname
  switch (protocol) {
    case 'unix:': {
      const [socket, path] = socketAndPath(url)
      return { origin: LOCAL, path, connection: { kind: 'unix', path: socket } }
    }
    case 'http+unix:':
      if (hostname === '')
        throw new TypeError(`${href} names no socket. Write http+unix://%2Frun%2Fapp.sock/path.`)
      return { origin: LOCAL, path: pathname, connection: { kind: 'unix', path: textOf(hostname) } }
    case 'scgi:': {
      if (hostname === '') {
        const [socket, path] = socketAndPath(url)
        return { origin: LOCAL, path, connection: { kind: 'scgi', address: { path: socket } } }
      }
      if (port === '') throw new TypeError(`${href} has no port. Write scgi://host:port/path.`)
      const address = { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }
      return { origin: `http://${host}`, path: pathname, connection: { kind: 'scgi', address } }
    }
    default:
      throw new TypeError(`The URL of ${name} has the scheme ${protocol} Use http:, https:, unix: or scgi:.`)
  }
}

/** Origin of requests to a server that listens on a socket. */
const LOCAL = 'http://localhost'

/** Splits `/run/app.sock:/path` into the socket and the path of the request. */
function socketAndPath({ host, protocol, pathname, href }: URL): [socket: string, path: string] {
  const [first = '', ...others] = pathname.split(':')
  const socket = textOf(first)
  const path = others.join(':')
  if (host !== '' || /^\/?$/.test(socket) || !/^(?:\/.*)?$/.test(path)) {
    throw new TypeError(`${href} names no socket. Write ${protocol}///run/app.sock:/path.`)
  }
  return [socket, path]
}

/** Decodes percent-encoded bytes. A percent sign without two digits is itself (URL Standard §1.3). */
function bytesOf(text: string): Uint8Array {
  const bytes: number[] = []
  for (const piece of text.split(/(%[\da-f]{2})/i)) {
    if (/^%[\da-f]{2}$/i.test(piece)) bytes.push(Number.parseInt(piece.slice(1), 16))
    else bytes.push(...new TextEncoder().encode(piece))
  }
  return Uint8Array.from(bytes)
}

function textOf(encoded: string): string {
  return new TextDecoder().decode(bytesOf(encoded))
}
