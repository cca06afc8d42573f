/**
 * Entity tags of compressed representations: `"v1"` is `"v1-br"` when it is compressed with Brotli.
 *
 * A strong tag identifies the bytes that are sent (RFC 9110 §8.8.3.3), so each content coding needs its own. The
 * application has its own tags only: tags of requests are extended by the tags from which they were made.
 *
 * @module
 */

import type { ContentCoding } from '../../http/compression.ts'
import { type EntityTag, isWeakMatch, parseEntityTags } from '../../http/conditional.ts'
import { isSafe } from '../../http/cross-site.ts'
import type { Environ } from '../../wsgi/types.ts'

const CODED = /^((?:W\/)?".*)-(br|zstd|gzip)"$/s

/** Returns the tag of a representation in a coding. A weak tag applies to all codings, so it is returned unchanged. */
export function codedTag(tag: EntityTag, coding: ContentCoding): EntityTag {
  return tag.startsWith('"') && tag.endsWith('"') ? `${tag.slice(0, -1)}-${coding}"` : tag
}

/**
 * Adds the tags of the application to If-Match and If-None-Match of a request.
 *
 * If-None-Match of GET and HEAD is compared with the representation that would be sent, so only tags of its coding are
 * extended. All other comparisons are about the state of the resource, of which every coding is a witness. If-Range,
 * and If-Match of a range request, are left alone: ranges are never compressed, so they must not continue a part of
 * a compressed representation.
 *
 * @param coding - the coding of a compressed response to this request.
 */
export function addPlainTags(environ: Environ, coding: ContentCoding | undefined): void {
  const { HTTP_IF_MATCH: match, HTTP_IF_NONE_MATCH: noneMatch } = environ
  const isRead = isSafe(environ.REQUEST_METHOD)
  const isRange = isRead && environ.HTTP_RANGE !== undefined
  if (match !== undefined && !isRange) environ.HTTP_IF_MATCH = withPlainTags(match, () => true)
  if (noneMatch === undefined) return
  environ.HTTP_IF_NONE_MATCH = withPlainTags(noneMatch, (own) => !isRead || own === coding)
}

function withPlainTags(header: string, isKnown: (coding: string) => boolean): string {
  const tags = parseEntityTags(header)
  if (tags === '*') return header
  const plain = tags.flatMap((tag) => {
    const [, start = '', coding = ''] = CODED.exec(tag) ?? []
    return isKnown(coding) && start !== '' ? [`${start}"`] : []
  })
  return [header, ...plain].join(', ')
}

/**
 * Returns the tag of a 304 response: the one that the client has, if the application matched the tag from which it was
 * made.
 *
 * @param noneMatch - If-None-Match of the request, as sent by the client.
 */
export function matchedTag(tag: EntityTag, coding: ContentCoding, noneMatch: string | undefined): EntityTag {
  const sent = parseEntityTags(noneMatch ?? '')
  const coded = codedTag(tag, coding)
  return sent !== '*' && sent.some((one) => isWeakMatch(one, coded)) ? coded : tag
}
