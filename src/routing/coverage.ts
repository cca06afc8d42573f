/**
 * Whether one path takes all that another would.
 *
 * @module
 */

import type { ControllerNames } from './controllers.ts'
import { accepts, type Parameter, type Piece, type Variant } from './pattern.ts'
import { segmentsOf } from './segments.ts'

/** Whether every path that fits `inner` fits `outer` too. It may say no where the answer is yes, never the other way. */
export function covers(outer: Variant, inner: Variant, controllers: ControllerNames | null): boolean {
  const outerSegments = segmentsOf(outer.pieces)
  const innerSegments = segmentsOf(inner.pieces)
  for (const [index, segment] of outerSegments.entries()) {
    const other = innerSegments[index]
    if (!other) return false
    if (index === outerSegments.length - 1 && segment.length === 1 && isTail(segment[0])) return true
    if (!coversSegment(segment, other, controllers)) return false
  }
  return outerSegments.length === innerSegments.length
}

function isTail(piece: Piece | undefined): boolean {
  return piece?.kind === 'parameter' && piece.requirement?.anything === true
}

function coversSegment(
  outer: readonly Piece[],
  inner: readonly Piece[],
  controllers: ControllerNames | null,
): boolean {
  if (
    outer.length === inner.length &&
    outer.every((piece, index) => isSame(piece, inner[index], controllers))
  )
    return true
  const [only] = outer
  if (outer.length !== 1 || only?.kind !== 'parameter') return false
  if (inner.some((piece) => piece.kind === 'parameter' && piece.requirement?.spans)) return false
  if (inner.every((piece) => piece.kind === 'literal'))
    return takesLiteral(only, inner[0]?.text ?? '', controllers)
  if (only.controller && controllers) return false
  const bare = only.requirement === null && only.separator === '' && only.reserved === null
  return bare && inner.some((piece) => piece.kind === 'literal' || piece.requirement === null)
}

function takesLiteral(parameter: Parameter, text: string, controllers: ControllerNames | null): boolean {
  if (parameter.controller && controllers && controllers.find(text) === undefined) return false
  return (parameter.separator === '' || !text.includes(parameter.separator)) && accepts(parameter, text)
}

function isSame(one: Piece, other: Piece | undefined, controllers: ControllerNames | null): boolean {
  if (one.kind === 'literal' || !other || other.kind === 'literal') {
    return one.kind === 'literal' && other?.kind === 'literal' && one.text === other.text
  }
  const sameNames = controllers === null || one.controller === other.controller
  const noFewer = one.separator === '' || one.separator === other.separator
  const reserved = [...(one.reserved ?? [])].every((name) => other.reserved?.has(name))
  const required = one.requirement === null || one.requirement.source === other.requirement?.source
  const nonEmpty = one.requirement !== null || other.requirement === null
  return sameNames && noFewer && reserved && required && nonEmpty
}
