/** Path templates of OpenAPI, from the patterns of routes. */
import type { Parameter, PathPart } from '../../routing/pattern.ts'
import { encodeLiteral } from '../../routing/percent.ts'
import type { Requirement } from '../../routing/requirement.ts'
import type { Route } from '../../routing/route.ts'

/** A path of a document with its parameters. */
export interface PathTemplate {
  /** `/books/{id}` */
  readonly path: string
  /** The path with positions in place of names, which paths of a document must not share: `/books/{}`. */
  readonly shape: string
  readonly parameters: readonly Parameter[]
}

/** Returns the template of a route, without an optional suffix for the format. */
export function templateOf({ pattern }: Route): PathTemplate {
  const parts = pattern.parts.filter((part) => part.kind === 'literal' || !part.suffix)
  const write = (part: PathPart, name: string) =>
    part.kind === 'literal' ? encodeLiteral(part.text) : `{${name}}`
  return {
    path: parts.map((part) => write(part, part.kind === 'literal' ? '' : part.name)).join(''),
    shape: parts.map((part) => write(part, '')).join(''),
    parameters: parts.filter((part) => part.kind === 'parameter'),
  }
}

/** Returns true for the second route that a resource has for each path: `/books.{format}` beside `/books`. */
export function isFormatted({ resource, pattern: { parts } }: Route): boolean {
  return resource !== undefined && parts.some((part) => part.kind === 'parameter' && part.name === 'format')
}

/**
 * Returns a requirement as the pattern of a JSON Schema. Undefined if it accepts every value, or if the pattern cannot express
 * it: JSON Schema has no flags but `u`.
 */
export function jsonPattern(requirement: Requirement): string | undefined {
  const { source, regex } = requirement
  if (ANYTHING.has(source) || regex.ignoreCase || !regex.unicode) return undefined
  return source.includes('|') ? `^(?:${source})$` : `^${source}$`
}

/** Requirements that accept every value that a path can have. */
const ANYTHING: ReadonlySet<string> = new Set(['.*', '.+', '[^/]+', '[^/]*'])
