/**
 * The path of a route: `{name}`, `{name:regex}`, `{.format}`, and the older `:name`, `:(name)`, `*name`, `*(name)`.
 *
 * @module
 */

import { MAX_BACKTRACKING_LENGTH } from './backtracking.ts'
import type { ControllerNames } from './conditions.ts'
import { RouteDefinitionError } from './errors.ts'
import { decodeLiteral, decodeMarked } from './percent.ts'
import { compileRegex } from './regex.ts'
import { compileRequirement, oneOf, type Requirement } from './requirement.ts'

/** Literal text of a path. */
export interface Literal {
  readonly kind: 'literal'
  readonly text: string
}

/** A parameter of a path. */
export interface Parameter {
  readonly kind: 'parameter'
  readonly name: string
  /** Null if every non-empty text without a slash matches. */
  readonly requirement: Requirement | null
  /** True for `{.name}`: a dot and a value, or nothing. */
  readonly suffix: boolean
  /** True for `{controller}`, whose values are the known controllers. */
  readonly controller: boolean
  /** A character that the value may contain only if it is escaped; '' for none. */
  readonly separator: string
  /** Values that are the names of other pages of the same resource. */
  readonly reserved: ReadonlySet<string> | null
  /** Endings of the value that would be read as a suffix unless their dot is escaped. */
  readonly suffixes: RegExp | null
  /** True if every text that is not empty matches. */
  readonly bare: boolean
}

/** A part of a path. */
export type PathPart = Literal | Parameter

/** How to compile the parameters of a path. */
export interface PatternOptions {
  readonly requirements: Readonly<Record<string, string | RegExp>>
  /** Known formats of `{.format}`; null for any. */
  readonly formats: readonly string[] | null
  /** True if the path is a URL to generate, in which only `{name}` is a parameter. */
  readonly static?: boolean
  /** True for a path of a resource, in which a format never contains a dot. */
  readonly resource?: boolean
  /** The parameter that identifies a member of a resource. */
  readonly member?: { readonly name: string; readonly reserved: ReadonlySet<string> } | undefined
}

/** A compiled path. */
export interface Pattern {
  /** The path as written. */
  readonly template: string
  readonly parts: readonly PathPart[]
  readonly parameters: readonly Parameter[]
  /** True if literal text may be a URL: a host, a query, escapes. */
  readonly url: boolean
}

/** A pattern in which each optional suffix is either present or absent. */
export interface Expansion {
  readonly parts: readonly PathPart[]
  readonly parameters: readonly Parameter[]
  /** Names of the suffixes that are absent. */
  readonly absent: readonly string[]
}

/** A parameter as written. */
interface ParameterSyntax {
  readonly kind: 'parameter'
  readonly name: string
  /** The regular expression inside the braces. */
  readonly regex: string | undefined
  readonly suffix: boolean
  /** True for `*name`: one or more of any characters. */
  readonly star: boolean
}

/**
 * Compiles the path of a route.
 *
 * @param template - the path as written; a backslash makes `\ : * { }` literal.
 * @throws RouteDefinitionError E_ROUTE_SYNTAX - a brace is not closed, or does not contain a name.
 * @throws RouteDefinitionError E_ROUTE_PARAMETER - a name occurs twice.
 * @throws RouteDefinitionError E_ROUTE_REQUIREMENT - a requirement is malformed or can make matching slow.
 */
export function compilePattern(template: string, options: PatternOptions): Pattern {
  const syntax = parse(template, options.static ?? false)
  const parts = syntax.map((part, index) =>
    part.kind === 'literal' ? part : compileParameter(part, syntax[index + 1], template, options),
  )
  return {
    template,
    parts,
    parameters: parts.filter((part) => part.kind === 'parameter'),
    url: options.static ?? false,
  }
}

const IDENTIFIER = /[\p{ID_Start}_$][\p{ID_Continue}$]*/uy
const WHOLE_IDENTIFIER = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u

