/**
 * The path of a route: `{name}`, `{name:regex}`, `{.format}`, and the older `:name`, `:(name)`, `*name`, `*(name)`.
 *
 * @module
 */

import type { ControllerNames } from './conditions.ts'
import { decodeLiteral, decodeMarked } from './percent.ts'
import { compileRegex, compileRequirement, MAX_BACKTRACKING_LENGTH, oneOf, type Requirement } from './requirement.ts'
import { RouteDefinitionError } from './routing-error.ts'

/** Literal text of a path. */
export interface PathLiteral {
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
  /** True for `format` behind a dot, which chooses the representation. Elsewhere it is a parameter like others. */
  readonly choosesFormat: boolean
  /** True for `{controller}`, whose values are the known controllers. */
  readonly controller: boolean
  /** For the id of a member, values that are the names of other pages of the same resource. */
  readonly reserved: ReadonlySet<string> | null
  /** Endings of the value that would be read as a suffix unless their dot is escaped. */
  readonly suffixes: RegExp | null
}

/** A character that the id of a member may contain only if it is escaped. */
export const MEMBER_SEPARATOR = ';'

/** Returns true if a parameter accepts every text that is not empty, if no controllers are known. */
export function isBare({ requirement, reserved }: Parameter): boolean {
  return requirement === null && reserved === null
}

/** A part of a path. */
export type PathPart = PathLiteral | Parameter

/** Options for compiling a path. */
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
  /** Names of the suffixes that are absent, or `path_info` for the mount point itself. */
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
 * @throws RouteDefinitionError E_ROUTE_REQUIREMENT - a requirement is malformed.
 */
export function compilePattern(template: string, options: PatternOptions): Pattern {
  const syntax = parse(template, options.static ?? false)
  const parts = syntax.map((part, index) => {
    if (part.kind === 'literal') return part
    const before = syntax[index - 1]
    const isBehindDot = part.suffix || (before?.kind === 'literal' && before.text.endsWith('.'))
    const own = part.name === 'format' && !isBehindDot ? { ...options, formats: null, resource: false } : options
    return {
      ...compileParameter(part, syntax[index + 1], template, own),
      choosesFormat: part.name === 'format' && isBehindDot,
    }
  })
  return { template, ...withParameters(parts), url: options.static ?? false }
}

const IDENTIFIER = '[\\p{ID_Start}_$][\\p{ID_Continue}$]*'
const WHOLE_IDENTIFIER = new RegExp(`^${IDENTIFIER}$`, 'u')

/** An escaped character, the front of a parameter in braces, an older parameter, or other text. */
const TOKEN = new RegExp(
  [
    /\\(?<escaped>[\\:*{}])/.source,
    /\{(?<dot>\.?)(?<name>[^:}]*)(?<end>[:}])/.source,
    `(?<sign>[:*])(?:\\((?<inside>${IDENTIFIER})\\)|(?<older>${IDENTIFIER}))`,
    /[^\\{:*]+|./.source,
  ].join('|'),
  'suy',
)

function parse(template: string, bracesOnly: boolean): (PathLiteral | ParameterSyntax)[] {
  let parts: (PathLiteral | ParameterSyntax)[] = []
  for (let at = 0; at < template.length; ) {
    TOKEN.lastIndex = at
    const { 0: token = '', groups = {} } = TOKEN.exec(template) ?? {}
    const { escaped, dot, name, end, sign, inside, older = inside } = groups
    const next = at + token.length
    if (name !== undefined || token === '{') {
      const close = end === '}' ? next - 1 : closingBrace(template, at, next)
      if (!WHOLE_IDENTIFIER.test(name ?? '')) throw notAName(template, template.slice(at, close + 1))
      const regex = end === ':' ? template.slice(next, close) : undefined
      parts.push({ kind: 'parameter', name: name ?? '', regex, suffix: dot === '.', star: false })
      at = close + 1
    } else if (older !== undefined && !bracesOnly) {
      parts.push({ kind: 'parameter', name: older, regex: undefined, suffix: false, star: sign === '*' })
      at = next
    } else {
      parts = withLiteral(parts, escaped ?? sign ?? token)
      at += sign === undefined ? token.length : 1
    }
  }
  const names = parts.flatMap((part) => (part.kind === 'parameter' ? part.name : []))
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice === undefined) return parts
  const message = `The path "${template}" has two parameters named "${twice}".`
  const details = { route: template, parameter: twice, pattern: template }
  const fix = 'Give each parameter of a path a name of its own.'
  throw new RouteDefinitionError('E_ROUTE_PARAMETER', message, fix, details)
}

