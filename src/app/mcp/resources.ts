/** GET actions as resources and resource templates (server features, "Resources"). */
import type { Steps } from '../../controllers/call.ts'
import { encodeLiteral } from '../../routing/percent.ts'
import { decodePath, encodePath } from '../../wsgi/request-url.ts'
import type { Environ } from '../../wsgi/types.ts'
import type { Operation } from '../openapi/operations.ts'
import { parametersOf } from '../openapi/parameters.ts'
import { textsOf } from './action-tools.ts'
import { type CacheHint, type MCPAnswer, resourceContents } from './answers.ts'
import { type Catalogue, isGuarded } from './catalogue.ts'
import { type InnerRequest, type InnerRequests, type InnerResponse, requiredBody } from './inner-requests.ts'
import { invalidParams, JSONRPCError, JSONRPCErrorCode } from './jsonrpc.ts'
import type { MCPCall } from './protocol.ts'
import { hasCredentials } from './server.ts'

/** Describes the resources that need no arguments. */
export function resourcesOf({ resources }: Catalogue, base: string): object[] {
  return [...resources.values()]
    .filter((operation) => !needsArguments(operation))
    .map((operation) => ({ uri: base + pathTemplateOf(operation), ...describe(operation) }))
}

/** Describes the resources with arguments. */
export function templatesOf({ resources }: Catalogue, base: string): object[] {
  return [...resources.values()]
    .filter((operation) => needsArguments(operation) || parametersOf(operation).query.length > 0)
    .map((operation) => ({ uriTemplate: base + uriOf(operation), ...describe(operation) }))
}

function needsArguments(operation: Operation): boolean {
  const { path, query } = parametersOf(operation)
  return path.length > 0 || query.some(({ required }) => required)
}

function describe(operation: Operation): object {
  const { schema, page } = operation.action.result
  const hasSchema = schema !== undefined && schema !== null
  const mimeType = hasSchema ? 'application/json' : page === undefined ? undefined : 'text/html'
  return { name: operation.id, ...textsOf(operation), mimeType }
}

/** Returns the path of a resource with its query, as a URI template if it has arguments (RFC 6570). */
export function uriOf(operation: Operation): string {
  const names = parametersOf(operation).query.map(({ name }) => name)
  return pathTemplateOf(operation) + (names.length === 0 ? '' : `{?${names.join(',')}}`)
}

function pathTemplateOf({ controller, action, route }: Operation): string {
  const fixed: Readonly<Record<string, string>> = { controller, action: action.name }
  const path = route.pattern.parts.map((part) => {
    if (part.kind === 'literal') return encodeLiteral(part.text)
    if (part.suffix) return ''
    const value = fixed[part.name]
    if (value !== undefined) return encodePath(value)
    return part.requirement?.spans === true ? `{+${part.name}}` : `{${part.name}}`
  })
  return path.join('')
}

/** Answers `resources/read`. */
export function* readResource(inner: InnerRequests, { resources }: Catalogue, call: MCPCall): Steps<MCPAnswer> {
  const { uri } = call.params
  if (typeof uri !== 'string') throw invalidParams('"uri" must be a string')
  const fail = (text: string) => new JSONRPCError(JSONRPCErrorCode.invalidParams, text, { uri })
  const request = requestFor(uri, inner.base)
  if (request === undefined) throw fail('Resource not found')
  const environ = inner.environOf(request)
  const resource = resources.get(inner.placeOf(environ, request.path) ?? '')
  if (resource === undefined) throw fail('Resource not found')
  const response = yield* inner.run(environ, resource.controllerClass)
  const { status, statusLine } = response
  if (status >= 400) {
    const refused = (text: string) => fail(status === 404 ? 'Resource not found' : text)
    return yield* inner.refusal(call, response, (text) => ({ kind: 'error', error: refused(text) }))
  }
  const body = yield* requiredBody(response)
  if (status >= 300) throw fail(`${statusLine}: ${response.header('location')}`)
  const contents = [resourceContents(body, uri)]
  return { kind: 'result', json: JSON.stringify({ contents }), cache: cacheHint(inner.environ, response) }
}

/** Returns the request for a URI. Undefined for one of another site. */
function requestFor(uri: string, base: string): InnerRequest | undefined {
  if (!uri.startsWith(`${base}/`) || !/^[\x21-\x7e]*$/.test(uri) || uri.includes('#')) return undefined
  const [, path = '', query = ''] = /^([^?]*)\??(.*)$/.exec(uri.slice(base.length)) ?? []
  return decodePath(path) === undefined ? undefined : { method: 'GET', path, query }
}

/**
 * Returns the hint for a response, by its header fields. It is private unless it says `public`, because middleware
 * may guard it. Credentials and guards make it private in any case.
 */
function cacheHint(environ: Environ, { header, controllerClass }: InnerResponse): CacheHint {
  const directives = header('cache-control')
    .toLowerCase()
    .split(',')
    .map((each) => each.trim())
  const maxAge = directives.map((each) => /^max-age=(\d{1,9})$/.exec(each)?.[1]).find(Boolean)
  const isStale = directives.includes('no-store') || directives.includes('no-cache')
  const varies = /\b(?:cookie|authorization)\b|\*/i.test(header('vary'))
  const isOpen = directives.includes('public') && !isStale && !varies && !isGuarded(controllerClass)
  return {
    ttlMs: isStale ? 0 : Number(maxAge ?? 0) * 1000,
    cacheScope: isOpen && !hasCredentials(environ) ? 'public' : 'private',
  }
}