function parse(template: string, bracesOnly: boolean): (Literal | ParameterSyntax)[] {
  const parts: (Literal | ParameterSyntax)[] = []
  const names = new Set<string>()
  let text = ''
  let at = 0
  while (at < template.length) {
    const character = template.charAt(at)
    if (/^\\[\\:*{}]/.test(template.slice(at, at + 2))) {
      text += template.charAt(at + 1)
      at += 2
      continue
    }
    const found =
      character === '{' ? braced(template, at) : bracesOnly ? undefined : olderSyntax(template, at)
    if (!found) {
      text += character
      at++
      continue
    }
    if (text) parts.push({ kind: 'literal', text })
    text = ''
    if (names.has(found.parameter.name)) throw usedTwice(found.parameter.name, template)
    names.add(found.parameter.name)
    parts.push(found.parameter)
    at = found.end
  }
  if (text) parts.push({ kind: 'literal', text })
  return parts
}

function usedTwice(name: string, template: string): RouteDefinitionError {
  return new RouteDefinitionError(
    'E_ROUTE_PARAMETER',
    `The path "${template}" has two parameters named "${name}".`,
    'Give each parameter of a path a name of its own.',
    { route: template, parameter: name, pattern: template },
  )
}

interface FoundParameter {
  readonly parameter: ParameterSyntax
  readonly end: number
}

function braced(template: string, start: number): FoundParameter {
  const suffix = template.charAt(start + 1) === '.'
  const close = closingBrace(template, start)
  const inside = template.slice(start + (suffix ? 2 : 1), close)
  const colon = inside.indexOf(':')
  const name = colon < 0 ? inside : inside.slice(0, colon)
  if (!WHOLE_IDENTIFIER.test(name)) {
    throw new RouteDefinitionError(
      'E_ROUTE_SYNTAX',
      `"${template.slice(start, close + 1)}" in the path "${template}" does not begin with a name.`,
      'Write {name} or {name:regex}, or put a backslash before a literal brace.',
      { route: template, pattern: template },
    )
  }
  const regex = colon < 0 ? undefined : inside.slice(colon + 1)
  return { parameter: { kind: 'parameter', name, regex, suffix, star: false }, end: close + 1 }
}

/** Returns the index of the `}` that closes the brace at `start`. Escapes, classes and inner braces belong to the regex. */
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
    `The brace at offset ${start} of the path "${template}" is not closed.`,
    'Close it, or put a backslash before a literal brace.',
    { route: template, pattern: template },
  )
}

function olderSyntax(template: string, start: number): FoundParameter | undefined {
  const sign = template.charAt(start)
  if (sign !== ':' && sign !== '*') return undefined
  const inParentheses = template.charAt(start + 1) === '('
  IDENTIFIER.lastIndex = start + (inParentheses ? 2 : 1)
  const name = IDENTIFIER.exec(template)?.[0]
  if (name === undefined || (inParentheses && template.charAt(IDENTIFIER.lastIndex) !== ')')) return undefined
  const parameter = { kind: 'parameter', name, regex: undefined, suffix: false, star: sign === '*' } as const
  return { parameter, end: IDENTIFIER.lastIndex + (inParentheses ? 1 : 0) }
}

function compileParameter(
  syntax: ParameterSyntax,
  next: Literal | ParameterSyntax | undefined,
  template: string,
  options: PatternOptions,
): Parameter {
  const { name, suffix } = syntax
  const member = options.member?.name === name ? options.member : undefined
  const suffixFollows = next?.kind === 'parameter' && next.suffix
  const requirement = requirementOf(syntax, template, options)
  return {
    kind: 'parameter',
    name,
    requirement,
    bare: requirement === null && member === undefined,
    suffix,
    controller: name === 'controller',
    separator: member ? ';' : '',
    reserved: member?.reserved ?? null,
    suffixes:
      member || suffixFollows ? suffixesOf(suffixFollows ? next : undefined, template, options) : null,
  }
}

