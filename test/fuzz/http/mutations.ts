/** Changes of bytes that turn well-formed requests into hostile ones. */
import fc from 'fast-check'

/** One change. Places are fractions of the text's length. */
export type Mutation = {
  readonly place: number
  /** Number of bytes to remove. */
  readonly remove: number
  /** Text to insert. */
  readonly insert: string
  /** Place of text to copy, and its length, instead of `insert`. */
  readonly copy: readonly [place: number, length: number] | null
}

const TOKENS = [
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  '\0',
  ' ',
  '\t',
  ':',
  ';',
  ',',
  '"',
  '%',
  '%00',
  '%zz',
  '%ff',
  '/',
  '//',
  '../',
  '\\',
  '?',
  '#',
  '@',
  '\x7f',
  '\x80',
  '\xff',
  '0\r\n\r\n',
  'ffffffffffffffff\r\n',
  '-1',
  '+1',
  '0x1',
  '1e3',
  'Content-Length: 0\r\n',
  'Content-Length: 5\r\n',
  'Content-Length: 5, 5\r\n',
  'Content-Length : 5\r\n',
  'Content-Length: 99999999999999999999\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: xchunked\r\n',
  'Transfer-Encoding : chunked\r\n',
  'Transfer-Encoding: chunked, identity\r\n',
  'Transfer-Encoding: gzip, chunked\r\n',
  'Transfer-Encoding:\x0bchunked\r\n',
  'Transfer-Encoding\r\n: chunked\r\n',
  'Content_Length: 7\r\n',
  'Host: other\r\n',
  'Host: a b\r\n',
  'Host:\r\n',
  'Connection: close\r\n',
  'Connection: keep-alive\r\n',
  'Connection: Host\r\n',
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQ\r\n',
  'Upgrade: websocket\r\nConnection: Upgrade\r\n',
  'Expect: 100-continue\r\n',
  'Expect: 200-ok\r\n',
  'X-Number: 1\r\n',
  ' folded\r\n',
  'X'.repeat(20_000),
  'CONNECT example.test:443 HTTP/1.1\r\nHost: example.test:443\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: x\r\nX-Number: 1\r\n\r\n',
  'GET http://other.test/read?n=1 HTTP/1.1\r\nHost: x\r\nX-Number: 1\r\n\r\n',
  'GET /read\r\n',
  'HTTP/0.9',
  'HTTP/1.0',
  'HTTP/1.2',
  'HTTP/2.0',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
] as const

const place = fc.double({ min: 0, max: 1, noNaN: true })

/** A change. */
export const mutation: fc.Arbitrary<Mutation> = fc.record({
  place,
  remove: fc.oneof(fc.constant(0), fc.nat(3), fc.nat(60)),
  insert: fc.oneof(
    fc.constantFrom(...TOKENS),
    fc.constant(''),
    fc.string({
      unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
      maxLength: 4,
    }),
  ),
  copy: fc.option(fc.tuple(place, fc.nat(80)), { freq: 5 }),
})

/** Text of tokens alone. */
export const tokens: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(...TOKENS),
      fc.constantFrom('GET ', 'POST ', '/read?n=1', ' HTTP/1.1\r\n', 'Host: x\r\n', 'X-Number: 1\r\n', 'abc'),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(''))

/** Applies changes in turn. Half of the places snap to the beginning of a line, where most of the syntax is. */
export function mutate(text: string, mutations: readonly Mutation[]): string {
  for (const { place, remove, insert, copy } of mutations) {
    let at = Math.floor(place * text.length)
    if (at % 2 === 0) at = text.lastIndexOf('\n', at) + 1
    const source = Math.floor((copy?.[0] ?? 0) * text.length)
    const put = copy === null ? insert : text.slice(source, source + copy[1])
    text = text.slice(0, at) + put + text.slice(at + remove)
  }
  return text
}
