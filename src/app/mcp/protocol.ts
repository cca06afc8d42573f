/**
 * Requests of the Model Context Protocol. A request of the versions with `initialize` has its version in a header. A
 * request of 2026-07-28 has version, capabilities and wishes in `_meta`, and repeats some of its values in headers.
 */
import { decodeBase64 } from '../../base/base64.ts'
import { describeValue } from '../../base/describe.ts'
import { isRecord } from '../../base/record.ts'
import type { JSONSchema } from '../../http/converters/json-schema.ts'
import { environKey } from '../../wsgi/environ.ts'
import type { Environ } from '../../wsgi/types.ts'
import { type Batch, invalidParams, invalidRequest, JSONRPCError, JSONRPCErrorCode } from './jsonrpc.ts'

/** Version without `initialize`, in which each request states its version and the capabilities of the client. */
export const MODERN_VERSION = '2026-07-28'

/** Versions that begin with `initialize`, newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

/** A version that this server implements: the date of the last change that is not backwards compatible. */
export type ProtocolVersion = typeof MODERN_VERSION | (typeof LEGACY_VERSIONS)[number]

/**
 * Version of a request without a header for it (transports, "Protocol Version Header"), and the only one with
 * batches.
 */
const DEFAULT_VERSION: ProtocolVersion = '2025-03-26'

/** Error codes that the protocol defines (basic protocol, "Error Codes"). */
export const MCPErrorCode = { headerMismatch: -32020, unsupportedVersion: -32022 } as const

/** Severities of log messages, least severe first (RFC 5424 §6.2.1). */
const LOG_LEVELS: readonly unknown[] = 'debug info notice warning error critical alert emergency'.split(' ')

const META = 'io.modelcontextprotocol/'

/** Identifies a request. Unlike in JSON-RPC it is never null, and a number is a safe integer. */
export type RequestId = string | number

/** A request of a client, with its version and its wishes. */
export interface MCPCall {
  readonly id: RequestId
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  readonly version: ProtocolVersion
  /** Identifies the progress notifications that the client wants. Undefined if it wants none. */
  readonly progressToken: RequestId | undefined
  /** Index of the least severe log messages that the client wants. Infinity if it wants none. */
  readonly leastLevel: number
  /** The batch that it is part of, which can contain neither an HTTP response nor a stream. */
  readonly batch: Batch | undefined
}

/** Returns true if a client wants the log messages of a level. */
export function wantsLog({ leastLevel }: MCPCall, level: unknown): boolean {
  return LOG_LEVELS.indexOf(level) >= leastLevel
}

/** Returns true if a client wants notifications about a call that is in progress. */
export function wantsNotifications({ progressToken, leastLevel }: MCPCall): boolean {
  return progressToken !== undefined || leastLevel < LOG_LEVELS.length
}

/**
 * Reads a message of a client.
 *
 * @returns undefined for a message that is not answered: a notification, such as a cancellation, or a response.
 * @throws JSONRPCError - the message is malformed, its version is unknown, `_meta` is incomplete, or a header is
 *   missing or has another value than the body. The status of the response is 400.
 */
export function readCall(environ: Environ, message: unknown, batch: Batch | undefined): MCPCall | undefined {
  if (!isRecord(message)) throw invalidRequest('a message is an object')
  const { jsonrpc, id, method } = message
  const params = message.params ?? {}
  if (jsonrpc !== '2.0') throw invalidRequest('"jsonrpc" must be "2.0"')
  const isResponse = method === undefined && ('result' in message || 'error' in message)
  if (typeof method !== 'string' && !isResponse) throw invalidRequest('"method" must be a string')
  if (!isRecord(params)) throw invalidRequest('"params" must be an object')
  const meta = isRecord(params._meta) ? params._meta : {}
  const { HTTP_MCP_PROTOCOL_VERSION: header } = environ
  // The header is the result of the negotiation, so the first message does not depend on it.
  const isFirst = method === 'initialize'
  const isModern = meta[`${META}protocolVersion`] !== undefined || (!isFirst && header === MODERN_VERSION)
  const isCall = method !== undefined && id !== undefined
  const version = isFirst || (isModern && isCall) ? LEGACY_VERSIONS[0] : knownVersion(header)
  if (!isCall) return undefined
  if (!isRequestId(id)) throw invalidRequest('"id" must be a string or a safe integer')
  const token = isRequestId(meta.progressToken) ? meta.progressToken : undefined
  const call = { id, method, params, progressToken: token, batch }
  if (!isModern) return { ...call, version, leastLevel: Number.POSITIVE_INFINITY }
  checkModern(environ, call, meta)
  const level = meta[`${META}logLevel`]
  const leastLevel = level === undefined ? Number.POSITIVE_INFINITY : LOG_LEVELS.indexOf(level)
  if (leastLevel < 0) throw invalidParams(`there is no log level ${describeValue(level)}`)
  return { ...call, version: MODERN_VERSION, leastLevel }
}

