/**
 * Writing a path: a pattern and values become text that matches back to the same values.
 *
 * @module
 */

import { GenerationError } from './errors.ts'
import { accepts, type Parameter, type Pattern } from './pattern.ts'
import { encodeLiteral, encodePath, encodeSegment, encodeStrictly, encodeUrlLiteral } from './percent.ts'

/** Finds the value for a parameter; undefined or null when there is none. */
export type ValueLookup = (name: string) => unknown

/**
 * Writes a pattern out with values.
 *
 * @param strictly - encode all but letters and digits of values, for patterns in which a value's own characters could be taken
 *   for literal text.
 * @throws GenerationError E_PARAMETER_MISSING, E_PARAMETER_INVALID.
 */
export function writePattern(pattern: Pattern, lookup: ValueLookup, label: string, strictly = false): string {
  let path = ''
  const { pieces } = pattern
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === 'literal') {
      path += pattern.url ? encodeUrlLiteral(piece.text) : encodeLiteral(piece.text)
      continue
    }
    const value = textOf(piece, lookup(piece.name), pattern, label)
    if (value === undefined) {
      if (piece.suffix) continue
      throw missing(piece, pattern, label)
    }
    const next = pieces[index + 1]
    const suffixFollows =
      next?.kind === 'parameter' && next.suffix && (lookup(next.name) ?? undefined) !== undefined
    const encoded = encodeValue(piece, value, strictly, !suffixFollows, pattern, label)
    path +=
      (piece.suffix ? '.' : '') +
      (path === '/' && encoded.startsWith('/') ? `%2F${encoded.slice(1)}` : encoded)
  }
  if (hasDotSegment(path)) {
    throw new GenerationError(
      'E_PARAMETER_INVALID',
      `Route "${label}" (${pattern.template}) would become "${path}", which every client shortens before it is sent: "." and ".." cannot be segments of a path.`,
      'Give a value other than "." and "..".',
      { route: label, pattern: pattern.template, value: path },
    )
  }
  if (path.startsWith('//') && !pattern.template.startsWith('//')) {
    throw new GenerationError(
      'E_PARAMETER_INVALID',
      `Route "${label}" (${pattern.template}) would become "${path}", which leads to another host.`,
      'Give a value that is not empty for the first segment.',
      { route: label, pattern: pattern.template, value: path },
    )
  }
  return path
}

function hasDotSegment(path: string): boolean {
  return path.includes('/.') && /\/\.{1,2}(?:\/|$)/.test(path)
}

/** The decoded text that a given value stands for; `undefined` when there is none. */
function textOf(parameter: Parameter, value: unknown, pattern: Pattern, label: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'object' || typeof value === 'function' || typeof value === 'symbol') {
    throw invalid(
      parameter,
      value,
      pattern,
      label,
      'is no text or number',
      'Give text, a number or a boolean.',
    )
  }
  const text = String(value)
  if (accepts(parameter, text)) return text
  if (parameter.reserved?.has(text)) {
    throw invalid(
      parameter,
      text,
      pattern,
      label,
      'is the name of another page of this resource',
      'Use another value.',
    )
  }
  const { requirement } = parameter
  if (text === '' && parameter.suffix) return undefined
  throw invalid(
    parameter,
    text,
    pattern,
    label,
    requirement ? `does not match ${requirement.source}` : 'is empty',
    requirement ? 'Give a value that matches the requirement as a whole.' : 'Give a value that is not empty.',
  )
}

function encodeValue(
  parameter: Parameter,
  value: string,
  strictly: boolean,
  guardSuffix: boolean,
  pattern: Pattern,
  label: string,
): string {
  try {
    if (parameter.requirement?.spans || parameter.controller) {
      return strictly ? value.split('/').map(encodeStrictly).join('/') : encodePath(value)
    }
    if (strictly) return encodeStrictly(value)
    const dot = guardSuffix && parameter.suffixes ? value.search(parameter.suffixes) : -1
    return dot < 0
      ? encodeSegment(value)
      : `${encodeSegment(value.slice(0, dot))}%2E${encodeSegment(value.slice(dot + 1))}`
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    throw invalid(parameter, value, pattern, label, 'is not well-formed Unicode', 'Give well-formed text.')
  }
}

function missing(parameter: Parameter, pattern: Pattern, label: string): GenerationError {
  return new GenerationError(
    'E_PARAMETER_MISSING',
    `Route "${label}" (${pattern.template}) needs a value for "${parameter.name}".`,
    `Give it: { ${parameter.name}: … }.`,
    { route: label, parameter: parameter.name, pattern: pattern.template },
  )
}

function invalid(
  parameter: Parameter,
  value: unknown,
  pattern: Pattern,
  label: string,
  what: string,
  fix: string,
): GenerationError {
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return new GenerationError(
    'E_PARAMETER_INVALID',
    `In route "${label}" (${pattern.template}) the value ${shown} for "${parameter.name}" ${what}.`,
    fix,
    {
      route: label,
      parameter: parameter.name,
      pattern: parameter.requirement?.source ?? pattern.template,
      value,
    },
  )
}
