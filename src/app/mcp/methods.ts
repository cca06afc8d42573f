/** Methods of the protocol that every server has. */

import { invalidParams } from './mcp-errors.ts'
import type { MCPCall, ServerDescription } from './server.ts'
import { MODERN_VERSION, negotiatedVersion, type ProtocolVersion } from './versions.ts'

/** A method: its versions, and its result. */
export interface ProtocolMethod {
  isPart(version: ProtocolVersion): boolean
  result(call: MCPCall, server: ServerDescription): object
}

const isModern = (version: ProtocolVersion): boolean => version === MODERN_VERSION
const isLegacy = (version: ProtocolVersion): boolean => version !== MODERN_VERSION

/** The methods by name. */
export const PROTOCOL_METHODS: ReadonlyMap<string, ProtocolMethod> = new Map([
  ['initialize', { isPart: isLegacy, result: initialize }],
  ['ping', { isPart: isLegacy, result: () => ({}) }],
  ['server/discover', { isPart: isModern, result: discover }],
])

/** Negotiates the version and describes the server (2025-11-25, lifecycle, "Initialization"). */
function initialize({ params: { protocolVersion } }: MCPCall, server: ServerDescription): object {
  if (typeof protocolVersion !== 'string') throw invalidParams('"protocolVersion" must be a string')
  const { name, title, version, instructions, capabilities } = server
  return {
    protocolVersion: negotiatedVersion(protocolVersion),
    capabilities,
    serverInfo: { name, title, version },
    instructions,
  }
}

/** Describes the server (2026-07-28, "Discovery"). */
function discover(_call: MCPCall, { instructions, capabilities }: ServerDescription): object {
  return { supportedVersions: [MODERN_VERSION], capabilities, instructions }
}

/**
 * Checks the parameters of a list. There is one page only, so no cursor is valid.
 *
 * @throws JSONRPCError - the request has a cursor.
 */
export function checkCursor({ params: { cursor } }: Pick<MCPCall, 'params'>): void {
  if (cursor !== undefined) throw invalidParams(`there is no page ${JSON.stringify(cursor).slice(0, 100)}`)
}