/** Returns the id of a message that may be malformed. Null if it has none. */
export function requestIdOf(message: unknown): RequestId | null {
  return isRecord(message) && isRequestId(message.id) ? message.id : null
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id)
}

const VERSIONS = [MODERN_VERSION, ...LEGACY_VERSIONS] as const

/** @throws JSONRPCError - -32000: there is no such version. */
function knownVersion(header: string = DEFAULT_VERSION): ProtocolVersion {
  const version = VERSIONS.find((each) => each === header)
  if (version !== undefined) return version
  const message = `Bad Request: the header MCP-Protocol-Version must be one of ${VERSIONS.join(', ')}`
  throw new JSONRPCError(JSONRPCErrorCode.httpError, message)
}

/** @throws JSONRPCError - -32600: the version has no batches, or the number of messages is not allowed. */
export function checkBatch(length: number, environ: Environ, limit: number): void {
  const { HTTP_MCP_PROTOCOL_VERSION: header = DEFAULT_VERSION } = environ
  if (header !== DEFAULT_VERSION) {
    throw invalidRequest(`version ${header.slice(0, 50)} of the protocol has no batches`)
  }
  if (length === 0 || length > limit) throw invalidRequest(`a batch holds 1 to ${limit} messages, not ${length}`)
}

/** Checks a request of version 2026-07-28 (Streamable HTTP, "Server Validation"). */
function checkModern(
  environ: Environ,
  { method, params }: Pick<MCPCall, 'method' | 'params'>,
  meta: Readonly<Record<string, unknown>>,
): void {
  for (const name of ['protocolVersion', 'clientCapabilities']) {
    if (meta[META + name] === undefined) throw invalidParams(`"_meta" lacks "${META}${name}"`)
  }
  const requested = meta[`${META}protocolVersion`]
  checkHeader(environ, 'MCP-Protocol-Version', requested)
  if (requested !== MODERN_VERSION) {
    const data = { supported: [MODERN_VERSION], requested }
    throw new JSONRPCError(MCPErrorCode.unsupportedVersion, 'Unsupported protocol version', data)
  }
  checkHeader(environ, 'Mcp-Method', method)
  if (method === 'tools/call' || method === 'prompts/get') checkHeader(environ, 'Mcp-Name', params.name)
  if (method === 'resources/read') checkHeader(environ, 'Mcp-Name', params.uri)
}

/**
 * Checks that a header has the value of the body. Numbers are compared as numbers.
 *
 * @throws JSONRPCError - -32020.
 */
function checkHeader(environ: Environ, name: string, value: unknown): void {
  const sent = environ[environKey(name) ?? '']
  const text = typeof sent === 'string' ? decodedHeader(sent) : undefined
  if (text === String(value)) return
  if (typeof value === 'number' && text !== undefined && /\d/.test(text) && Number(text) === value) return
  const problem =
    sent === undefined
      ? `the header ${name} is missing`
      : `the header ${name} is ${describeValue(sent, 100)}, the body has ${describeValue(value, 100)}`
  throw new JSONRPCError(MCPErrorCode.headerMismatch, `Header mismatch: ${problem}`)
}

/** Returns the text of a header: `=?base64?…?=` has UTF-8 in base64. Undefined if that is malformed. */
function decodedHeader(value: string): string | undefined {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value) ?? []
  if (encoded === undefined) return value
  const bytes = /[ \t]/.test(encoded) ? undefined : decodeBase64(encoded)
  return bytes && new TextDecoder().decode(bytes)
}

/**
 * Checks the header fields `Mcp-Param-…` that repeat arguments of a tool, as `x-mcp-header` in the schema of the
 * arguments names (Streamable HTTP, "Custom Headers from Tool Parameters").
 *
 * @throws JSONRPCError - -32020: one is missing, or has another value than the body.
 */
export function checkParameterHeaders(environ: Environ, schema: JSONSchema, value: unknown): void {
  const { properties } = schema
  if (!isRecord(properties) || !isRecord(value)) return
  for (const [name, property] of Object.entries(properties)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined
    if (!isRecord(property) || given === undefined || given === null) continue
    const { 'x-mcp-header': header } = property
    if (typeof header === 'string') checkHeader(environ, `Mcp-Param-${header}`, given)
    checkParameterHeaders(environ, property, given)
  }
}
