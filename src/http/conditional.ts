/**
 * Conditional requests (RFC 9110 §13): entity tags, dates, and the order in which they count.
 *
 * @module
 */

import { sha256 } from '@noble/hashes/sha2.js'
import { parseHttpDate } from './date.ts'

/** An entity tag as it stands in a header, for instance `"v1"` or `W/"v1"`. */
export type EntityTag = string

/** The tags of an If-Match or If-None-Match header; `*` stands for any representation. */
export type EntityTagList = '*' | readonly EntityTag[]

const TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/
const TAGS = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g

/**
 * Makes a tag of a name: quotes it unless it is a tag already.
 *
 * @throws TypeError when it holds blanks, quotes, control characters or characters beyond U+00FF.
 */
export function toEntityTag(name: string): EntityTag {
  const tag = TAG.test(name) ? name : `"${name}"`
  if (!TAG.test(tag)) throw new TypeError(`${JSON.stringify(name)} cannot be an entity tag`)
  return tag
}

/**
 * The entity tag of content: half of its SHA-256, so equal bytes have equal tags on every machine.
 *
 * @param weak - whether to mark it as weak (`W/"…"`), for content that is equal in meaning only.
 */
export function entityTagOf(content: string | Uint8Array, weak = false): EntityTag {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  let digest = ''
  for (const byte of sha256(bytes).subarray(0, 16)) digest += byte.toString(16).padStart(2, '0')
  return weak ? `W/"${digest}"` : `"${digest}"`
}

/** Reads If-Match or If-None-Match. What is no tag is passed over. */
export function parseEntityTags(header: string): EntityTagList {
  return header.trim() === '*' ? '*' : (header.match(TAGS) ?? [])
}

/** Strong comparison (RFC 9110 §8.8.3.2): equal, and neither is weak. */
export function isStrongMatch(one: EntityTag, other: EntityTag): boolean {
  return one === other && !one.startsWith('W/')
}

/** Weak comparison (RFC 9110 §8.8.3.2): equal apart from the mark of weakness. */
export function isWeakMatch(one: EntityTag, other: EntityTag): boolean {
  return opaque(one) === opaque(other)
}

function opaque(tag: EntityTag): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}

/** What a resource says of its current representation. */
export interface Validators {
  /** Its entity tag. */
  readonly etag?: EntityTag | undefined
  /** When it was last changed. */
  readonly lastModified?: Date | undefined
  /** Whether there is one at all (for `*`); default true. */
  readonly exists?: boolean | undefined
}

/** The request's side: its method and conditional header fields as they were sent. */
export interface Preconditions {
  readonly method: string
  readonly ifMatch?: string | undefined
  readonly ifNoneMatch?: string | undefined
  readonly ifModifiedSince?: string | undefined
  readonly ifUnmodifiedSince?: string | undefined
}

/** What to do: go on, answer 304 Not Modified, or answer 412 Precondition Failed. */
export type PreconditionResult = 'proceed' | 'not-modified' | 'failed'

/** A request as far as conditions are concerned. */
export interface ConditionalRequest {
  readonly method: string
  preconditions(current: Validators): PreconditionResult
}

/**
 * Evaluates preconditions in the order of RFC 9110 §13.2.2. If-Unmodified-Since counts only without If-Match,
 * If-Modified-Since only without If-None-Match and only for GET and HEAD. A date that cannot be read is ignored.
 */
export function evaluatePreconditions(request: Preconditions, current: Validators): PreconditionResult {
  const exists = current.exists ?? true
  const reads = request.method === 'GET' || request.method === 'HEAD'
  if (request.ifMatch !== undefined) {
    if (!matches(parseEntityTags(request.ifMatch), current.etag, exists, isStrongMatch)) return 'failed'
  } else if (request.ifUnmodifiedSince !== undefined) {
    const since = parseHttpDate(request.ifUnmodifiedSince)
    if (since !== undefined && isLater(current.lastModified, since)) return 'failed'
  }
  if (request.ifNoneMatch !== undefined) {
    if (matches(parseEntityTags(request.ifNoneMatch), current.etag, exists, isWeakMatch)) {
      return reads ? 'not-modified' : 'failed'
    }
  } else if (reads && request.ifModifiedSince !== undefined) {
    const since = parseHttpDate(request.ifModifiedSince)
    if (since !== undefined && current.lastModified !== undefined && !isLater(current.lastModified, since)) {
      return 'not-modified'
    }
  }
  return 'proceed'
}

function matches(
  tags: EntityTagList,
  etag: EntityTag | undefined,
  exists: boolean,
  isMatch: (one: EntityTag, other: EntityTag) => boolean,
): boolean {
  if (tags === '*') return exists
  return exists && etag !== undefined && tags.some((tag) => isMatch(tag, etag))
}

/** Whether a moment lies after another, in whole seconds, as the header has no more. */
function isLater(moment: Date | undefined, since: Date): boolean {
  return moment !== undefined && Math.floor(moment.getTime() / 1000) > Math.floor(since.getTime() / 1000)
}
