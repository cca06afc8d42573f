/** Messages of the Model Context Protocol (basic protocol, "Messages"), which are JSON-RPC 2.0 with a few restrictions. */
import { isRecord } from '../../base/record.ts'

/** Identifies a request. Unlike in JSON-RPC it is never null, and a number is a safe integer. */
export type RequestId = string | number

/** A message of a client. */
export type ClientMessage =
  | {
      readonly kind: 'request'
      readonly id: RequestId
      readonly method: string
      readonly params: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'notification' }
  /** A response to a request of the server, which this server never sends. */
  | { readonly kind: 'response' }
  | { readonly kind: 'invalid'; readonly id: RequestId | null; readonly problem: string }

/** Classifies a message. */
export function readClientMessage(message: unknown): ClientMessage {
  if (!isRecord(message)) return { kind: 'invalid', id: null, problem: 'a message is an object' }
  const { jsonrpc, id, method, params = {} } = message
  const known = isRequestId(id) ? id : null
  const invalid = (problem: string): ClientMessage => ({ kind: 'invalid', id: known, problem })
  if (jsonrpc !== '2.0') return invalid('"jsonrpc" must be "2.0"')
  if (method === undefined && ('result' in message || 'error' in message)) return { kind: 'response' }
  if (typeof method !== 'string') return invalid('"method" must be a string')
  if (!isRecord(params)) return invalid('"params" must be an object')
  if (id === undefined) return { kind: 'notification' }
  if (!isRequestId(id)) return invalid('"id" must be a string or a safe integer')
  return { kind: 'request', id, method, params }
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id)
}

/** Protocol versions that this server implements, newest first. */
export const PROTOCOL_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

/** A protocol version: the date of its last change that is not backwards compatible. */
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number]

/** Version of a request without the header `MCP-Protocol-Version` (transports, "Protocol Version Header"). */
const DEFAULT_VERSION: ProtocolVersion = '2025-03-26'

/**
 * Returns the version of a request by its header `MCP-Protocol-Version`, or undefined if this server does not implement it.
 */
export function requestVersion(header: string | undefined): ProtocolVersion | undefined {
  return header === undefined ? DEFAULT_VERSION : PROTOCOL_VERSIONS.find((version) => version === header)
}

/** Returns the version to which `initialize` agrees: the client's, or the newest (lifecycle, "Version Negotiation"). */
export function negotiatedVersion(requested: string): ProtocolVersion {
  return PROTOCOL_VERSIONS.find((version) => version === requested) ?? PROTOCOL_VERSIONS[0]
}

/** Whether several messages may be sent as an array, which only one version allows. */
export function allowsBatches(version: ProtocolVersion): boolean {
  return version === '2025-03-26'
}

/** Whether wrong arguments are a result for the language model to read, rather than an error of the protocol. */
export function reportsWrongArgumentsAsResult(version: ProtocolVersion): boolean {
  return version >= '2025-11-25'
}
