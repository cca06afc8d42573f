/**
 * Content codings (RFC 9110 §8.4.1): those that a client prefers, and the content that is worth compressing.
 *
 * @module
 */

import { parseAccept } from './negotiation.ts'

/** Name of a content coding in header fields. */
export type ContentCoding = 'br' | 'zstd' | 'gzip'

/** The codings that are sent, in order of preference: the shortest result first. */
const CODINGS: readonly ContentCoding[] = ['br', 'zstd', 'gzip']

/** Shorter content is not compressed, because it fits into one packet as it is. In bytes. */
export const MIN_COMPRESSED_LENGTH = 1024

/**
 * Returns the codings that a client accepts (RFC 9110 §12.5.3), the one to use first. The order follows the client's
 * weights, and among equal weights the server's: browsers list gzip first for historical reasons.
 *
 * @param header - the Accept-Encoding header.
 * @returns an empty list if the content must be sent as it is. Codings with a lower weight than `identity` are omitted.
 *
 * @example
 * ```ts
 * acceptedCodings('gzip, deflate, br;q=0.5') // ['gzip', 'br']
 * ```
 */
export function acceptedCodings(header: string | undefined): ContentCoding[] {
  if (header === undefined || header === '') return []
  const weights = new Map<string, number>()
  for (const { value, quality } of parseAccept(header)) {
    if (!weights.has(value)) weights.set(value, quality)
  }
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0
  const least = weights.get('identity') ?? 0
  return CODINGS.filter((coding) => weightOf(coding) > 0 && weightOf(coding) >= least).sort(
    (one, other) => weightOf(other) - weightOf(one),
  )
}

const COMPRESSIBLE = new RegExp(
  `^(?:${[
    'text/(?!event-stream)[^;]+',
    '[^;]+\\+(?:json|text|xml|yaml)',
    'application/(?:(?:x-)?javascript|json|json5|jsonl|(?:x-)?ndjson|rtf|(?:x-)?sh|sql|toml|wasm|xml|xml-dtd|(?:x-)?yaml)',
    'application/(?:x-font-ttf|vnd\\.ms-fontobject)',
    'font/(?:collection|otf|sfnt|ttf)',
    'image/(?:bmp|vnd\\.microsoft\\.icon|x-icon)',
  ].join('|')})\\s*(?:;|$)`,
  'i',
)

/**
 * Returns true for types whose content becomes shorter by compression: text, JSON, XML, scripts, uncompressed fonts. False
 * for images, audio, video, archives, types that are not known, and event streams.
 *
 * @example
 * ```ts
 * isCompressible('text/css; charset=utf-8') // true
 * ```
 */
export function isCompressible(contentType: string): boolean {
  return COMPRESSIBLE.test(contentType)
}
