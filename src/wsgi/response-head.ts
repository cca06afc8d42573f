/**
 * The head of a response: parses and checks the status line and the header fields.
 *
 * @module
 */
import { describeValue } from '../base/describe.ts'
import { reasonFor, reasonPhrase } from './reason-phrase.ts'
import type { HeaderPair } from './types.ts'

// Names and values may come from clients, so the caches are limited.
const MAX_CACHED = 1024
const MAX_CACHED_LENGTH = 64

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const NOT_PRINTABLE_ASCII = /[^\t\x20-\x7e]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
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

/** The status of a response that accepts the upgrade of a connection. */
export const SWITCHING_PROTOCOLS = 101

/** Kind of a response header field, by its name. */
type HeaderKind = 'field' | 'hop-by-hop' | 'content-length' | 'malformed'

const kinds = new Map<string, HeaderKind>()

/** Checked status and header fields of a response. */
export interface ResponseHead {
  /** 200 to 599, or 101. */
  readonly code: number
  /** Reason phrase, safe to send. */
  readonly reason: string
  /** Header fields in order: name, value, name, value, … */
  readonly fields: string[]
  /** Value of Content-Length in bytes, -1 without one. */
  length: number
  /** Whether the reason and all fields are ASCII. */
  readonly ascii: boolean
  /** Whether a response with this status has no body. */
  readonly bodyless: boolean
}

/**
 * Checks a status and headers, and copies them.
 *
 * @throws RangeError - the status code is not 200 to 599, nor 101, which accepts an upgrade.
 * @throws TypeError - the status has no code, or a header is malformed, hop-by-hop or a second Content-Length.
 */
export function makeHead(status: string, headers: readonly HeaderPair[]): ResponseHead {
  const { code, reason, isAscii } = readStatus(status)
  if (code < 200 && code !== SWITCHING_PROTOCOLS) {
    throw new RangeError(`The status ${status} is informational and cannot be a response. Send 200 to 599.`)
  }
  if (!Array.isArray(headers)) {
    throw new TypeError('The headers passed to start_response are not an array. Pass pairs: [[name, value], …].')
  }
  const fields: string[] = []
  let length = -1
  let ascii = isAscii
  for (const pair of headers) {
    if (!Array.isArray(pair)) {
      throw new TypeError(`The response header ${describeValue(pair)} is not a pair. Write [name, value].`)
    }
    const [name, value] = pair
    if (!checkHeaderValue(name, value)) ascii = false
    const kind = headerKind(name)
    if (kind !== 'field') {
      if (kind === 'content-length') length = declaredLength(value, length)
      else refuse(name)
    }
    fields.push(name, value)
  }
  return { code, reason, fields, length, ascii, bodyless: isBodyless(code) }
}

/**
 * Corrects Content-Length for a status without a body (RFC 9110 §8.6, §15.3.6): 204 has none, 205 has zero. 304 may
 * have the length that a GET has.
 */
export function withoutBody(head: ResponseHead): void {
  const { code, fields } = head
  if (code !== 204 && code !== 205) return
  for (let at = fields.length - 2; at >= 0; at -= 2) {
    if (headerKind(fields[at] ?? '') === 'content-length') fields.splice(at, 2)
  }
  if (code === 205) fields.push('Content-Length', '0')
  head.length = -1
}

/** Returns header fields as pairs. */
export function fieldPairs(fields: readonly string[]): HeaderPair[] {
  const pairs: HeaderPair[] = []
  for (let at = 0; at < fields.length; at += 2) pairs.push([fields[at] ?? '', fields[at + 1] ?? ''])
  return pairs
}

/** Returns the value of the header field Content-Type. */
export function contentTypeOf(fields: readonly string[]): string | undefined {
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] ?? ''
    if (name.length === 12 && name.toLowerCase() === 'content-type') return fields[at + 1]
  }
  return undefined
}

function declaredLength(value: string, before: number): number {
  const length = parseContentLength(value)
  if (length < 0) throw new TypeError(`Content-Length is ${describeValue(value)}. Write a number of bytes.`)
  if (before >= 0) throw new TypeError('The headers contain Content-Length twice. Keep one.')
  return length
}

/** Throws the error for a name that is malformed or hop-by-hop. */
function refuse(name: string): never {
  throw new TypeError(
    typeof name === 'string' && headerKind(name) === 'hop-by-hop'
      ? `The response header ${name} concerns the connection, which belongs to the server. Leave it out.`
      : `The response header name ${describeValue(name)} is not a token. Use letters, digits and -, without blanks or colons.`,
  )
}

/** Maximum number of digits. Numbers of this length are exact. */
const MAX_DIGITS = 15

/** Parses a Content-Length (RFC 9110 §8.6). Returns -1 unless it is a decimal number of at most 15 digits. */
export function parseContentLength(text: string): number {
  if (text.length === 0 || text.length > MAX_DIGITS) return -1
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 0x30
    if (digit < 0 || digit > 9) return -1
    length = length * 10 + digit
  }
  return length
}

/** Returns the kind of a response header field. */
export function headerKind(name: string): HeaderKind {
  if (typeof name !== 'string') return 'malformed'
  const cached = kinds.get(name)
  if (cached !== undefined) return cached
  const kind = findKind(name)
  if (kinds.size < MAX_CACHED && name.length <= MAX_CACHED_LENGTH) kinds.set(name, kind)
  return kind
}

