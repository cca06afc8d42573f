/**
 * What a route's path means: its parameters with what they accept, and the variants that matching looks for.
 *
 * @module
 */

import { RouteDefinitionError } from './errors.ts'
import { decoded } from './percent.ts'
import { compileRegex, compileRequirement, oneOf, type Requirement } from './requirement.ts'

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

/** A parameter of a path. */
export interface Parameter {
  readonly kind: 'parameter'
  readonly name: string
  /** Null where any non-empty text without a slash fits. */
  readonly requirement: Requirement | null
  /** True for `{.name}`. */
  readonly suffix: boolean
  /** True for `{controller}`, whose values are the known controllers. */
  readonly controller: boolean
  /** A character that may stand in the value only when encoded; '' for none. */
  readonly separator: string
  /** Values that belong to other routes of the same resource. */
  readonly reserved: ReadonlySet<string> | null
  /** What a value must not end in bare, since it would be taken for a suffix. */
  readonly suffixes: RegExp | null
}

/** A piece of a compiled path. */
export type Piece = { readonly kind: 'literal'; readonly text: string } | Parameter

/** How the parameters of one path are to be understood. */
export interface PatternOptions {
  readonly requirements: Readonly<Record<string, string | RegExp>>
  /** Known formats of `{.format}`; null for any. */
  readonly formats: readonly string[] | null
  readonly static?: boolean
  /** The member parameter of a resource. */
  readonly member?: { readonly name: string; readonly reserved: ReadonlySet<string> } | undefined
}

/** A compiled path. */
export interface Pattern {
  readonly template: string
  readonly pieces: readonly Piece[]
  readonly parameters: readonly Parameter[]
  /** True where literal text may be any URL: a host, a query, escapes of its own. */
  readonly url: boolean
}

/** One of the forms in which a pattern occurs: each optional suffix is there or not. */
export interface Variant {
  readonly pieces: readonly Piece[]
  readonly parameters: readonly Parameter[]
  /** The names of the suffixes that this form leaves out. */
  readonly absent: readonly string[]
}

/**
 * Compiles a route's path.
 *
 * @throws RouteDefinitionError when the path or a requirement is malformed.
 */
export function compilePattern(template: string, options: PatternOptions): Pattern {
  const parts = parseTemplate(template, options.static)
  const pieces = parts.map((part, index) =>
    part.kind === 'literal' ? part : parameter(part, parts[index + 1], template, options),
  )
  return {
    template,
    pieces,
    parameters: pieces.filter((piece) => piece.kind === 'parameter'),
    url: options.static ?? false,
  }
}

type ParameterPart = Extract<TemplatePart, { kind: 'parameter' }>

function parameter(
  part: ParameterPart,
  next: TemplatePart | undefined,
  template: string,
  options: PatternOptions,
): Parameter {
  const { name } = part
  const member = options.member?.name === name ? options.member : undefined
  return {
    kind: 'parameter',
    name,
    requirement: requirementOf(part, template, options),
    suffix: part.suffix,
    controller: name === 'controller',
    separator: member ? ';' : '',
    reserved: member?.reserved ?? null,
    suffixes:
      member || (next?.kind === 'parameter' && next.suffix) ? suffixesToGuard(next, template, options) : null,
  }
}

function requirementOf(part: ParameterPart, template: string, options: PatternOptions): Requirement | null {
  const given = part.regex ?? own(options.requirements, part.name)
  if (given !== undefined) return compileRequirement(given, template, part.name)
  if (part.star) return compileRequirement('.+', template, part.name)
  if (part.name === 'format' && options.formats) return oneOf(options.formats, template, part.name)
  return part.suffix ? compileRequirement('[^/.]+', template, part.name) : null
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

function suffixesToGuard(next: TemplatePart | undefined, template: string, options: PatternOptions): RegExp {
  const requirement =
    next?.kind === 'parameter' && next.suffix
      ? requirementOf(next, template, options)
      : options.formats
        ? oneOf(options.formats, template, 'format')
        : null
  const source = requirement?.source ?? '[^/.]+'
  const flags = requirement?.ignoreCase ? 'is' : 's'
  return compileRegex(`\\.(?=(?:${source})$)`, flags, { route: template, pattern: source })
}

/** All forms of a pattern, longest first: what could be a suffix is one before it is part of the value in front. */
export function variantsOf(pattern: Pattern): Variant[] {
  let variants: { pieces: Piece[]; absent: string[] }[] = [{ pieces: [], absent: [] }]
  for (const piece of pattern.pieces) {
    if (piece.kind === 'parameter' && piece.suffix) {
      variants = variants.flatMap(({ pieces, absent }) => [
        { pieces: [...pieces, { kind: 'literal', text: '.' } as const, piece], absent },
        { pieces, absent: [...absent, piece.name] },
      ])
    } else {
      for (const variant of variants) variant.pieces.push(piece)
    }
  }
  return variants.map(({ pieces, absent }) => ({
    pieces: joinLiterals(pieces),
    parameters: pieces.filter((piece) => piece.kind === 'parameter'),
    absent,
  }))
}

function joinLiterals(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    if (piece.kind === 'literal' && last?.kind === 'literal') {
      joined[joined.length - 1] = { kind: 'literal', text: last.text + piece.text }
    } else joined.push(piece)
  }
  return joined
}

/**
 * The value of a parameter, from what stands for it in an unfolded path.
 *
 * @param escaped - whether the path held any percent escape.
 * @returns `undefined` when the parameter does not accept it.
 */
export function valueIn(parameter: Parameter, unfolded: string, escaped: boolean): string | undefined {
  if (parameter.separator !== '' && unfolded.includes(parameter.separator)) return undefined
  if (parameter.reserved !== null && isReservedWithSuffix(parameter, unfolded)) return undefined
  const value = escaped ? decoded(unfolded) : unfolded
  return accepts(parameter, value) ? value : undefined
}

/** `new.json` belongs to the page `new` as `new` does; with its dot encoded it is an id. */
function isReservedWithSuffix({ reserved, suffixes }: Parameter, unfolded: string): boolean {
  const dot = suffixes !== null && unfolded.includes('.') ? unfolded.search(suffixes) : -1
  return dot >= 0 && reserved?.has(unfolded.slice(0, dot)) === true
}

/** Whether a decoded value fits a parameter (known controllers aside). */
export function accepts(parameter: Parameter, value: string): boolean {
  if (parameter.reserved?.has(value)) return false
  if (parameter.requirement === null) return value !== ''
  return parameter.requirement.test(value)
}
