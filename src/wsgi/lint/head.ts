/**
 * Rules for status and headers, and their checks.
 *
 * @module
 */
import { describeValue } from '../../base/describe.ts'
import { headerKind, SWITCHING_PROTOCOLS } from '../response-head.ts'
import { section } from './rule.ts'

/** Rules for applications that call `start_response`. */
export const headRules = section(
  'Status and headers',
  '`start_response(status, headers, excInfo?)` begins the response. The body may call it, but before the first chunk ' +
    'that is not empty.',
  'application',
  {
    'start-response-arguments': [
      '`start_response` takes two or three arguments.',
      'Call start_response(status, headers).',
    ],
    'status-line': [
      'The status is a string: three digits, a space, and a reason of printable Latin-1 characters that does not end in a space.',
      "Write '404 Not Found', or use statusLine(404).",
    ],
    'status-final': [
      'The status code is 200 to 599, or 101 if the application has accepted the upgrade that the server offers.',
      'Leave informational responses to the server.',
    ],
    'headers-array': ['The headers are an array of pairs of strings.', 'Pass [[name, value], …].'],
    'header-name': [
      'A header name is a token (RFC 9110 §5.1), and is not `Status`.',
      'Pass the status as the first argument.',
    ],
    'header-value': [
      'A header value has no control characters other than tabs, no characters outside Latin-1, and no leading or trailing blanks (RFC 9110 §5.5).',
      'Encode characters outside Latin-1, and trim the value. A line break would begin another header.',
    ],
    'header-hop-by-hop': [
      'There are no connection headers, such as `Connection`, `Keep-Alive`, `Transfer-Encoding` and `Upgrade` (RFC 9110 §7.6.1).',
      'Remove it: the server manages the connection.',
    ],
    'content-length-value': [
      '`Content-Length` occurs at most once, in decimal digits.',
      'Set it to the number of bytes.',
    ],
    'bodyless-headers': [
      'A status without a body has no `Content-Type` (204, 304) and no `Content-Length` (204), or `Content-Length: 0` (205) (RFC 9110 §8.6, §15.4.5).',
      'Remove the header.',
    ],
    'start-response-again': [
      '`start_response` is called again only with `excInfo`, the error that the new response reports.',
      'Call it once. In an error handler pass the error as the third argument.',
    ],
    'start-response-called': [
      '`start_response` is called before the first chunk that is not empty, and before the body ends.',
      'Call it before returning the body.',
    ],
  },
)

/** Rules for servers that implement `start_response`. */
export const startRules = section('Implementing start_response', '', 'server', {
  'write-callable': [
    '`start_response` returns the function `write`.',
    'Return a function, although few applications use it.',
  ],
  'exc-info-thrown': [
    '`start_response` throws `excInfo` if the headers have been sent.',
    'Throw the third argument after the first chunk has been sent.',
  ],
})

const rules = headRules.rules

/** Parts of a checked head that the checks of the body use. */
export interface LintedHead {
  readonly code: number
  /** Value of `Content-Length`, or -1 if there is none. */
  readonly length: number
}

/** Checks the arguments of start_response. */
export function checkHead(args: readonly unknown[]): LintedHead {
  if (args.length < 2 || args.length > 3)
    throw rules['start-response-arguments'].error(`${args.length} arguments`)
  const [status, headers] = args
  if (
    typeof status !== 'string' ||
    !/^\d{3} [\x21-\x7e\x80-\xff](?:[\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/.test(status)
  ) {
    throw rules['status-line'].error(describeValue(status))
  }
  const code = Number(status.slice(0, 3))
  if ((code < 200 && code !== SWITCHING_PROTOCOLS) || code > 599)
    throw rules['status-final'].error(describeValue(status))
  if (!Array.isArray(headers)) throw rules['headers-array'].error(describeValue(headers))
  return { code, length: checkHeaders(code, headers) }
}

function checkHeaders(code: number, headers: readonly unknown[]): number {
  let length = -1
  for (const pair of headers) {
    if (!Array.isArray(pair) || pair.length !== 2)
      throw rules['headers-array'].error(`${describeValue(pair)} among them`)
    const name: unknown = pair[0]
    const value: unknown = pair[1]
    if (typeof name !== 'string' || typeof value !== 'string') {
      throw rules['headers-array'].error(`the pair ${describeValue(name)}, ${describeValue(value)}`)
    }
    const kind = headerKind(name)
    if (kind === 'malformed' || name.toLowerCase() === 'status')
      throw rules['header-name'].error(describeValue(name))
    if (kind === 'hop-by-hop') throw rules['header-hop-by-hop'].error(describeValue(name))
    if (/[^\t\x20-\x7e\x80-\xff]|^[\t ]|[\t ]$/.test(value))
      throw rules['header-value'].error(`${name}: ${describeValue(value)}`)
    if (kind === 'content-length') {
      if (!/^\d+$/.test(value)) throw rules['content-length-value'].error(describeValue(value))
      if (length >= 0) throw rules['content-length-value'].error('a second one')
      length = Number(value)
    }
    if (isOutOfPlace(code, name.toLowerCase(), value))
      throw rules['bodyless-headers'].error(`${name} with status ${code}`)
  }
  return length
}

function isOutOfPlace(code: number, name: string, value: string): boolean {
  if (name === 'content-type') return code === 204 || code === 304
  return name === 'content-length' && (code === 204 || (code === 205 && Number(value) !== 0))
}
