/** Header fields of forwarded requests and their responses. */
import { environHeaders } from '../environ.ts'
import { encodePath, hostOf } from '../request-url.ts'
import { isHopByHop } from '../response-head.ts'
import type { Environ, HeaderPair } from '../types.ts'
import type { Upstream } from './upstream.ts'

/** Fields that are replaced, so that a client cannot forge them, and fields of this connection (RFC 9110 §7.6.1). */
const OWN: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'expect',
  'forwarded',
  'http2-settings',
  'via',
  'x-real-ip',
])

/** Returns true if the request was sent to this server before: the server forwards to itself. */
export function hasReturned({ pseudonym }: Upstream, environ: Environ): boolean {
  return environ.HTTP_VIA?.split(',').some((hop) => hop.trim().split(/[ \t]+/)[1] === pseudonym) === true
}

/** Returns the header fields of a request for another server, without the framing of its body. */
export function forwardedFields({ pseudonym }: Upstream, environ: Environ): HeaderPair[] {
  const { HTTP_VIA: via, REMOTE_ADDR: address, HTTP_X_REAL_IP: realAddress, SCRIPT_NAME: prefix } = environ
  const dropped = connectionFields(environ.HTTP_CONNECTION)
  const fields: HeaderPair[] = [['host', environ.HTTP_HOST || hostOf(environ)]]
  for (const [name, value] of environHeaders(environ)) {
    if (OWN.has(name) || name.startsWith('x-forwarded-') || isHopByHop(name) || dropped.has(name)) continue
    fields.push([name, value])
  }
  if (address) fields.push(['x-forwarded-for', address])
  if (address && realAddress !== undefined) fields.push(['x-real-ip', address])
  fields.push(
    ['x-forwarded-proto', environ['wsgi.url_scheme']],
    ['x-forwarded-host', environ.HTTP_HOST || hostOf(environ)],
  )
  if (prefix !== '') fields.push(['x-forwarded-prefix', encodePath(prefix)])
  // RFC 9110 §7.6.3.
  const hop = `${environ.SERVER_PROTOCOL.replace(/^HTTP\//, '')} ${pseudonym}`
  fields.push(['via', via ? `${via}, ${hop}` : hop])
  return fields
}

/**
 * Returns the fields of a response that belong to the client.
 *
 * @param fields - names and values in turn.
 */
export function receivedFields(fields: readonly string[]): HeaderPair[] {
  const pairs: HeaderPair[] = []
  for (let at = 0; at < fields.length; at += 2) pairs.push([fields[at] ?? '', fields[at + 1] ?? ''])
  const values = (wanted: string) =>
    pairs.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value)
  const dropped = connectionFields(values('connection').join(','))
  // A transfer coding has precedence over Content-Length (RFC 9112 §6.3).
  if (values('transfer-encoding').length > 0) dropped.add('content-length')
  return pairs.filter(([name]) => !isHopByHop(name) && !dropped.has(name.toLowerCase()))
}

/** Returns the names in the field Connection, in lower case. Content-Length is not one: it is the framing of the body. */
function connectionFields(connection = ''): Set<string> {
  const names = new Set(
    connection
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  )
  names.delete('content-length')
  return names
}
