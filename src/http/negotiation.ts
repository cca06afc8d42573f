/**
 * Content negotiation: Accept and Accept-Language (RFC 9110 §12.5).
 *
 * @module
 */

import { oncePerText } from '../base/once-per.ts'
import { isJson, parseParameters } from './media-type.ts'

/** One member of an Accept header. */
export interface AcceptRange {
  /** The range in lower case: `text/html`, `text/*`, `de-ch`, `gzip`, `*`. */
  readonly value: string
  /** Parameters of a media range other than `q`, by lower-case name. The object has no prototype. */
  readonly parameters: Readonly<Record<string, string>>
  /** Weight, from 0 (not acceptable) to 1. */
  readonly quality: number
}

/** Maximum number of members that are parsed. The cost of a choice is members × offers. */
const MAX_RANGES = 64

/**
 * Parses Accept, Accept-Language or Accept-Encoding.
 *
 * @returns the first 64 members in order, without those whose weight is malformed.
 *
 * @example
 * ```ts
 * import { parseAccept } from 'propylon/http'
 *
 * parseAccept('gzip;q=0.5, br').map(({ value }) => value) // ['gzip', 'br']
 * ```
 */
export function parseAccept(header: string): AcceptRange[] {
  const ranges: AcceptRange[] = []
  for (const member of splitList(header)) {
    if (ranges.length === MAX_RANGES) break
    const semicolon = member.indexOf(';')
    const value = (semicolon === -1 ? member : member.slice(0, semicolon)).trim().toLowerCase()
    if (value === '') continue
    if (semicolon === -1) {
      ranges.push({ value, parameters: NONE, quality: 1 })
      continue
    }
    const { q, ...rest } = parseParameters(member, semicolon)
    const quality = q === undefined ? 1 : parseQuality(q)
    if (quality !== undefined) ranges.push({ value, parameters: rest, quality })
  }
  return ranges
}

/** Parses a header as {@link parseAccept} does, once. */
export const rangesOf: (header: string) => readonly AcceptRange[] = oncePerText(parseAccept)

/** Returns {@link accepts} for offers that are the same for all requests, which chooses once for each header. */
export function negotiator(offers: readonly string[]): (header: string) => string | undefined {
  return oncePerText((header) => accepts(header, offers))
}

const NONE: Readonly<Record<string, string>> = Object.freeze(Object.create(null))
const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

function parseQuality(text: string): number | undefined {
  return QUALITY.test(text) ? Number(text) : undefined
}

/** Splits at the commas outside of quoted strings. */
function splitList(header: string): string[] {
  if (!header.includes('"')) return header.split(',')
  const members: string[] = []
  let start = 0
  let quoted = false
  for (let at = 0; at < header.length; at++) {
    const character = header[at]
    if (character === '"') quoted = !quoted
    else if (character === '\\' && quoted) at++
    else if (character === ',' && !quoted) {
      members.push(header.slice(start, at))
      start = at + 1
    }
  }
  members.push(header.slice(start))
  return members
}

/** Returns a function that returns how specifically a range matches the offer, 0 if it does not match. */
type FitOf = (offer: string) => (range: AcceptRange) => number

/**
 * Chooses the media type that a client prefers (RFC 9110 §12.5.1).
 *
 * The most specific range that matches an offer determines its weight. Ranges such as `application/vnd.api+json` and
 * `application/json;odata=verbose` match the offer `application/json`. Among offers of equal weight the order is: the
 * more specific range, the range that comes first in the header, the first offer.
 *
 * @param header - the Accept header. `undefined` or an empty one accepts everything.
 * @param offers - media types, for instance `text/html`, `application/json`, `text/plain;format=flowed`.
 * @returns the offer as given, or `undefined` if none is acceptable.
 *
 * @example
 * ```ts
 * import { accepts } from 'propylon/http'
 *
 * accepts('text/html;q=0.8, application/json', ['text/html', 'application/json']) // 'application/json'
 * ```
 */
export function accepts<Offer extends string>(header: string | undefined, offers: readonly Offer[]): Offer | undefined {
  return choose(header, offers, mediaFit)
}

/**
 * Chooses a language by Accept-Language (RFC 4647 §3.4): the range `de` matches the offer `de-CH`, and the range
 * `de-CH` falls back to the offer `de`.
 *
 * @returns the offer as given, or `undefined` if none is acceptable.
 *
 * @example
 * ```ts
 * import { acceptsLanguage } from 'propylon/http'
 *
 * acceptsLanguage('de-CH, en;q=0.5', ['en', 'de']) // 'de'
 * ```
 */
export function acceptsLanguage<Offer extends string>(
  header: string | undefined,
  offers: readonly Offer[],
): Offer | undefined {
  return choose(header, offers, languageFit)
}

/** The most specific range that matches an offer. */
interface Match {
  readonly quality: number
  readonly fit: number
  /** Index of the range in the header. */
  readonly place: number
}

function choose<Offer extends string>(
  header: string | undefined,
  offers: readonly Offer[],
  fitOf: FitOf,
): Offer | undefined {
  if (header === undefined || header.trim() === '') return offers[0]
  const ranges = rangesOf(header)
  let chosen: Offer | undefined
  let best: Match = { quality: 0, fit: 0, place: 0 }
  for (const offer of offers) {
    const match = matchOf(ranges, fitOf(offer))
    if (!isBetter(match, best)) continue
    chosen = offer
    best = match
  }
  return chosen
}

function matchOf(ranges: readonly AcceptRange[], fitTo: ReturnType<FitOf>): Match {
  let best: Match = { quality: 0, fit: 0, place: 0 }
  for (const [place, range] of ranges.entries()) {
    const fit = fitTo(range)
    if (fit > best.fit) best = { quality: range.quality, fit, place }
  }
  return best
}

function isBetter(one: Match, other: Match): boolean {
  if (one.quality === 0 || one.quality !== other.quality) return one.quality > other.quality
  if (one.fit !== other.fit) return one.fit > other.fit
  return one.place < other.place
}

const mediaFit: FitOf = (offer) => {
  const semicolon = offer.indexOf(';')
  const essence = (semicolon === -1 ? offer : offer.slice(0, semicolon)).trim().toLowerCase()
  const isPlainJson = essence === 'application/json' && semicolon === -1
  return ({ value, parameters, quality }) => {
    if (value === '*/*' || value === '*') return 1
    // Clients of APIs name JSON of their own kinds, and read any.
    if (isPlainJson && quality > 0 && isJson({ essence: value })) return value === essence ? 3 : 2
    if (value.endsWith('/*')) return essence.startsWith(value.slice(0, -1)) ? 2 : 0
    if (value !== essence) return 0
    if (parameters === NONE) return 3
    // JSON has no charset, but many clients send one. Text is always UTF-8 here.
    const names = Object.keys(parameters).filter((name) => name !== 'charset')
    const offered = semicolon === -1 ? NONE : parseParameters(offer, semicolon)
    for (const name of names) {
      if (offered[name]?.toLowerCase() !== parameters[name]?.toLowerCase()) return 0
    }
    return 3 + names.length
  }
}

const languageFit: FitOf = (offer) => {
  const language = offer.toLowerCase()
  return (range) => {
    if (range.value === '*') return 1
    if (range.value === language) return 1000
    if (language.startsWith(`${range.value}-`)) return 100 + range.value.length
    return range.value.startsWith(`${language}-`) ? 2 + language.length : 0
  }
}
