/** Well-formed requests, and their bytes. */
import fc from 'fast-check'
import { ACTIONS } from './echo.ts'

/** A body of a request, as text of bytes. */
export type RequestBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly text: string }
  | {
      readonly kind: 'chunked'
      /** One text for each chunk. */
      readonly chunks: readonly string[]
      /** Follows each chunk size. */
      readonly extension: string
      readonly trailers: readonly (readonly [name: string, value: string])[]
    }

/** A request of the echo application. */
export type RequestSpec = {
  readonly method: string
  /** Path without its slash. */
  readonly action: string
  readonly version: '1.0' | '1.1'
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** White space around the values of header fields. */
  readonly space: string
  readonly expects: boolean
  readonly body: RequestBody
  /** Whether the request asks for the end of the connection. */
  readonly closes: boolean
  /** Empty lines before the request line. */
  readonly blanks: number
}

/** Text of bytes. */
export const byteText = (maxLength: number) =>
  fc.oneof(
    fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)), maxLength }),
    fc.constantFrom(
      '',
      '0\r\n\r\n',
      'GET /read?n=1 HTTP/1.1\r\nHost: x\r\nX-Number: 1\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
      // Four of them are less than the server discards of a body that nobody reads.
      'x'.repeat(12_000),
    ),
  )

const word = fc.stringMatching(/^[!-9;-~\x80-\xff]([\t -~\x80-\xff]{0,10}[!-~\x80-\xff])?$/)

const HARMLESS = ['X-A', 'x-b', 'Accept', 'User-Agent', 'Cookie', 'Referer', 'If-None-Match', 'X-Forwarded-For']

const header = fc.oneof(
  fc.tuple(fc.constantFrom(...HARMLESS), word),
  fc.constantFrom<readonly [string, string]>(
    ['Upgrade', 'websocket'],
    ['Upgrade', 'h2c'],
    ['Connection', 'Upgrade'],
    ['TE', 'trailers'],
    ['X-Empty', ''],
    ['Range', 'bytes=0-3'],
    ['Content-Type', 'application/json'],
  ),
)

const trailer = fc.tuple(fc.constantFrom('X-T', 'Digest'), word)

const body: fc.Arbitrary<RequestBody> = fc.oneof(
  fc.constant<RequestBody>({ kind: 'none' }),
  fc.record({ kind: fc.constant('length' as const), text: byteText(40) }),
  fc.record({
    kind: fc.constant('chunked' as const),
    chunks: fc.array(
      byteText(30).filter((text) => text !== ''),
      { maxLength: 4 },
    ),
    extension: fc.constantFrom('', ';a', ';a=b', ';a="b;c"'),
    trailers: fc.array(trailer, { maxLength: 2 }),
  }),
)

const METHODS = ['GET', 'POST', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'M-SEARCH']

/** A request. */
export const request: fc.Arbitrary<RequestSpec> = fc.record({
  method: fc.constantFrom(...METHODS),
  action: fc.constantFrom(...ACTIONS, 'nothing'),
  version: fc.constant('1.1' as const),
  headers: fc.array(header, { maxLength: 4 }),
  space: fc.constantFrom(' ', '', ' \t'),
  expects: fc.boolean(),
  body,
  closes: fc.constant(false),
  blanks: fc.constantFrom(0, 0, 0, 1, 2),
})

/** Requests on one connection. Only the last one may end it. */
export const pipeline: fc.Arbitrary<readonly RequestSpec[]> = fc
  .tuple(fc.array(request, { maxLength: 4 }), request, fc.constantFrom('1.0' as const, '1.1' as const))
  .map(([before, last, version]) => [
    ...before.map((each) => ({
      ...each,
      // node:http discards what arrives with a request that asks for another protocol.
      headers: each.headers.filter(([name]) => name !== 'Connection'),
      // The connection ends if no 100 Continue is sent.
      expects: each.expects && each.action === 'read' && each.method !== 'OPTIONS' && contentOf(each.body) !== '',
    })),
    { ...last, version, closes: true, body: version === '1.0' ? withoutChunks(last.body) : last.body },
  ])

function withoutChunks(body: RequestBody): RequestBody {
  return body.kind === 'chunked' ? { kind: 'length', text: body.chunks.join('') } : body
}

/** Returns the content of a body. */
export function contentOf(body: RequestBody): string {
  if (body.kind === 'none') return ''
  return body.kind === 'length' ? body.text : body.chunks.join('')
}

let count = 0

/** Returns a number that no other request has. All are of the same length. */
export function nextNumber(): string {
  count = (count + 1) % 90_000_000
  return String(10_000_000 + count)
}

/** Returns the bytes of a request. */
export function bytesOf(spec: RequestSpec, number: string): string {
  const { method, action, version, headers, space, expects, body, closes, blanks } = spec
  const fields = [
    ['Host', 'example.test'],
    ['X-Number', number],
    ...headers.filter(([name]) => !closes || name !== 'Connection'),
  ]
  if (expects) fields.push(['Expect', '100-continue'])
  if (closes) fields.push(['Connection', 'close'])
  if (body.kind === 'length') fields.push(['Content-Length', String(body.text.length)])
  if (body.kind === 'chunked') fields.push(['Transfer-Encoding', 'chunked'])
  const lines = fields.map(([name, value]) => {
    // The parser of node:http refuses a tab after this value.
    const end = name === 'Transfer-Encoding' ? ' ' : space
    return `${name}:${space}${value}${end}\r\n`
  })
  const head = `${'\r\n'.repeat(blanks)}${method} /${action}?n=${number} HTTP/${version}\r\n${lines.join('')}\r\n`
  if (body.kind !== 'chunked') return head + contentOf(body)
  const chunks = body.chunks.map((text) => `${text.length.toString(16)}${body.extension}\r\n${text}\r\n`)
  const trailers = body.trailers.map(([name, value]) => `${name}: ${value}\r\n`)
  return `${head}${chunks.join('')}0${body.extension}\r\n${trailers.join('')}\r\n`
}
