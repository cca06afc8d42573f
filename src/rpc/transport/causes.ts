import { withCauses } from '../../base/thrown.ts'

/** Fields of the errors of Node and Undici. */
interface SystemError {
  readonly code?: unknown
  readonly address?: unknown
  readonly port?: unknown
  readonly hostname?: unknown
}

const CONNECTION_TEXTS: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the server closed the connection'],
  ['EPIPE', 'the server closed the connection'],
  ['UND_ERR_SOCKET', 'the server closed the connection'],
  ['ETIMEDOUT', 'connecting timed out'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connecting timed out'],
  ['EHOSTUNREACH', 'the host is unreachable'],
  ['ENETUNREACH', 'the network is unreachable'],
  ['ENOENT', 'there is no socket'],
  ['EACCES', 'the permission to connect is missing'],
  ['EPERM', 'the permission to connect is missing'],
])

const TRUST =
  'Set NODE_EXTRA_CA_CERTS to the file of the authority that signed it before Node starts, if you trust it.'
const CERTIFICATE_TEXTS: ReadonlyMap<string, string> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', `the certificate is self-signed. ${TRUST}`],
  ['SELF_SIGNED_CERT_IN_CHAIN', `the certificate is signed by an unknown authority. ${TRUST}`],
  ['UNABLE_TO_GET_ISSUER_CERT', `the certificate is signed by an unknown authority. ${TRUST}`],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', `the certificate is signed by an unknown authority. ${TRUST}`],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', `the certificate is signed by an unknown authority. ${TRUST}`],
  ['CERT_HAS_EXPIRED', 'the certificate has expired'],
  ['CERT_NOT_YET_VALID', 'the certificate is not valid yet'],
])

/** Messages of Undici and Deno for a port that they refuse. */
const BAD_PORT = /^(?:bad port|Fetch failed: Requests to port \d+ are blocked)$/
const WRONG_PROTOCOL = /^(?:EPROTO|ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG))$/

/** Describes why a connection failed, by its innermost causes. `fetch` itself throws only "fetch failed". */
export function causeText(error: unknown): string {
  const causes = withCauses(error)
  const known = causes.map(describe).filter((text) => text !== undefined)
  if (known.length > 0) return [...new Set(known)].join(', ')
  const innermost = causes.findLast((cause) => cause instanceof Error && cause.message !== '')
  return innermost instanceof Error ? innermost.message : String(error)
}

/** Returns true if `fetch` refused the port of the URL (Fetch Standard §2.9). Nothing was sent then. */
export function isBadPort(error: unknown): boolean {
  return withCauses(error).some((cause) => cause instanceof Error && BAD_PORT.test(cause.message))
}

/** Describes an error with a code; undefined for one without. */
function describe(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (BAD_PORT.test(error.message)) return 'fetch refuses this port ("bad port")'
  const { code, address, port, hostname }: Error & SystemError = error
  if (typeof code !== 'string') return undefined
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `the host ${String(hostname)} is unknown (${code})`
  const certificate = CERTIFICATE_TEXTS.get(code)
  if (certificate !== undefined) return `${certificate} (${code})`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `the certificate is for another host: ${error.message} (${code})`
  if (WRONG_PROTOCOL.test(code)) return `the server does not use TLS on this port, so use http: (${code})`
  const text = CONNECTION_TEXTS.get(code)
  // An AggregateError has the code of its errors, which have the addresses.
  if (error instanceof AggregateError) return undefined
  // The errors of streams that decompress have no message; their causes have.
  if (text === undefined) return error.message === '' ? undefined : `${error.message} (${code})`
  const place =
    typeof address === 'string' ? ` (${typeof port === 'number' ? hostAndPort(address, port) : address})` : ''
  return `${text}${place} (${code})`.replace(') (', ', ')
}

function hostAndPort(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}
