/**
 * The path syntax: `{name}`, `{name:regex}`, `{.format}`, and the older `:name`, `:(name)`, `*name`, `*(name)`.
 *
 * @module
 */

import { RouteDefinitionError } from './errors.ts'

/** A piece of a route's path as written. */
export type TemplatePart =
  | { readonly kind: 'literal'; readonly text: string }
  | {
      readonly kind: 'parameter'
      readonly name: string
      /** The regular expression written inside the braces. */
      readonly regex: string | undefined
      /** True for `{.name}`: a dot and a value, or nothing. */
      readonly suffix: boolean
      /** True for `*name`: one or more of any characters. */
      readonly star: boolean
    }

const IDENTIFIER = /[\p{ID_Start}_$][\p{ID_Continue}$]*/uy
const WHOLE_IDENTIFIER = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u
const ESCAPABLE = '\\:*{}'

/**
 * Takes a route's path apart.
 *
 * @param template - the path as written; a backslash before one of `\ : * { }` makes it literal.
 * @param bracesOnly - only `{…}` is a parameter, as in static routes, where `:` belongs to `https://`.
 * @throws RouteDefinitionError E_ROUTE_SYNTAX for an unclosed brace or a name that is no identifier, E_ROUTE_PARAMETER for a
 *   name that occurs twice.
 */
export function parseTemplate(template: string, bracesOnly = false): TemplatePart[] {
  const parts: TemplatePart[] = []
  const names = new Set<string>()
  let literal = ''
  const flush = () => {
    if (literal) parts.push({ kind: 'literal', text: literal })
    literal = ''
  }
  let at = 0
  while (at < template.length) {
    const character = template.charAt(at)
    if (character === '\\' && ESCAPABLE.includes(template.charAt(at + 1)) && at + 1 < template.length) {
      literal += template.charAt(at + 1)
      at += 2
      continue
    }
    const found =
      character === '{' ? braced(template, at) : bracesOnly ? undefined : oldSpelling(template, at)
    if (!found) {
      literal += character
      at++
      continue
    }
    flush()
    if (found.part.kind === 'parameter') refuseTwice(names, found.part.name, template)
    parts.push(found.part)
    at = found.end
  }
  flush()
  return parts
}

function refuseTwice(names: Set<string>, name: string, template: string): void {
  if (names.has(name)) {
    throw new RouteDefinitionError(
      'E_ROUTE_PARAMETER',
      `The path "${template}" has the parameter "${name}" twice.`,
      'Give each parameter of a path its own name.',
      { route: template, parameter: name, pattern: template },
    )
  }
  names.add(name)
}

interface Found {
  readonly part: TemplatePart
  readonly end: number
}

function braced(template: string, start: number): Found {
  const suffix = template.charAt(start + 1) === '.'
  const nameStart = start + (suffix ? 2 : 1)
  const close = closingBrace(template, start)
  const inside = template.slice(nameStart, close)
  const colon = inside.indexOf(':')
  const name = colon < 0 ? inside : inside.slice(0, colon)
  if (!WHOLE_IDENTIFIER.test(name)) {
    throw new RouteDefinitionError(
      'E_ROUTE_SYNTAX',
      `"${template.slice(start, close + 1)}" in the path "${template}" does not begin with a name.`,
      'Write {name} or {name:regex}; put a backslash before a brace that is meant literally.',
      { route: template, pattern: template },
    )
  }
  const regex = colon < 0 ? undefined : inside.slice(colon + 1)
  return { part: { kind: 'parameter', name, regex, suffix, star: false }, end: close + 1 }
}

/** The index of the `}` that closes the brace at `start`: escapes, character classes and inner braces are part of the regex. */
function closingBrace(template: string, start: number): number {
  let depth = 0
  let inClass = false
  let inRegex = false
  for (let index = start + 1; index < template.length; index++) {
    const character = template[index]
    if (!inRegex) {
      if (character === '}') return index
      inRegex = character === ':'
    } else if (character === '\\') index++
    else if (inClass) inClass = character !== ']'
    else if (character === '[') inClass = true
    else if (character === '{') depth++
    else if (character === '}' && depth-- === 0) return index
  }
  throw new RouteDefinitionError(
    'E_ROUTE_SYNTAX',
    `A brace in the path "${template}" is not closed.`,
    'Close it, or put a backslash before a brace that is meant literally.',
    { route: template, pattern: template },
  )
}

function oldSpelling(template: string, start: number): Found | undefined {
  const sign = template.charAt(start)
  if (sign !== ':' && sign !== '*') return undefined
  const inParentheses = template.charAt(start + 1) === '('
  const nameStart = start + (inParentheses ? 2 : 1)
  IDENTIFIER.lastIndex = nameStart
  const name = IDENTIFIER.exec(template)?.[0]
  if (name === undefined) return undefined
  const nameEnd = nameStart + name.length
  if (inParentheses && template.charAt(nameEnd) !== ')') return undefined
  return {
    part: { kind: 'parameter', name, regex: undefined, suffix: false, star: sign === '*' },
    end: nameEnd + (inParentheses ? 1 : 0),
  }
}
