/** Versions of the Model Context Protocol: the dates of the last changes that are not backwards compatible. */

/** Version without `initialize`, in which each request states its version and the capabilities of the client. */
export const MODERN_VERSION = '2026-07-28'

/** Versions that begin with `initialize`, newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

/** A version that this server implements. */
export type ProtocolVersion = typeof MODERN_VERSION | (typeof LEGACY_VERSIONS)[number]

/** Version of a request without the header `MCP-Protocol-Version` (transports, "Protocol Version Header"). */
const DEFAULT_VERSION: ProtocolVersion = '2025-03-26'

/** Returns the version of a request by its header `MCP-Protocol-Version`, or undefined if it has no such version. */
export function legacyVersion(header: string | undefined): ProtocolVersion | undefined {
  return header === undefined ? DEFAULT_VERSION : LEGACY_VERSIONS.find((version) => version === header)
}

/** Returns the version to which `initialize` agrees: the client's, or the newest (lifecycle, "Version Negotiation"). */
export function negotiatedVersion(requested: string): ProtocolVersion {
  return LEGACY_VERSIONS.find((version) => version === requested) ?? LEGACY_VERSIONS[0]
}

/** Whether several messages may be sent as an array, which only one version allows. */
export function allowsBatches(version: ProtocolVersion): boolean {
  return version === '2025-03-26'
}

/** Whether wrong arguments are a result for the language model to read, rather than an error of the protocol. */
export function reportsWrongArgumentsAsResult(version: ProtocolVersion): boolean {
  return version >= '2025-11-25'
}
