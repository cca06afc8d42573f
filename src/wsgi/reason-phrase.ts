import { trimEnd } from '../base/trim.ts'
/**
 * Reason phrases of status lines.
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
  const plain = text
    .slice(0, 4 * MAX_REASON_LENGTH)
    .replace(CONTROLS, ' ')
    .replace(BEYOND_LATIN1, '?')
    .replace(/^ +/, '')
    .slice(0, MAX_REASON_LENGTH)
  return trimEnd(plain, ' ')
}

/** Returns the reason of a code that is given without one; for unregistered codes, the reason of its class. */
export function reasonFor(code: number): string {
  return STATUS_REASONS.get(code) ?? CLASS_REASONS[Math.floor(code / 100)] ?? ''
}
