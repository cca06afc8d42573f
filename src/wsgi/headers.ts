/**
 * Header fields at the gateway: their names in the environ, and what may go out.
 *
 * @module
 */

/** How a response header field is to be treated, by its name. */
export type HeaderKind = 'field' | 'hop-by-hop' | 'content-length' | 'malformed'

// A client chooses the names of request headers, so what is remembered of them has a limit.
const MAX_REMEMBERED = 1024
const MAX_REMEMBERED_LENGTH = 64

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const NOT_PRINTABLE_ASCII = /[^\t\x20-\x7e]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/
const BEYOND_LATIN1 = /[\u{100}-\u{10ffff}]/u

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'trailers',
  'transfer-encoding',
  'upgrade',
])

/** A request header field's name and its key in the environ. */
export interface EnvironName {
  readonly name: string
  readonly key: string
}

const environNames = new Map<string, EnvironName>()
const kinds = new Map<string, HeaderKind>()
// Values of response header fields that have been checked and are plain ASCII: most responses repeat them.
const plainValues = new Set<string>()

/**
 * The environ's key for a request header field (RFC 3875 §4.1.18).
 *
 * @param name - the field's name in any case.
 * @returns `CONTENT_TYPE`, `CONTENT_LENGTH` or `HTTP_` and the name; undefined for a name that is no token or that holds
 *   an underscore, since `X_User` and `X-User` would be the same key and one could pose as the other.
 *
 * @example
 * ```ts
 * environKey('Content-Type') // 'CONTENT_TYPE'
 * environKey('accept') // 'HTTP_ACCEPT'
 * environKey('X_User') // undefined
 * ```
 */
export function environKey(name: string): string | undefined {
  return environName(name)?.key
}

/** {@link environKey} with the name; the same object each time, as long as it is remembered. */
export function environName(name: string): EnvironName | undefined {
  const known = environNames.get(name)
  if (known !== undefined) return known
  const key = makeKey(name)
  if (key === undefined) return undefined
  const made: EnvironName = { name, key }
  if (environNames.size < MAX_REMEMBERED && name.length <= MAX_REMEMBERED_LENGTH) environNames.set(name, made)
  return made
}

function makeKey(name: string): string | undefined {
  if (name.includes('_') || !TOKEN.test(name)) return undefined
  const upper = name.toUpperCase().replaceAll('-', '_')
  return upper === 'CONTENT_TYPE' || upper === 'CONTENT_LENGTH' ? upper : `HTTP_${upper}`
}

/**
 * The header field's name for a key of the environ: {@link environKey} the other way round.
 *
 * @returns the name in lower case, undefined when the key stands for no header field.
 */
export function headerName(key: string): string | undefined {
  if (key === 'CONTENT_TYPE') return 'content-type'
  if (key === 'CONTENT_LENGTH') return 'content-length'
  return key.startsWith('HTTP_') ? key.slice(5).toLowerCase().replaceAll('_', '-') : undefined
}

/**
 * What a second request header field of the same name becomes in the environ (RFC 9110 §5.3, RFC 6265 §5.4).
 *
 * @returns the values joined by `, ` (`; ` for Cookie); of fields that are no lists, the first alone.
 */
export function joinHeader(key: string, first: string, second: string): string {
  if (SINGLETONS.has(key)) return first
  return key === 'HTTP_COOKIE' ? `${first}; ${second}` : `${first}, ${second}`
}

const SINGLETONS: ReadonlySet<string> = new Set([
  'CONTENT_TYPE',
  'CONTENT_LENGTH',
  'HTTP_AUTHORIZATION',
  'HTTP_FROM',
  'HTTP_HOST',
  'HTTP_IF_MODIFIED_SINCE',
  'HTTP_IF_UNMODIFIED_SINCE',
  'HTTP_MAX_FORWARDS',
  'HTTP_PROXY_AUTHORIZATION',
  'HTTP_REFERER',
  'HTTP_USER_AGENT',
])

/** How a response header field of this name is to be treated. */
export function headerKind(name: string): HeaderKind {
  if (typeof name !== 'string') return 'malformed'
  const known = kinds.get(name)
  if (known !== undefined) return known
  const kind = findKind(name)
  if (kinds.size < MAX_REMEMBERED && name.length <= MAX_REMEMBERED_LENGTH) kinds.set(name, kind)
  return kind
}

function findKind(name: string): HeaderKind {
  if (!TOKEN.test(name)) return 'malformed'
  const lower = name.toLowerCase()
  if (lower === 'content-length') return 'content-length'
  return HOP_BY_HOP.has(lower) ? 'hop-by-hop' : 'field'
}

/** Whether a header field concerns one connection only (RFC 9110 §7.6.1), so that an application must not send it. */
export function isHopByHop(name: string): boolean {
  return headerKind(name) === 'hop-by-hop'
}

/** Whether text is a token as RFC 9110 §5.6.2 defines it: what methods and header names are made of. */
export function isToken(text: string): boolean {
  return TOKEN.test(text)
}

/**
 * Checks one response header field (RFC 9110 §5.1 and §5.5).
 *
 * @returns whether the value is plain ASCII.
 * @throws TypeError when the name is no token, or when the value holds a line break, another control character or a
 *   character beyond Latin-1. Nothing that could end the field early and begin another ever gets past this.
 */
export function checkHeader(name: string, value: string): boolean {
  if (headerKind(name) === 'malformed') {
    throw new TypeError(
      `The response header name ${shown(name)} is not a token: use letters, digits and -, without blanks or colons.`,
    )
  }
  return checkHeaderValue(name, value)
}

/** The half of {@link checkHeader} that concerns the value. */
export function checkHeaderValue(name: string, value: string): boolean {
  if (typeof value !== 'string') {
    throw new TypeError(
      `The response header ${name} has the value ${shown(value)}, which is not a string: convert it first.`,
    )
  }
  if (plainValues.has(value)) return true
  if (!NOT_PRINTABLE_ASCII.test(value)) {
    if (plainValues.size < MAX_REMEMBERED && value.length <= MAX_REMEMBERED_LENGTH) plainValues.add(value)
    return true
  }
  if (CONTROL.test(value)) {
    throw new TypeError(
      `The response header ${name} holds a control character: ${shown(value)}. Remove line breaks and other controls; ` +
        'if the value comes from outside, someone may be trying to inject headers.',
    )
  }
  if (BEYOND_LATIN1.test(value)) {
    throw new TypeError(
      `The response header ${name} holds a character beyond Latin-1: ${shown(value)}. Encode it: encodeURI() in a URL, ` +
        "filename*=UTF-8''… in Content-Disposition (RFC 8187), encodeURIComponent() elsewhere.",
    )
  }
  return false
}

/** A value as an error message shows it: escaped and cut. */
export function shown(value: unknown): string {
  if (typeof value !== 'string')
    return value === null ? 'null' : typeof value === 'object' ? 'an object' : String(value)
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value)
}
