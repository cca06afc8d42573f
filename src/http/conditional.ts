/**
 * Conditional requests (RFC 9110 §13): entity tags, dates and the precedence of the header fields.
 *
 * @module
 */

import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { parseHttpDate } from './date.ts'

/** An entity tag in the syntax of header fields, for instance `"v1"` or `W/"v1"`. */
export type EntityTag = string

/** The tags of an If-Match or If-None-Match header. `*` matches any representation. */
export type EntityTagList = '*' | readonly EntityTag[]

const TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/
const TAGS = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g

/**
 * Returns an entity tag, with quotes added unless `name` is a tag already.
 *
 * @throws TypeError - the name contains spaces, quotes, control characters or characters above U+00FF.
 *
 * @example
 * ```ts
 * import { toEntityTag } from 'propylon/http'
 *
 * toEntityTag('v1') // '"v1"'
 * ```
 */
export function toEntityTag(name: string): EntityTag {
  const tag = TAG.test(name) ? name : `"${name}"`
  if (!TAG.test(tag))
    throw new TypeError(
      `The entity tag ${JSON.stringify(name)} is invalid. Use characters from U+0021 to U+00FF except quotes and U+007F.`,
    )
  return tag
}

/**
 * Returns an entity tag computed from content: the first half of its SHA-256. Equal bytes have equal tags on every
 * machine.
 *
 * @param weak - whether to return a weak tag (`W/"…"`), for content that is only semantically equivalent.
 *
 * @example
 * ```ts
 * import { entityTagOf } from 'propylon/http'
 *
 * entityTagOf('hello') // '"2cf24dba5fb0a30e26e83b2ac5b9e29e"'
 * ```
 */
export function entityTagOf(content: string | Uint8Array, weak = false): EntityTag {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const digest = bytesToHex(sha256(bytes).subarray(0, 16))
  return weak ? `W/"${digest}"` : `"${digest}"`
}

/**
 * Parses If-Match or If-None-Match. Malformed tags are skipped.
 *
 * @example
 * ```ts
 * import { parseEntityTags } from 'propylon/http'
 *
 * parseEntityTags('"v1", W/"v2"') // ['"v1"', 'W/"v2"']
 * ```
 */
export function parseEntityTags(header: string): EntityTagList {
  return header.trim() === '*' ? '*' : (header.match(TAGS) ?? [])
}

/**
 * Returns true if two tags are equal and neither is weak: the strong comparison (RFC 9110 §8.8.3.2).
 *
 * @example
 * ```ts
 * import { isStrongMatch } from 'propylon/http'
 *
 * isStrongMatch('W/"v1"', 'W/"v1"') // false
 * ```
 */
export function isStrongMatch(one: EntityTag, other: EntityTag): boolean {
  return one === other && !one.startsWith('W/')
}

/**
 * Returns true if two tags are equal apart from the prefix `W/`: the weak comparison (RFC 9110 §8.8.3.2).
 *
 * @example
 * ```ts
 * import { isWeakMatch } from 'propylon/http'
 *
 * isWeakMatch('W/"v1"', '"v1"') // true
 * ```
 */
export function isWeakMatch(one: EntityTag, other: EntityTag): boolean {
  return opaque(one) === opaque(other)
}

function opaque(tag: EntityTag): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}

/** The validators of the current representation of a resource. */
export interface Validators {
  /** Entity tag. */
  readonly etag?: EntityTag | undefined
  /** Date of the last change. */
  readonly lastModified?: Date | undefined
  /** Whether the resource has a representation, which `*` matches. Defaults to true. */
  readonly exists?: boolean | undefined
}

/** The method and the conditional header fields of a request. */
export interface Preconditions {
  readonly method: string
  readonly ifMatch?: string | undefined
  readonly ifNoneMatch?: string | undefined
  readonly ifModifiedSince?: string | undefined
  readonly ifUnmodifiedSince?: string | undefined
}

/** Result of an evaluation: process the request, respond 304 Not Modified, or respond 412 Precondition Failed. */
export type PreconditionResult = 'proceed' | 'not-modified' | 'failed'

/** The members of a request that conditional responses use. */
export interface ConditionalRequest {
  readonly method: string
  preconditions(current: Validators): PreconditionResult
}

/**
 * Evaluates preconditions in the order of RFC 9110 §13.2.2. If-Unmodified-Since is ignored if there is an If-Match.
 * If-Modified-Since is ignored if there is an If-None-Match or the method is not GET or HEAD. Malformed dates are
 * ignored. CONNECT, OPTIONS and TRACE have no preconditions (§13.2.1).
 *
 * @example
 * ```ts
 * import { evaluatePreconditions } from 'propylon/http'
 *
 * evaluatePreconditions({ method: 'PUT', ifMatch: '"v1"' }, { etag: '"v2"' }) // 'failed'
 * ```
 */
export function evaluatePreconditions(request: Preconditions, current: Validators): PreconditionResult {
  if (UNCONDITIONAL.has(request.method)) return 'proceed'
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

const UNCONDITIONAL: ReadonlySet<string> = new Set(['CONNECT', 'OPTIONS', 'TRACE'])

function matches(
  tags: EntityTagList,
  etag: EntityTag | undefined,
  exists: boolean,
  isMatch: (one: EntityTag, other: EntityTag) => boolean,
): boolean {
  if (tags === '*') return exists
  return exists && etag !== undefined && tags.some((tag) => isMatch(tag, etag))
}

/** Returns true if a date is after another. Compares whole seconds, the resolution of HTTP dates. */
function isLater(moment: Date | undefined, since: Date): boolean {
  return moment !== undefined && Math.floor(moment.getTime() / 1000) > Math.floor(since.getTime() / 1000)
}
