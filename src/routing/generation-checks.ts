/**
 * What generation refuses.
 *
 * @module
 */

import type { RouteCatalogue } from './catalogue.ts'
import { GenerationError } from './errors.ts'
import type { Route } from './route.ts'
import { own, type Values } from './url-values.ts'

export function requireDefaults(route: Route, values: Values, isParameter: (name: string) => boolean): void {
  for (const [name, fixed] of route.defaultEntries) {
    const given = own(values, name)
    if (given === undefined || given === null || isParameter(name) || String(given) === fixed) continue
    throw new GenerationError(
      'E_PARAMETER_INVALID',
      `Route "${route.label}" (${route.path}) has ${name} = ${JSON.stringify(fixed)}, but ${JSON.stringify(String(given))} is given.`,
      `Leave "${name}" out, or take the route for it.`,
      { route: route.label, parameter: name, pattern: route.path, value: given },
    )
  }
}

export function requireMethod(route: Route, method: string | undefined): void {
  if (method === undefined || route.methods === null || route.methods.includes(method.toUpperCase())) return
  throw new GenerationError(
    'E_METHOD_NOT_ALLOWED',
    `Route "${route.label}" (${route.path}) does not take ${method.toUpperCase()}, only ${route.methods.join(', ')}.`,
    'Leave "method" out, or take the route for it.',
    { route: route.label, parameter: 'method', pattern: route.path, value: method },
  )
}

export function requireHost(host: string): void {
  if (/^[^\s/\\?#@%]+$/.test(host)) return
  throw new GenerationError(
    'E_HOST',
    `${JSON.stringify(host)} is not a host.`,
    'Give a host name, with a port if need be.',
    {
      parameter: 'host',
      value: host,
    },
  )
}

export function noHost(url: string): GenerationError {
  return new GenerationError(
    'E_HOST',
    `An absolute URL for "${url}" needs a host, and none is known.`,
    'Give { host } to the mapper’s generator, or with the values.',
    { parameter: 'host', pattern: url },
  )
}

export function unknownName(name: string, { names }: RouteCatalogue): GenerationError {
  const similar = [...names].filter((other) => other.includes(name) || name.includes(other)).slice(0, 3)
  return new GenerationError(
    'E_ROUTE_UNKNOWN',
    `There is no route named "${name}".`,
    similar.length > 0
      ? `Did you mean ${similar.map((other) => `"${other}"`).join(' or ')}?`
      : 'Define it, or correct the name.',
    { route: name },
  )
}