function findKind(name: string): HeaderKind {
  if (!TOKEN.test(name)) return 'malformed'
  const lower = name.toLowerCase()
  if (lower === 'content-length') return 'content-length'
  return HOP_BY_HOP.has(lower) ? 'hop-by-hop' : 'field'
}

/** Returns true for a header field of one connection (RFC 9110 §7.6.1), which an application must not send. */
export function isHopByHop(name: string): boolean {
  return headerKind(name) === 'hop-by-hop'
}

/** Returns true for a token (RFC 9110 §5.6.2), such as a method or a header name. */
export function isToken(text: string): boolean {
  return TOKEN.test(text)
}

/**
 * Checks one response header field (RFC 9110 §5.1, §5.5). No value that passes can end the field and start another.
 *
 * @returns true if the value is ASCII.
 * @throws TypeError - the name is not a token, or the value contains a line break, another control character or a
 *   character beyond Latin-1.
 */
export function checkHeader(name: string, value: string): boolean {
  if (headerKind(name) === 'malformed') refuse(name)
  return checkHeaderValue(name, value)
}

/** Checks the value of a response header field. See {@link checkHeader}. */
function checkHeaderValue(name: string, value: string): boolean {
  if (typeof value !== 'string') {
    throw new TypeError(
      `The response header ${name} has the value ${describeValue(value)}, which is not a string. Convert it.`,
    )
  }
  if (!NOT_PRINTABLE_ASCII.test(value)) return true
  if (CONTROL.test(value)) {
    throw new TypeError(
      `The response header ${name} contains a control character: ${describeValue(value)}. Remove line breaks and other controls. ` +
        'A value from outside may be an attempt to inject headers.',
    )
  }
  if (BEYOND_LATIN1.test(value)) {
    throw new TypeError(
      `The response header ${name} contains a character beyond Latin-1: ${describeValue(value)}. Encode it: encodeURI() in a URL, ` +
        "filename*=UTF-8''… in Content-Disposition (RFC 8187), encodeURIComponent() elsewhere.",
    )
  }
  return false
}

/** A parsed status line. */
interface Status {
  /** The status line, safe to send. */
  readonly line: string
  readonly code: number
  /** Safe to send. */
  readonly reason: string
  /** Whether the reason is ASCII. */
  readonly isAscii: boolean
}

/** Statuses by their lines. */
const statuses = new Map<string, Status>()
const MAX_STATUSES = 256

/**
 * Parses a status line: `404 Not Found` → `[404, 'Not Found']`. The reason is made safe by {@link reasonPhrase}.
 *
 * @throws TypeError - the line does not begin with three digits and a blank.
 * @throws RangeError - the code is not 100 to 599.
 * @example
 * ```ts
 * import { parseStatus } from 'propylon/wsgi'
 *
 * const [code, reason] = parseStatus('404 Not Found')
 * console.log(code, reason) // 404, 'Not Found'
 * ```
 */
export function parseStatus(status: string): readonly [code: number, reason: string] {
  const { code, reason } = readStatus(status)
  return [code, reason]
}

/** Parses a status line like {@link parseStatus}, cached. */
export function readStatus(status: string): Status {
  const cached = statuses.get(status)
  if (cached !== undefined) return cached
  if (typeof status !== 'string' || !/^\d{3}(?: |$)/.test(status)) {
    throw new TypeError(
      `The status ${JSON.stringify(status)} is not three digits, a blank and a reason. Write '404 Not Found'.`,
    )
  }
  const code = checkCode(Number(status.slice(0, 3)))
  const reason = reasonPhrase(status.slice(4)) || reasonFor(code)
  const result: Status = { line: `${code} ${reason}`, code, reason, isAscii: !NOT_PRINTABLE_ASCII.test(reason) }
  if (statuses.size < MAX_STATUSES && status.length <= MAX_CACHED_LENGTH) statuses.set(status, result)
  return result
}

/** Returns the status of a code, or of a line. See {@link statusLine}. */
export function statusOf(status: number | string): Status {
  return readStatus(typeof status === 'number' ? String(checkCode(status)) : status)
}

/**
 * Formats a status line.
 *
 * @param status - `404`, `'404'` or `'404 Not Found'`. A given reason is kept, made safe by {@link reasonPhrase}.
 * @throws RangeError - the code is not 100 to 599.
 * @throws TypeError - the text is not a status.
 *
 * @example
 * ```ts
 * import { statusLine } from 'propylon/wsgi'
 *
 * statusLine(404) // '404 Not Found'
 * statusLine('400 Bad Request -- name is missing') // '400 Bad Request -- name is missing'
 * ```
 */
export function statusLine(status: number | string): string {
  return statusOf(status).line
}

/** Returns true for a status whose responses have no body (RFC 9110 §6.4.1, §15.3.6). */
export function isBodyless(code: number): boolean {
  return code === 204 || code === 304 || code === 205 || code < 200
}

function checkCode(code: number): number {
  if (!Number.isInteger(code) || code < 100 || code > 599) {
    throw new RangeError(`The status code ${code} is not between 100 and 599.`)
  }
  return code
}
