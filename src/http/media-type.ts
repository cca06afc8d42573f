/**
 * Media types and their parameters (RFC 9110 §5.6.6, §8.3.1).
 *
 * @module
 */

import { trimEnd } from '../base/trim.ts'
import { isToken } from '../wsgi/response-head.ts'

/** A parsed media type. */
export interface MediaType {
  /** `type/subtype` in lower case, without parameters. */
  readonly essence: string
  /** Parameters by lower-case name. The first of a name wins. The object has no prototype. */
  readonly parameters: Readonly<Record<string, string>>
}

const ESSENCE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/**
 * Parses a Content-Type.
 *
 * @returns `undefined` if the text does not begin with `type/subtype`. Malformed parameters are omitted.
 *
 * @example
 * ```ts
 * import { parseMediaType } from 'propylon/http'
 *
 * parseMediaType('Text/HTML; charset=utf-8')?.essence // 'text/html'
 * ```
 */
export function parseMediaType(text: string): MediaType | undefined {
  const known = plainTypes.get(text)
  if (known !== undefined) return known
  const end = text.indexOf(';')
  const essence = (end === -1 ? text : text.slice(0, end)).trim().toLowerCase()
  if (!ESSENCE.test(essence)) return undefined
  if (end !== -1) return { essence, parameters: parseParameters(text, end) }
  const type: MediaType = { essence, parameters: NO_PARAMETERS }
  if (plainTypes.size < MAX_CACHED && text.length <= MAX_CACHED_LENGTH) plainTypes.set(text, type)
  return type
}

// Clients choose the types that they send, so the cache is limited.
const MAX_CACHED = 256
const MAX_CACHED_LENGTH = 64

/** Parsed types without parameters. */
const plainTypes = new Map<string, MediaType>()

/** Returns true for `application/json`, `text/json` and types with the suffix `+json` (RFC 6839 §3.1). */
export function isJson({ essence }: Pick<MediaType, 'essence'>): boolean {
  return essence === 'application/json' || essence === 'text/json' || essence.endsWith('+json')
}

/** A type whose text is UTF-8 always: event streams (WHATWG HTML §9.2.5). */
const ALWAYS_UTF_8 = 'text/event-stream'

/**
 * Returns a content type with `charset=utf-8` if it is a text type without a charset. Clients assume other charsets
 * otherwise: browsers one by the language of the user, for `text/plain`.
 */
export function withCharset(contentType: string): string {
  if (!/^\s*text\//i.test(contentType)) return contentType
  const type = parseMediaType(contentType)
  if (type === undefined || type.parameters.charset !== undefined || type.essence === ALWAYS_UTF_8) {
    return contentType
  }
  return `${trimEnd(contentType, '; \t')}; charset=utf-8`
}

const NO_PARAMETERS: Readonly<Record<string, string>> = Object.freeze(Object.create(null))

/**
 * Parses `; name=value; name="quoted value"`.
 *
 * In a quoted string, `\"` and `\\` are escapes. Any other backslash is literal, because old browsers send Windows
 * paths unescaped.
 *
 * @param start - index of the first semicolon.
 */
export function parseParameters(text: string, start: number): Record<string, string> {
  const parameters: Record<string, string> = Object.create(null)
  let at = start
  while (at < text.length) {
    if (text[at] === ';') at++
    const equals = text.indexOf('=', at)
    const semicolon = text.indexOf(';', at)
    if (equals === -1) break
    if (semicolon !== -1 && semicolon < equals) {
      // Skip all semicolons before the `=` at once. Skipping one at a time would search for the same `=` again.
      at = text.lastIndexOf(';', equals)
      continue
    }
    const name = text.slice(at, equals).trim().toLowerCase()
    let value: string
    let begin = equals + 1
    while (text[begin] === ' ' || text[begin] === '\t') begin++
    if (text[begin] === '"') {
      const close = closingQuote(text, begin + 1)
      value = text.slice(begin + 1, close).replace(/\\(["\\])/g, '$1')
      const next = text.indexOf(';', close)
      at = next === -1 ? text.length : next
    } else {
      at = semicolon === -1 ? text.length : semicolon
      value = text.slice(begin, at).trim()
    }
    if (isToken(name) && !(name in parameters)) parameters[name] = value
  }
  return parameters
}

function closingQuote(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === '"') return at
    if (text[at] === '\\' && (text[at + 1] === '"' || text[at + 1] === '\\')) at++
  }
  return text.length
}
