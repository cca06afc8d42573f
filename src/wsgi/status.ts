/**
 * Parses and formats status lines: `NNN Reason`.
 *
 * @module
 */

/** Reason phrases by HTTP status code, from the IANA registry. */
export const STATUS_REASONS: ReadonlyMap<number, string> = new Map([
  [100, 'Continue'],
  [101, 'Switching Protocols'],
  [102, 'Processing'],
  [103, 'Early Hints'],
  [104, 'Upload Resumption Supported'],
  [200, 'OK'],
  [201, 'Created'],
  [202, 'Accepted'],
  [203, 'Non-Authoritative Information'],
  [204, 'No Content'],
  [205, 'Reset Content'],
  [206, 'Partial Content'],
  [207, 'Multi-Status'],
  [208, 'Already Reported'],
  [226, 'IM Used'],
  [300, 'Multiple Choices'],
  [301, 'Moved Permanently'],
  [302, 'Found'],
  [303, 'See Other'],
  [304, 'Not Modified'],
  [305, 'Use Proxy'],
  [307, 'Temporary Redirect'],
  [308, 'Permanent Redirect'],
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [402, 'Payment Required'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [406, 'Not Acceptable'],
  [407, 'Proxy Authentication Required'],
  [408, 'Request Timeout'],
  [409, 'Conflict'],
  [410, 'Gone'],
  [411, 'Length Required'],
  [412, 'Precondition Failed'],
  [413, 'Content Too Large'],
  [414, 'URI Too Long'],
  [415, 'Unsupported Media Type'],
  [416, 'Range Not Satisfiable'],
  [417, 'Expectation Failed'],
  [421, 'Misdirected Request'],
  [422, 'Unprocessable Content'],
  [423, 'Locked'],
  [424, 'Failed Dependency'],
  [425, 'Too Early'],
  [426, 'Upgrade Required'],
  [428, 'Precondition Required'],
  [429, 'Too Many Requests'],
  [431, 'Request Header Fields Too Large'],
  [451, 'Unavailable For Legal Reasons'],
  [500, 'Internal Server Error'],
  [501, 'Not Implemented'],
  [502, 'Bad Gateway'],
  [503, 'Service Unavailable'],
  [504, 'Gateway Timeout'],
  [505, 'HTTP Version Not Supported'],
  [506, 'Variant Also Negotiates'],
  [507, 'Insufficient Storage'],
  [508, 'Loop Detected'],
  [510, 'Not Extended'],
  [511, 'Network Authentication Required'],
])

// Reasons for unregistered codes, by class (RFC 9110 §15).
const CLASS_REASONS = ['', 'Informational', 'Successful', 'Redirection', 'Client Error', 'Server Error']

/** Maximum length of a reason phrase in characters. Clients limit the length of a status line. */
export const MAX_REASON_LENGTH = 1024

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
const CONTROLS = /[\x00-\x1f\x7f]+/g
const BEYOND_LATIN1 = /[\u{100}-\u{10ffff}]/gu
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/**
 * Makes text safe for a reason phrase (RFC 9112 §4): control characters become blanks, characters beyond Latin-1 become
 * `?`, and text longer than {@link MAX_REASON_LENGTH} is cut.
 *
 * @example
 * ```ts
 * import { reasonPhrase } from 'propylon/wsgi'
 *
 * console.log(reasonPhrase('Not\nFound')) // 'Not Found'
 * ```
 */
export function reasonPhrase(text: string): string {
  if (text.length <= MAX_REASON_LENGTH && PLAIN.test(text)) return text
  return text
    .slice(0, 4 * MAX_REASON_LENGTH)
    .replace(CONTROLS, ' ')
    .replace(BEYOND_LATIN1, '?')
    .replace(/^ +/, '')
    .slice(0, MAX_REASON_LENGTH)
    .replace(/ +$/, '')
}

/** A parsed status line. */
interface Status {
  readonly code: number
  /** Safe to send. */
  readonly reason: string
  /** Whether the reason is ASCII. */
  readonly isAscii: boolean
}

const cache = new Map<string, Status>()
const MAX_CACHED = 256
const MAX_CACHED_LENGTH = 64

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
  const cached = cache.get(status)
  if (cached !== undefined) return cached
  if (typeof status !== 'string' || !/^\d{3}(?: |$)/.test(status)) {
    throw new TypeError(
      `The status ${JSON.stringify(status)} is not three digits, a blank and a reason. Write '404 Not Found'.`,
    )
  }
  const code = Number(status.slice(0, 3))
  const reason = reasonPhrase(status.slice(4)) || reasonFor(code)
  const result: Status = { code: checkCode(code), reason, isAscii: PLAIN.test(reason) }
  if (cache.size < MAX_CACHED && status.length <= MAX_CACHED_LENGTH) cache.set(status, result)
  return result
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
  if (typeof status === 'number') return linesByCode[status] ?? makeLine(status)
  const { code, reason } = readStatus(status)
  return `${code} ${reason}`
}

// Status lines, cached by code.
const linesByCode: (string | undefined)[] = []

function makeLine(code: number): string {
  const line = `${checkCode(code)} ${reasonFor(code)}`
  linesByCode[code] = line
  return line
}

/** Returns true for a status whose responses have no body (RFC 9110 §6.4.1, §15.3.6). */
export function isBodyless(code: number): boolean {
  return code === 204 || code === 304 || code === 205 || code < 200
}

function reasonFor(code: number): string {
  return STATUS_REASONS.get(code) ?? CLASS_REASONS[Math.floor(code / 100)] ?? ''
}

function checkCode(code: number): number {
  if (!Number.isInteger(code) || code < 100 || code > 599) {
    throw new RangeError(`The status code ${code} is not between 100 and 599.`)
  }
  return code
}
