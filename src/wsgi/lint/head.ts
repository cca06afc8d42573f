/**
 * The rules for status and headers, and the checks by them.
 *
 * @module
 */
import { headerKind } from '../response-head.ts'
import { found, section } from './rule.ts'

/** What the application gives start_response. */
export const headRules = section(
  'Status and headers',
  '`start_response(status, headers, excInfo?)` begins the response. It may be called late, by the body, but before the ' +
    'first chunk that is not empty.',
  'application',
  {
    'start-response-arguments': [
      '`start_response` takes two arguments or three.',
      'Call it as start_response(status, headers).',
    ],
    'status-line': [
      'The status is a string: three digits, a blank, and a reason of printable Latin-1 characters that does not end in a blank.',
      "Write '404 Not Found'; statusLine() makes one from a number or from text of any kind.",
    ],
    'status-final': ['The status code is 200 to 599.', 'Informational responses are the server’s business.'],
    'headers-array': ['The headers are an array of pairs of strings.', 'Write [[name, value], …].'],
    'header-name': [
      'A header name is a token (RFC 9110 §5.1), and is not `Status`.',
      'The status has its own argument.',
    ],
    'header-value': [
      'A header value has no control characters but tabs, no character beyond Latin-1, and no blanks around it (RFC 9110 §5.5).',
      'Encode what is beyond Latin-1, and trim; a line break would begin another header.',
    ],
    'header-hop-by-hop': [
      'No header concerns the connection: no `Connection`, `Keep-Alive`, `Transfer-Encoding`, `Upgrade` and the like (RFC 9110 §7.6.1).',
      'Leave it out: the connection is the server’s.',
    ],
    'content-length-value': [
      '`Content-Length` stands there at most once, in digits.',
      'Write the number of bytes.',
    ],
    'bodyless-headers': [
      'A status that has no body has no `Content-Type` (204, 304), and no `Content-Length` but zero in 205 (RFC 9110 §8.6, §15.4.5).',
      'Leave them out.',
    ],
    'start-response-again': [
      '`start_response` is called again only with `excInfo`, the error because of which the response changes.',
      'Call it once; in an error handler, pass the error as the third argument.',
    ],
    'start-response-called': [
      '`start_response` is called before the first chunk that is not empty, and in any case before the body ends.',
      'Call it before returning the body.',
    ],
  },
)

/** What start_response of a server does. */
export const startRules = section('What start_response does', '', 'server', {
  'write-callable': [
    '`start_response` returns the function `write`.',
    'Return one, even though few will use it.',
  ],
  'exc-info-thrown': [
    'Called with `excInfo` after the headers have gone out, `start_response` throws it.',
    'Throw the third argument once the first chunk is on its way.',
  ],
})

const rules = headRules.rules

/** What lint remembers of a head. */
export interface LintedHead {
  readonly code: number
  /** What Content-Length declares, -1 when it is absent. */
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
    throw rules['status-line'].error(found(status))
  }
  const code = Number(status.slice(0, 3))
  if (code < 200 || code > 599) throw rules['status-final'].error(found(status))
  if (!Array.isArray(headers)) throw rules['headers-array'].error(found(headers))
  return { code, length: checkHeaders(code, headers) }
}

function checkHeaders(code: number, headers: readonly unknown[]): number {
  let length = -1
  for (const pair of headers) {
    if (!Array.isArray(pair) || pair.length !== 2)
      throw rules['headers-array'].error(`${found(pair)} among them`)
    const name: unknown = pair[0]
    const value: unknown = pair[1]
    if (typeof name !== 'string' || typeof value !== 'string') {
      throw rules['headers-array'].error(`the pair ${found(name)}, ${found(value)}`)
    }
    const kind = headerKind(name)
    if (kind === 'malformed' || name.toLowerCase() === 'status') throw rules['header-name'].error(found(name))
    if (kind === 'hop-by-hop') throw rules['header-hop-by-hop'].error(found(name))
    if (/[^\t\x20-\x7e\x80-\xff]|^[\t ]|[\t ]$/.test(value))
      throw rules['header-value'].error(`${name}: ${found(value)}`)
    if (kind === 'content-length') {
      if (!/^\d+$/.test(value)) throw rules['content-length-value'].error(found(value))
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
