/** GET actions as resources and resource templates (server features, "Resources"). */

import type { Mapper } from '../../routing/mapper.ts'
import { encodeLiteral } from '../../routing/percent.ts'
import { applicationUrl, decodePath, encodePath } from '../../wsgi/request-url.ts'
import type { Environ } from '../../wsgi/types.ts'
import type { Operation } from '../openapi/operations.ts'
import { parametersOf } from '../openapi/parameters.ts'
import { summaryOfAction } from '../openapi/texts.ts'
import type { Catalogue, ExposedAction } from './exposed.ts'
import { innerEnviron } from './inner-request.ts'
import { descriptionOf } from './tools.ts'

/** Describes the resources that need no arguments. */
export function resourcesOf({ resources }: Catalogue, base: string): object[] {
  return [...resources.values()]
    .filter(({ operation }) => !needsArguments(operation))
    .map(({ operation }) => ({ uri: base + pathTemplateOf(operation), ...describe(operation) }))
}

/** Describes the resources with arguments. */
export function templatesOf({ resources }: Catalogue, base: string): object[] {
  return [...resources.values()]
    .filter(({ operation }) => needsArguments(operation) || parametersOf(operation).query.length > 0)
    .map(({ operation }) => ({ uriTemplate: base + uriOf(operation), ...describe(operation) }))
}

function needsArguments(operation: Operation): boolean {
  const { path, query } = parametersOf(operation)
  return path.length > 0 || query.some(({ required }) => required)
}

function describe(operation: Operation): object {
  const { id, controller, action, route } = operation
  const { schema, page } = action.result
  return {
    name: id,
    title: summaryOfAction(controller, action.name, route.resource),
    description: descriptionOf(operation),
    ...(schema !== undefined && schema !== null
      ? { mimeType: 'application/json' }
      : page !== undefined && { mimeType: 'text/html' }),
  }
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

/** A resource that a URI names, and the request that reads it. */
export interface FoundResource {
  readonly resource: ExposedAction
  readonly path: string
  readonly query: string
}

/** Returns the resource of a URI. Undefined if it is of another site, has no route, or is not listed. */
export function findResource(
  { resources }: Catalogue,
  mapper: Mapper<unknown>,
  environ: Environ,
  uri: string,
): FoundResource | undefined {
  const base = applicationUrl(environ)
  if (!uri.startsWith(`${base}/`) || !/^[\x21-\x7e]*$/.test(uri) || uri.includes('#')) return undefined
  const target = uri.slice(base.length)
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  const query = mark < 0 ? '' : target.slice(mark + 1)
  if (decodePath(path) === undefined) return undefined
  const place = placeOf(mapper, innerEnviron(environ, { method: 'GET', path, query }), path)
  const resource = place === undefined ? undefined : resources.get(place)
  return resource && { resource, path, query }
}

/**
 * Returns the controller and the action that serve a request: `books show`.
 *
 * @param environ - of the request. Conditions of routes read it.
 * @param path - percent-encoded, without the mount point.
 */
export function placeOf(mapper: Mapper<unknown>, environ: Environ, path: string): string | undefined {
  const { HTTP_HOST: host, QUERY_STRING: query, SCRIPT_NAME: scriptName, REQUEST_METHOD: method } = environ
  // Conditions read a copy. A Request that they make would stay for the call, without the limits that middleware sets.
  const context = { host, query, scriptName, environ: { ...environ } }
  const resolution = mapper.resolve(method, path, context)
  if (resolution.kind !== 'match') return undefined
  const { controller, action } = resolution.match
  return `${controller} ${(action ?? 'index').replaceAll('-', '_')}`
}
