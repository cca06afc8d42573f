/**
 * The one rule for the syntax of a host, as a Host field and the authority of a request target carry it.
 *
 * @module
 */
import type { Environ } from './types.ts'

/** Labels of letters, digits, `-` and `_` between dots, or an IPv6 address in brackets; then perhaps a port. */
const HOST =
  /^(?:(?=[^:]{1,254}(?::|$))[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?|\[[0-9a-f:.]{2,45}\])(?::(?:0|[1-9]\d{0,4}))?$/i

/** The last host that passed: almost all requests of a server have the same one. */
let passed = ''

/**
 * Returns true for a well-formed host with or without a port: a domain name, an IPv4 address, or an IPv6 address in
 * brackets.
 *
 * The rule is that of RFC 9110 §7.2 (`uri-host [ ":" port ]`) without the forms that only mistakes and attacks use:
 * percent-encoding, an empty port, a port with leading zeros. Underscores pass, because container networks use them.
 * Ports range from 0 to 65535, as in the URL Standard. A name that the URL Standard refuses, such as `1.2.3.256`, is
 * malformed too, so that a URL can be built from every host that passes.
 */
export function isHost(text: string): boolean {
  if (text === passed) return true
  if (!HOST.test(text) || !URL.canParse(`http://${text}`)) return false
  passed = text
  return true
}

/** Returns true for the value of a Host field that a request may have: a well-formed host, or none (RFC 9112 §3.2). */
export function isHostField(value: unknown): value is string | undefined {
  return value === undefined || value === '' || (typeof value === 'string' && isHost(value))
}

/** The host without its port, and without the dot that may end a domain name. In lower case. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '')
}

/**
 * The Host field, in lower case and without the port that is the default of the scheme. SERVER_NAME and SERVER_PORT
 * replace a Host field that is missing, empty or malformed.
 *
 * Forwarding headers have no influence: any client can send them.
 */
export function hostOf(environ: Environ): string {
  const { HTTP_HOST: sent } = environ
  const defaultPort = environ['wsgi.url_scheme'] === 'https' ? ':443' : ':80'
  if (typeof sent === 'string' && isHost(sent)) {
    const host = sent.toLowerCase()
    return host.endsWith(defaultPort) ? host.slice(0, -defaultPort.length) : host
  }
  const { SERVER_NAME: name, SERVER_PORT: port } = environ
  const host = name.includes(':') && !name.startsWith('[') ? `[${name}]` : name
  return port === '' || `:${port}` === defaultPort ? host : `${host}:${port}`
}

/**
 * Returns true for a loopback address, `localhost` and the names below `localhost` and `test`.
 *
 * No public name server resolves these names (RFC 6761 §6.2, §6.3), so no other site can point one of them here.
 */
export function isLocalHost(host: string): boolean {
  return /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost|.+\.(?:localhost|test))$/.test(hostName(host))
}
