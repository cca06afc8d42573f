/**
 * Ranges of bytes (RFC 9110 §14).
 *
 * @module
 */
import { type EntityTag, isStrongMatch } from '../conditional.ts'
import { parseHttpDate } from '../date.ts'

/** A part of a content. */
export interface ByteRange {
  /** Position of the first byte, counted from 0. */
  readonly start: number
  /** Number of bytes, at least 1. */
  readonly length: number
}

const SINGLE_RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i

/**
 * Parses a Range header for a content of `size` bytes.
 *
 * @returns `'unsatisfiable'` if the range begins beyond the content (416), `undefined` if the header must be ignored: it
 *   is malformed, has another unit, or several ranges, which may be answered with the whole content (RFC 9110 §15.3.7).
 *
 * @example
 * ```ts
 * parseRange('bytes=-500', 10_000) // { start: 9500, length: 500 }
 * ```
 */
export function parseRange(header: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = SINGLE_RANGE.exec(header) ?? []
  if (first === '') {
    if (last === '') return undefined
    const length = Math.min(Number(last), size)
    if (Number(last) === 0) return 'unsatisfiable'
    // An empty content satisfies the range, but Content-Range cannot express an empty part.
    return length === 0 ? undefined : { start: size - length, length }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? 'unsatisfiable' : { start, length: end - start + 1 }
}

/**
 * Returns true if If-Range allows a part to be sent: it is absent, or names the current version (RFC 9110 §13.1.5). Weak
 * tags and other dates than the exact one do not match.
 */
export function allowsRange(ifRange: string | undefined, etag: EntityTag, lastModified: Date): boolean {
  if (ifRange === undefined) return true
  if (ifRange.includes('"')) return isStrongMatch(ifRange, etag)
  const date = parseHttpDate(ifRange)
  return date !== undefined && date.getTime() === Math.floor(lastModified.getTime() / 1000) * 1000
}
