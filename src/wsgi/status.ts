/**
 * Status lines: `NNN Reason`, in and out.
 *
 * @module
 */

/** The reason phrases that IANA registers for HTTP status codes. */
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

// What a code without a registered phrase is called (RFC 9110 §15: it counts as the x00 of its class).
const CLASS_REASONS = ['', 'Informational', 'Successful', 'Redirection', 'Client Error', 'Server Error']

/** The longest reason phrase that goes out, in characters; clients limit the length of a status line. */
export const MAX_REASON_LENGTH = 1024

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROLS = /[\x00-\x1f\x7f]+/g
const BEYOND_LATIN1 = /[\u{100}-\u{10ffff}]/gu
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/**
 * Makes text fit for a reason phrase (RFC 9112 §4): line breaks and other controls become blanks, characters beyond
 * Latin-1 become `?`, and what exceeds {@link MAX_REASON_LENGTH} is cut. Text that fits already comes back unchanged.
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

/** A status line taken apart. */
interface Status {
  readonly code: number
  /** Fit to be sent. */
  readonly reason: string
  /** Whether the reason is plain ASCII. */
  readonly isAscii: boolean
}

const parsed = new Map<string, Status>()
const MAX_REMEMBERED = 256
const MAX_REMEMBERED_LENGTH = 64

/**
 * Takes a status line apart: `404 Not Found` → `[404, 'Not Found']`. The reason comes back fit to be sent.
 *
 * @throws TypeError when it does not begin with three digits and a blank, RangeError when the code is not 100 to 599.
 */
export function parseStatus(status: string): readonly [code: number, reason: string] {
  const { code, reason } = readStatus(status)
  return [code, reason]
}

/** The same as {@link parseStatus}, without an array for each call. */
export function readStatus(status: string): Status {
  const known = parsed.get(status)
  if (known !== undefined) return known
  if (typeof status !== 'string' || !/^\d{3}(?: |$)/.test(status)) {
    throw new TypeError(
      `The status ${JSON.stringify(status)} is not three digits, a blank and a reason: write '404 Not Found'.`,
    )
  }
  const code = Number(status.slice(0, 3))
  const reason = reasonPhrase(status.slice(4)) || reasonFor(code)
  const result: Status = { code: checkCode(code), reason, isAscii: PLAIN.test(reason) }
  if (parsed.size < MAX_REMEMBERED && status.length <= MAX_REMEMBERED_LENGTH) parsed.set(status, result)
  return result
}

/**
 * The status line for a code or for a line as the application wrote it.
 *
 * @param status - `404`, `'404'` or `'404 Not Found'`. A reason of one's own is kept, made safe by {@link reasonPhrase}.
 * @throws RangeError when the code is not 100 to 599, TypeError when it is no status at all.
 *
 * @example
 * ```ts
 * statusLine(404) // '404 Not Found'
 * statusLine('400 Bad Request -- name is missing') // '400 Bad Request -- name is missing'
 * ```
 */
export function statusLine(status: number | string): string {
  if (typeof status === 'number') return linesByCode[status] ?? makeLine(status)
  const { code, reason } = readStatus(status)
  return `${code} ${reason}`
}

// Made once each, so that who looks one up need not read it through again.
const linesByCode: (string | undefined)[] = []

function makeLine(code: number): string {
  const line = `${checkCode(code)} ${reasonFor(code)}`
  linesByCode[code] = line
  return line
}

/** Whether a response of this status never has a body (RFC 9110 §6.4.1 and §15.3.6). */
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
