/**
 * Why a request found no route: the ones that nearly matched, and what was missing.
 *
 * @module
 */

import type { Piece, Variant } from './pattern.ts'
import { decoded, unfold } from './percent.ts'
import type { Rejection } from './resolver.ts'
import type { Route } from './route.ts'
import { segmentsOf } from './segments.ts'

/** A route that nearly matched. */
export interface NearMiss {
  readonly route: Route
  /** What failed. */
  readonly condition: Rejection['condition'] | 'path'
  /** In words, to stand behind the route. */
  readonly detail: string
}

const MOST = 10

/**
 * The routes nearest to a request that none of them takes: first those whose path fits, then those whose path differs little.
 *
 * @param rejections - of the routes whose path fits.
 */
export function nearMisses(
  routes: readonly Route[],
  rejections: readonly Rejection[],
  rawPath: string,
): NearMiss[] {
  const path = unfold(rawPath)
  if (path === undefined) return []
  const seen = new Set<Route>(rejections.map(({ route }) => route))
  const segments = decoded(path).split('/')
  const near = routes
    .filter((route) => !seen.has(route) && !route.static)
    .flatMap((route) => {
      const best = route.variants
        .map((variant) => difference(variant, segments))
        .reduce((least, other) => (other.distance < least.distance ? other : least))
      return best.distance <= 1
        ? [{ route, condition: 'path' as const, detail: best.detail, distance: best.distance }]
        : []
    })
    .sort((a, b) => a.distance - b.distance)
    .map(({ route, condition, detail }) => ({ route, condition, detail }))
  return [...rejections, ...near].slice(0, MOST)
}

interface Difference {
  /** 0 equal but for a slash or the case of letters, 1 one segment, more: too far. */
  readonly distance: number
  readonly detail: string
}

const FAR: Difference = { distance: Infinity, detail: '' }

function difference(variant: Variant, segments: readonly string[]): Difference {
  const wanted = segmentsOf(variant.pieces)
  const trimmed = withoutLastSlash(segments)
  const wantedTrimmed = withoutLastSlash(wanted)
  if (trimmed.length !== wantedTrimmed.length) {
    const [shorter, longer] =
      trimmed.length < wantedTrimmed.length ? [trimmed, wantedTrimmed] : [wantedTrimmed, trimmed]
    if (longer.length - shorter.length > 1 || shorter.length < 2) return FAR
    const equal = shorter.every((_, index) => fits(wanted[index] ?? [], segments[index] ?? '') !== 'no')
    if (!equal) return FAR
    const missing = trimmed.length < wantedTrimmed.length
    return { distance: 1, detail: missing ? 'has one segment more' : 'has one segment less' }
  }
  const kinds = trimmed.map((segment, index) => fits(wantedTrimmed[index] ?? [], segment))
  const wrong = kinds.flatMap((kind, index) => (kind === 'yes' ? [] : [{ kind, index }]))
  if (wrong.length === 0) {
    return segments.length === wanted.length
      ? FAR
      : { distance: 0, detail: 'differs in the slash at the end' }
  }
  const [only] = wrong
  if (wrong.length > 1 || !only || trimmed.length <= 1) return FAR
  const given = JSON.stringify(trimmed[only.index])
  const shown = JSON.stringify(wantedTrimmed[only.index]?.map(textOf).join('') ?? '')
  if (only.kind === 'case')
    return { distance: 0, detail: `has ${shown}, not ${given}: the case of letters counts` }
  if (only.kind === 'near') return { distance: 0.5, detail: `has ${shown}, not ${given}` }
  return trimmed.length > 2 ? { distance: 1, detail: `has ${shown}, not ${given}` } : FAR
}

function withoutLastSlash<T extends string | readonly Piece[]>(segments: readonly T[]): readonly T[] {
  return segments.length > 1 && segments.at(-1)?.length === 0 ? segments.slice(0, -1) : segments
}

function textOf(piece: Piece): string {
  return piece.kind === 'literal' ? piece.text : `{${piece.name}}`
}

function fits(pieces: readonly Piece[], segment: string): 'yes' | 'case' | 'near' | 'no' {
  const [first] = pieces
  if (!first) return segment === '' ? 'yes' : 'no'
  if (pieces.length > 1)
    return pieces.every((piece) => piece.kind === 'parameter' || segment.includes(piece.text)) ? 'yes' : 'no'
  if (first.kind === 'parameter') return segment === '' ? 'no' : 'yes'
  if (first.text === segment) return 'yes'
  if (first.text.toLowerCase() === segment.toLowerCase()) return 'case'
  return isNear(first.text, segment) ? 'near' : 'no'
}

/** Whether two words differ by one letter, one more or less, or two swapped. */
function isNear(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1 || Math.max(one.length, other.length) < 3) return false
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  let end = 0
  const room = Math.min(one.length, other.length) - start
  while (end < room && one.at(-1 - end) === other.at(-1 - end)) end++
  const left = one.slice(start, one.length - end)
  const right = other.slice(start, other.length - end)
  return (
    Math.max(left.length, right.length) <= 1 || (left.length === 2 && left === [...right].reverse().join(''))
  )
}
