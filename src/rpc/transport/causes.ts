import { memberOf, withCauses } from '../../base/thrown.ts'

const TRUST =
  'Set NODE_EXTRA_CA_CERTS to the file of the authority that signed it before Node starts, if you trust it.'

/** Texts of the errors of Node and Undici by their codes. */
const TEXTS: ReadonlyMap<string, string> = new Map(
  [
    ['the connection was refused', 'ECONNREFUSED'],
    ['the server closed the connection', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'],
    ['connecting timed out', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'],
    ['the host is unreachable', 'EHOSTUNREACH'],
    ['the network is unreachable', 'ENETUNREACH'],
    ['there is no socket', 'ENOENT'],
    ['the permission to connect is missing', 'EACCES', 'EPERM'],
    [`the certificate is self-signed. ${TRUST}`, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    [
      `the certificate is signed by an unknown authority. ${TRUST}`,
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_GET_ISSUER_CERT',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ],
    ['the certificate has expired', 'CERT_HAS_EXPIRED'],
    ['the certificate is not valid yet', 'CERT_NOT_YET_VALID'],
    [
      'the server does not use TLS on this port, so use http:',
      'EPROTO',
      'ERR_SSL_WRONG_VERSION_NUMBER',
      'ERR_SSL_PACKET_LENGTH_TOO_LONG',
    ],
  ].flatMap(([text = '', ...codes]) => codes.map((code) => [code, text] as const)),
)

/** Messages of Undici and Deno for a port that they refuse (Fetch Standard §2.9). */
const BAD_PORT = /^(?:bad port|Fetch failed: Requests to port \d+ are blocked)$/

/** Describes why a connection failed, by its innermost causes. `fetch` itself throws only "fetch failed". */
export function causeText(error: unknown): string {
  const causes = withCauses(error)
  const known = causes.map(describe).filter((text) => text !== undefined)
  if (known.length > 0) return [...new Set(known)].join(', ')
  const innermost = causes.findLast((cause) => cause instanceof Error && cause.message !== '')
  return innermost instanceof Error ? innermost.message : String(error)
}

/** Describes an error with a code; undefined for one without. */
function describe(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (BAD_PORT.test(error.message)) return 'fetch refuses this port ("bad port")'
  const [code, address, port, host] = ['code', 'address', 'port', 'hostname'].map((name) =>
    memberOf(error, name),
  )
  // An AggregateError has the code of its errors, which have the addresses.
  if (typeof code !== 'string' || error instanceof AggregateError) return undefined
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `the host ${String(host)} is unknown (${code})`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `the certificate is for another host: ${error.message} (${code})`
  const text = TEXTS.get(code)
  // The errors of streams that decompress have no message; their causes have.
  if (text === undefined) return error.message === '' ? undefined : `${error.message} (${code})`
  const place = typeof port === 'number' ? hostAndPort(String(address), port) : address
  return typeof place === 'string' ? `${text} (${place}, ${code})` : `${text} (${code})`
}

function hostAndPort(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}
