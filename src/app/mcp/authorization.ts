/** Authorization (basic protocol, "Authorization"): the metadata of the protected resource, challenges that name it, and the scopes of tokens. */
import { describeController } from '../../controllers/action-description.ts'
import type { ControllerClass } from '../../controllers/controller-class.ts'
import { applicationUrl, encodePath } from '../../wsgi/request-url.ts'
import type { Environ, HeaderPair } from '../../wsgi/types.ts'
import type { Catalogue } from './exposed.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/**
 * Key of a static member of controllers that are servers of the protocol themselves: the name of the action at whose path they
 * answer, or undefined.
 */
export const SERVER_ACTION: unique symbol = Symbol('propylon.mcpAction')

/** Returns the path of the server whose metadata are at a path (RFC 9728 §3.1): empty for the first server. Undefined for other paths. */
export function describedPath(requested: string): string | undefined {
  const path = requested.slice(WELL_KNOWN.length)
  return requested.startsWith(WELL_KNOWN) && (path === '' || path.startsWith('/')) ? path : undefined
}

/**
 * Returns the URL of the metadata of the server at a path.
 *
 * @param path - not percent-encoded.
 */
export function metadataUrl(environ: Environ, path: string): string {
  return applicationUrl(environ) + WELL_KNOWN + encodePath(path)
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

/** Returns the scopes of tokens that `static security` of a class names. */
export function scopesOf(controllerClass: ControllerClass): string[] {
  const requirements = describeController(controllerClass).security ?? []
  return [...new Set(requirements.flatMap((requirement) => Object.values(requirement).flat()))]
}

/** Returns the scopes of all classes that declare something. */
export function allScopes({ tools, resources, prompts }: Catalogue): string[] {
  const classes = new Set([
    ...[...tools.values(), ...resources.values()].map(({ operation }) => operation.controllerClass),
    ...[...prompts.values()].map(({ controllerClass }) => controllerClass),
  ])
  return [...new Set([...classes].flatMap(scopesOf))].sort()
}