function notAName(template: string, braces: string): RouteDefinitionError {
  const message = `"${braces}" in the path "${template}" does not begin with a name.`
  const fix = 'Write {name} or {name:regex}, or put a backslash before a literal brace.'
  return new RouteDefinitionError('E_ROUTE_SYNTAX', message, fix, { route: template, pattern: template })
}

/**
 * Returns the index of the `}` that closes a brace. Escapes, classes and inner braces belong to the regular
 * expression.
 */
function closingBrace(template: string, brace: number, start: number): number {
  let depth = 0
  let inClass = false
  for (let index = start; index < template.length; index++) {
    const character = template[index]
    if (character === '\\') index++
    else if (inClass) inClass = character !== ']'
    else if (character === '[') inClass = true
    else if (character === '{') depth++
    else if (character === '}' && depth-- === 0) return index
  }
  const message = `The brace at offset ${brace} of the path "${template}" is not closed.`
  const fix = 'Close it, or put a backslash before a literal brace.'
  throw new RouteDefinitionError('E_ROUTE_SYNTAX', message, fix, { route: template, pattern: template })
}

function compileParameter(
  syntax: ParameterSyntax,
  next: PathLiteral | ParameterSyntax | undefined,
  template: string,
  options: PatternOptions,
): Omit<Parameter, 'choosesFormat'> {
  const { name, suffix } = syntax
  const member = options.member?.name === name ? options.member : undefined
  const suffixFollows = next?.kind === 'parameter' && next.suffix
  const requirement = requirementOf(syntax, template, options)
  return {
    kind: 'parameter',
    name,
    requirement,
    suffix,
    controller: name === 'controller',
    reserved: member?.reserved ?? null,
    suffixes: member || suffixFollows ? suffixesOf(suffixFollows ? next : undefined, template, options) : null,
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
  const requirement = next ? requirementOf(next, route, options) : options.formats && oneOf(options.formats, owner)
  const source = requirement?.source ?? ANY_SUFFIX
  return compileRegex(`\\.(?=(?:${source})$)`, requirement?.regex.ignoreCase ? 'is' : 's', owner)
}

/** Returns the expansions of a pattern, longest first, so that a text that can be a suffix is read as one. */
export function expand(pattern: Pattern): Expansion[] {
  let expansions: { readonly parts: readonly PathPart[]; readonly absent: readonly string[] }[] = [
    { parts: [], absent: [] },
  ]
  for (const part of pattern.parts) {
    expansions = expansions.flatMap(({ parts, absent }) => {
      if (part.kind === 'literal') return { parts: withLiteral(parts, part.text), absent }
      if (!part.suffix) return { parts: [...parts, part], absent }
      const present = { parts: [...withLiteral(parts, '.'), part], absent }
      return [present, { parts, absent: [...absent, part.name] }]
    })
  }
  return expansions.map(({ parts, absent }) => ({ ...withParameters(parts), absent }))
}

function withParameters(parts: readonly PathPart[]): Pick<Pattern, 'parts' | 'parameters'> {
  return { parts, parameters: parts.filter((part) => part.kind === 'parameter') }
}

/**
 * Returns the expansion for the mount point itself, without a slash at its end: `/m` of `/m/{path_info:.*}`. None for
 * other patterns, and for one whose `path_info` cannot be empty.
 */
export function mountPointOf({ parts }: Pattern): Expansion[] {
  const [before, last] = parts.slice(-2)
  if (last?.kind !== 'parameter' || last.name !== 'path_info' || last.requirement?.test('') !== true) return []
  if (before?.kind !== 'literal' || !before.text.endsWith('/')) return []
  const text = before.text.slice(0, -1)
  const rest = parts.slice(0, -2)
  const mount: readonly PathPart[] = text === '' ? rest : [...rest, { kind: 'literal', text }]
  if (mount.length === 0) return []
  return [{ ...withParameters(mount), absent: [last.name] }]
}

/** Appends literal text, joined to literal text at the end. */
function withLiteral<Part extends { readonly kind: 'parameter' }>(
  parts: readonly (PathLiteral | Part)[],
  text: string,
): (PathLiteral | Part)[] {
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
  if (parameter.reserved !== null) {
    if (marked.includes(MEMBER_SEPARATOR) || isReservedWithSuffix(parameter, marked)) return undefined
  }
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
