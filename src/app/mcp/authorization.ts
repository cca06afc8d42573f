/** Authorization (basic protocol, "Authorization"): the metadata of the protected resource, and challenges that name it. */
import type { Environ, HeaderPair } from '../../wsgi/types.ts'
import { baseOf } from './base-url.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** Returns true for the paths of the metadata: the well-known one, and the one of the server at `path` (RFC 9728 §3.1). */
export function isMetadataPath(requested: string, path: string): boolean {
  return requested === WELL_KNOWN || requested === WELL_KNOWN + path
}

/** Returns the URL of the metadata for a request to the server. */
export function metadataUrl(environ: Environ): string {
  return baseOf(environ) + WELL_KNOWN + environ.PATH_INFO
}

/** The parts of a challenge. */
export interface Challenge {
  /** URL of the metadata. */
  readonly metadata: string
  readonly scopes: readonly string[]
}

/**
 * Returns header fields whose challenge names the metadata and the scopes (RFC 9728 §5.1, RFC 6750 §3). A challenge of the application
 * keeps its own parameters. A response with status 403 is only changed if the class declares scopes.
 */
export function withChallenge(
  status: number,
  fields: readonly HeaderPair[],
  { metadata, scopes }: Challenge,
): HeaderPair[] {
  const isForbidden = status === 403
  if (status !== 401 && !(isForbidden && scopes.length > 0)) return [...fields]
  const isChallenge = ([name, value]: HeaderPair) =>
    name.toLowerCase() === 'www-authenticate' && /^bearer\b/i.test(value)
  const own = fields.find(isChallenge)?.[1] ?? 'Bearer'
  const lacks = (name: string) => !new RegExp(`\\b${name}\\s*=`, 'i').test(own)
  const parameters = [
    ...(isForbidden && lacks('error') ? ['error="insufficient_scope"'] : []),
    ...(scopes.length > 0 && lacks('scope') ? [`scope="${scopes.join(' ')}"`] : []),
    ...(lacks('resource_metadata') ? [`resource_metadata="${metadata}"`] : []),
  ]
  const separator = own.toLowerCase() === 'bearer' ? ' ' : ', '
  const value = parameters.length === 0 ? own : own + separator + parameters.join(', ')
  return [...fields.filter((field) => !isChallenge(field)), ['WWW-Authenticate', value]]
}
