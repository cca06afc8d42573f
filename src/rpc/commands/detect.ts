/**
 * Detects the protocol of a service.
 *
 * @module
 */

import { UsageError } from '../../base/command-line/command-errors.ts'
import { JSONRPCProtocolError, JSONRPCTransportError } from '../jsonrpc/client-errors.ts'
import { JSON_RPC } from '../jsonrpc/jsonrpc-client.ts'
import type { ServiceDocument } from '../service-types/service-document.ts'
import { transportTo } from '../transport/transport.ts'
import { Fault, XMLRPCClient, XMLRPCProtocolError, XMLRPCTransportError } from '../xmlrpc/index.ts'
import type { ConnectionOptions } from './connection.ts'
import { withoutUser } from './http.ts'
import { documentUrl, fetchDescription } from './json-service.ts'
import { discover } from './jsonrpc-service.ts'
import { isUnreachable, ServiceError } from './service.ts'

/** Protocol of a service. */
export type Protocol = 'xmlrpc' | 'jsonrpc' | 'json'

/** A service that was found. */
export interface Detected {
  readonly protocol: Protocol
  readonly url: string
  /** Document of the service; null if it has none, undefined if that is unknown. */
  readonly document?: ServiceDocument | null
}

/** Returns the reason if the service does not answer by the protocol. */
type Probe = (url: string, options: ConnectionOptions) => Promise<Detected | string>

/**
 * Finds out how a service is called. The URL of an OpenRPC or OpenAPI document means the service that it describes.
 * Any other URL is sent a call that changes nothing, by each protocol, until there is an answer.
 *
 * @param protocol - the protocol, if it is known.
 * @throws ServiceError - the service does not answer by any protocol.
 * @throws an error of the connection.
 */
export async function detect(
  url: string,
  options: ConnectionOptions,
  protocol: Protocol | undefined,
): Promise<Detected> {
  if (isDocumentUrl(url)) return described(url, await fetchDescription(url, options), protocol)
  if (protocol !== undefined) return { protocol, url }
  const probes = /json/i.test(url)
    ? [probeJSONRPC, probeXMLRPC, probeJSON]
    : [probeXMLRPC, probeJSONRPC, probeJSON]
  const reasons: string[] = []
  for (const probe of probes) {
    const detected = await probe(url, options)
    if (typeof detected !== 'string') return detected
    reasons.push(detected)
  }
  throw new ServiceError(
    `${withoutUser(url)} answers by no protocol (${reasons.join('; ')}). Correct the URL, or choose a protocol with --protocol.`,
  )
}

function isDocumentUrl(url: string): boolean {
  const { protocol = '', pathname = '' } = URL.parse(url) ?? {}
  return /^https?:$/.test(protocol) && /\.json$/i.test(pathname)
}

/** Returns the service that a document describes. Its URL is relative to the document, and the folder of it by default. */
function described(url: string, document: ServiceDocument, protocol: Protocol | undefined): Detected {
  const server = document.server ?? '.'
  const service = URL.parse(server, url)
  if (service === null || !/^https?:$/.test(service.protocol)) {
    throw new ServiceError(
      `${withoutUser(url)}: the URL of the server, ${JSON.stringify(server)}, is not one of http or https`,
    )
  }
  const usual = document.format === 'OpenRPC' ? 'jsonrpc' : 'json'
  return { protocol: protocol ?? usual, url: service.href, document }
}

const probeXMLRPC: Probe = async (url, options) => {
  try {
    await new XMLRPCClient(url, options).call('system.listMethods')
  } catch (error) {
    if (error instanceof XMLRPCProtocolError) return 'XML-RPC: the response is another document'
    if (error instanceof XMLRPCTransportError && isOtherProtocol(error.status))
      return `XML-RPC: HTTP status ${error.status}`
    if (!(error instanceof Fault)) throw error
  }
  return { protocol: 'xmlrpc', url }
}

const probeJSONRPC: Probe = async (url, options) => {
  try {
    return { protocol: 'jsonrpc', url, document: await discover(transportTo(url, options, JSON_RPC)) }
  } catch (error) {
    if (error instanceof JSONRPCTransportError && isOtherProtocol(error.status))
      return `JSON-RPC: HTTP status ${error.status}`
    if (error instanceof JSONRPCProtocolError) return 'JSON-RPC: the response is another document'
    throw error
  }
}

const probeJSON: Probe = async (url, options) => {
  if (!/^https?:/i.test(url)) return 'plain JSON: no openapi.json'
  try {
    return { protocol: 'json', url, document: await fetchDescription(documentUrl(url), options) }
  } catch (error) {
    if (isUnreachable(error) || !(error instanceof ServiceError)) throw error
    return 'plain JSON: no openapi.json'
  }
}

/** Returns true for the status of a server that does not read the protocol, but not for one that refuses the caller. */
function isOtherProtocol(status: number | undefined): boolean {
  return status !== undefined && ![401, 403, 407, 429].includes(status)
}

/** Reads the option `--protocol`. */
export function protocolOf(text: string | undefined): Protocol | undefined {
  if (text === undefined || text === 'xmlrpc' || text === 'jsonrpc' || text === 'json') return text
  throw new UsageError(`'--protocol' is '${text}'`, 'choose xmlrpc, jsonrpc or json')
}
