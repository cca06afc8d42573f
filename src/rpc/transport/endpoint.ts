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
  switch (url.protocol) {
    case 'http:':
    case 'https:':
      return { url: url.href, target: url.href, authorization, connection: { kind: 'http' } }
    case 'unix:': {
      const [path, rest] = socketAndPath(url, service)
      return {
        url: url.href,
        target: `http://localhost${rest}`,
        authorization,
        connection: { kind: 'unix', path },
      }
    }
    case 'http+unix:': {
      const path = textOf(url.hostname)
      if (path === '')
        throw new TypeError(`${url.href} names no socket. Write http+unix://%2Frun%2Fapp.sock/path.`)
      const rest = `${pathOf(url, service)}${url.search}`
      return {
        url: url.href,
        target: `http://localhost${rest}`,
        authorization,
        connection: { kind: 'unix', path },
      }
    }
    case 'scgi:':
      return { ...scgiTarget(url, service), url: url.href, authorization }
    default:
      throw new TypeError(
        `The URL of ${service.name} has the scheme ${url.protocol} Use http:, https:, unix: or scgi:.`,
      )
  }
}

function scgiTarget(url: URL, service: Service): Pick<Endpoint, 'target' | 'connection'> {
  if (url.hostname === '') {
    const [path, rest] = socketAndPath(url, service)
    return { target: `http://localhost${rest}`, connection: { kind: 'scgi', address: { path } } }
  }
  if (url.port === '') throw new TypeError(`${url.href} has no port. Write scgi://host:port/path.`)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return {
    target: `http://${url.host}${pathOf(url, service)}${url.search}`,
    connection: { kind: 'scgi', address: { host, port: Number(url.port) } },
  }
}

/** Splits `/run/app.sock:/path` into the socket and the path of the request. */
function socketAndPath(url: URL, service: Service): [socket: string, path: string] {
  const { pathname } = url
  const colon = pathname.indexOf(':')
  const socket = textOf(colon < 0 ? pathname : pathname.slice(0, colon))
  const path = colon < 0 ? '' : pathname.slice(colon + 1)
  if (url.host !== '' || /^\/?$/.test(socket) || !/^(?:\/.*)?$/.test(path)) {
    throw new TypeError(`${url.href} names no socket. Write ${url.protocol}///run/app.sock:/path.`)
  }
  return [socket, `${path === '' ? service.path : path}${url.search}`]
}

function pathOf(url: URL, service: Service): string {
  return /^\/?$/.test(url.pathname) ? service.path : url.pathname
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
