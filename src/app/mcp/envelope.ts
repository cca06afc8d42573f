/** The version of a request, and the metadata that requests of version 2026-07-28 have in their headers and in `_meta`. */
import { decodeBase64 } from '../../base/base64.ts'
import { describeValue } from '../../base/describe.ts'
import { isRecord } from '../../base/record.ts'
import type { JSONSchema } from '../../http/converters/json-schema.ts'
import { JSONRPCError, JSONRPCErrorCode } from '../../http/jsonrpc/error.ts'
import { environKey } from '../../wsgi/environ.ts'
import type { Environ } from '../../wsgi/types.ts'
import { invalidParams, MCPErrorCode } from './mcp-errors.ts'
import { LEGACY_VERSIONS, legacyVersion, MODERN_VERSION, type ProtocolVersion } from './versions.ts'

const META = 'io.modelcontextprotocol/'

/** Severities of log messages, least severe first (RFC 5424 §6.2.1). */
const LOG_LEVELS: readonly unknown[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

/** The version and the wishes of a request. */
export interface Envelope {
  readonly version: ProtocolVersion
  /** Identifies the progress notifications that the client wants. Undefined if it wants none. */
  readonly progressToken: string | number | undefined
  /** Returns true if the client wants log messages of a level. */
  wantsLog(level: unknown): boolean
}

interface Enveloped {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/**
 * Reads the version of a request, and checks that its headers match its body.
 *
 * @throws JSONRPCError - the version is unknown, a header is missing or does not match, or `_meta` is incomplete. The status of the
 *   response is 400.
 */
export function readEnvelope(environ: Environ, request: Enveloped): Envelope {
  const { HTTP_MCP_PROTOCOL_VERSION: header } = environ
  const { _meta: sent } = request.params
  const meta = isRecord(sent) ? sent : {}
  const stated = meta[`${META}protocolVersion`]
  const { progressToken } = meta
  const token = typeof progressToken === 'string' || Number.isSafeInteger(progressToken)
  const wishes = { progressToken: token ? (progressToken as string | number) : undefined }
  if (stated === undefined && header !== MODERN_VERSION) {
    const version = legacyVersion(header)
    if (version === undefined) {
      const versions = [MODERN_VERSION, ...LEGACY_VERSIONS].join(', ')
      const message = `Bad Request: the header MCP-Protocol-Version must be one of ${versions}`
      throw new JSONRPCError(JSONRPCErrorCode.httpError, message)
    }
    return { ...wishes, version, wantsLog: () => false }
  }
  checkModern(environ, request, meta)
  const level = meta[`${META}logLevel`]
  const least = LOG_LEVELS.indexOf(level)
  if (level !== undefined && least < 0) throw invalidParams(`there is no log level ${describeValue(level)}`)
  return {
    ...wishes,
    version: MODERN_VERSION,
    wantsLog: (each) => least >= 0 && LOG_LEVELS.indexOf(each) >= least,
  }
}

/** Checks a request of version 2026-07-28 (Streamable HTTP, "Server Validation"). */
function checkModern(
  environ: Environ,
  { method, params }: Enveloped,
  meta: Readonly<Record<string, unknown>>,
): void {
  const version = meta[`${META}protocolVersion`]
  for (const name of ['protocolVersion', 'clientCapabilities']) {
    if (meta[META + name] === undefined) throw invalidParams(`"_meta" lacks "${META}${name}"`)
  }
  checkHeader(environ, 'MCP-Protocol-Version', version)
  if (version !== MODERN_VERSION) throw unsupported(version)
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
  if (text === String(value) || (typeof value === 'number' && isNumber(text, value))) return
  const problem =
    sent === undefined
      ? `the header ${name} is missing`
      : `the header ${name} is ${describeValue(sent, 100)}, the body has ${describeValue(value, 100)}`
  throw new JSONRPCError(MCPErrorCode.headerMismatch, `Header mismatch: ${problem}`)
}

function isNumber(text: string | undefined, value: number): boolean {
  return text !== undefined && /\d/.test(text) && Number(text) === value
}

/** Returns the text of a header: `=?base64?…?=` has UTF-8 in base64. Undefined if that is malformed. */
function decodedHeader(value: string): string | undefined {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value) ?? []
  if (encoded === undefined) return value
  const bytes = /[ \t]/.test(encoded) ? undefined : decodeBase64(encoded)
  return bytes && new TextDecoder().decode(bytes)
}

function unsupported(requested: unknown): JSONRPCError {
  const data = { supported: [MODERN_VERSION], requested }
  return new JSONRPCError(MCPErrorCode.unsupportedVersion, 'Unsupported protocol version', data)
}

/**
 * Checks the header fields `Mcp-Param-…` that repeat arguments of a tool, as `x-mcp-header` in the schema of the arguments names (Streamable
 * HTTP, "Custom Headers from Tool Parameters").
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
