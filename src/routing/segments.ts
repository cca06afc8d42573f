/**
 * A variant of a path cut at its slashes: the steps that the tree is made of.
 *
 * @module
 */

import type { ControllerNames } from './controllers.ts'
import type { Parameter, Piece, Variant } from './pattern.ts'
import { SegmentMatcher } from './segment-matcher.ts'

/** One step on the way through the tree. */
export type Step =
  /** A segment of literal text. */
  | { readonly kind: 'literal'; readonly text: string }
  /** A segment that is one value. */
  | { readonly kind: 'value' }
  /** One or more segments that name a known controller. */
  | { readonly kind: 'controller' }
  /** A segment of literal text and values. */
  | { readonly kind: 'mixed'; readonly matcher: SegmentMatcher }
  /** All that is left of the path is one value. */
  | { readonly kind: 'tail' }
  /** All that is left of the path; values in it may span segments. */
  | { readonly kind: 'rest'; readonly matcher: SegmentMatcher }

/**
 * The steps of a variant.
 *
 * @param controllers - the known controllers, or null where any name will do.
 * @returns `undefined` when no path can ever match, since the variant does not begin with a slash.
 */
export function stepsOf(
  variant: Variant,
  controllers: ControllerNames | null,
  template: string,
): Step[] | undefined {
  const segments = segmentsOf(variant.pieces)
  if (segments.shift()?.length !== 0) return undefined
  const steps: Step[] = []
  for (const [index, segment] of segments.entries()) {
    if (maySpan(segment, controllers)) {
      steps.push(restStep(segments.slice(index), controllers, template))
      return steps
    }
    steps.push(segmentStep(segment, controllers, template))
  }
  return steps
}

/** Whether values in a segment may hold slashes; a controller that is a segment by itself has a step of its own. */
function maySpan(segment: readonly Piece[], controllers: ControllerNames | null): boolean {
  return segment.some(
    (piece) =>
      piece.kind === 'parameter' &&
      (isController(piece, controllers) ? segment.length > 1 : piece.requirement?.spans),
  )
}

function isController(piece: Parameter, controllers: ControllerNames | null): boolean {
  return piece.controller && controllers !== null
}

/** The pieces between the slashes. */
export function segmentsOf(pieces: readonly Piece[]): Piece[][] {
  const segments: Piece[][] = [[]]
  for (const piece of pieces) {
    if (piece.kind === 'parameter') {
      segments.at(-1)?.push(piece)
      continue
    }
    for (const [index, text] of piece.text.split('/').entries()) {
      if (index > 0) segments.push([])
      if (text) segments.at(-1)?.push({ kind: 'literal', text })
    }
  }
  return segments
}

function segmentStep(segment: readonly Piece[], controllers: ControllerNames | null, template: string): Step {
  const [first] = segment
  if (segment.length === 0 || !first) return { kind: 'literal', text: '' }
  if (segment.length === 1) {
    if (first.kind === 'literal') return first
    return isController(first, controllers) ? { kind: 'controller' } : { kind: 'value' }
  }
  return { kind: 'mixed', matcher: new SegmentMatcher([segment], controllers, template) }
}

function restStep(
  segments: readonly (readonly Piece[])[],
  controllers: ControllerNames | null,
  template: string,
): Step {
  const [first = []] = segments
  if (segments.length === 1 && first.length === 1) return { kind: 'tail' }
  return { kind: 'rest', matcher: new SegmentMatcher(segments, controllers, template) }
}