const ANY_SUFFIX = '[^/.]+'
const ANY_RESOURCE_FORMAT = '[^/.;]+'

function requirementOf(syntax: ParameterSyntax, route: string, options: PatternOptions): Requirement | null {
  const { name, regex, star, suffix } = syntax
  const owner = { route, parameter: name }
  const given = regex ?? (Object.hasOwn(options.requirements, name) ? options.requirements[name] : undefined)
  if (given !== undefined) return compileRequirement(given, owner)
  if (star) return compileRequirement('.+', owner)
  if (name === 'format' && options.formats) return oneOf(options.formats, owner)
  if (name === 'format' && options.resource) return compileRequirement(ANY_RESOURCE_FORMAT, owner)
  return suffix ? compileRequirement(ANY_SUFFIX, owner) : null
}

function suffixesOf(next: ParameterSyntax | undefined, route: string, options: PatternOptions): RegExp {
  const owner = { route, parameter: next?.name ?? 'format' }
  const requirement = next
    ? requirementOf(next, route, options)
    : options.formats && oneOf(options.formats, owner)
  const source = requirement?.source ?? ANY_SUFFIX
  return compileRegex(`\\.(?=(?:${source})$)`, requirement?.regex.ignoreCase ? 'is' : 's', owner)
}

/** Returns the expansions of a pattern, longest first, so that a text that can be a suffix is read as one. */
export function expand(pattern: Pattern): Expansion[] {
  let expansions: { parts: PathPart[]; absent: string[] }[] = [{ parts: [], absent: [] }]
  for (const part of pattern.parts) {
    if (part.kind === 'parameter' && part.suffix) {
      expansions = expansions.flatMap(({ parts, absent }) => [
        { parts: withLiteral(parts, '.').concat(part), absent },
        { parts: [...parts], absent: [...absent, part.name] },
      ])
    } else {
      for (const expansion of expansions) {
        if (part.kind === 'literal') expansion.parts = withLiteral(expansion.parts, part.text)
        else expansion.parts.push(part)
      }
    }
  }
  return expansions.map(({ parts, absent }) => ({
    parts,
    parameters: parts.filter((part) => part.kind === 'parameter'),
    absent,
  }))
}

/** Appends literal text, joined to literal text at the end. */
function withLiteral(parts: readonly PathPart[], text: string): PathPart[] {
  const last = parts.at(-1)
  if (last?.kind !== 'literal') return [...parts, { kind: 'literal', text }]
  return [...parts.slice(0, -1), { kind: 'literal', text: last.text + text }]
}

/** Decodes the value of a parameter. Returns undefined if the parameter does not accept it. */
export function valueIn(
  parameter: Parameter,
  marked: string,
  escaped: boolean,
  controllers: ControllerNames | null,
): string | undefined {
  if (parameter.separator !== '' && marked.includes(parameter.separator)) return undefined
  if (parameter.reserved !== null && isReservedWithSuffix(parameter, marked)) return undefined
  const isKnown = parameter.controller && controllers !== null
  const value = isKnown
    ? controllers.find(escaped ? decodeLiteral(marked) : marked)
    : escaped
      ? decodeMarked(marked)
      : marked
  return value !== undefined && accepts(parameter, value) ? value : undefined
}

/** Returns true for `new.json`, which is the page `new`. With its dot escaped it is the id of a member. */
function isReservedWithSuffix({ reserved, suffixes }: Parameter, marked: string): boolean {
  if (suffixes === null || !marked.includes('.') || marked.length > MAX_BACKTRACKING_LENGTH) return false
  const dot = marked.search(suffixes)
  return dot >= 0 && reserved?.has(marked.slice(0, dot)) === true
}

/** Returns true if a parameter accepts a decoded value. Does not check whether a controller is known. */
export function accepts(parameter: Parameter, value: string): boolean {
  if (parameter.reserved?.has(value)) return false
  return parameter.requirement === null ? value !== '' : parameter.requirement.test(value)
}
