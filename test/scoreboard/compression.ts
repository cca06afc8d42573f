/** Cases of compression: a response of the application, Accept-Encoding, and the fields that are sent. */
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { type Received, send } from './client.ts'
import { judge } from './referee.ts'
import { onSite } from './site.ts'

/** `content` in `shown` is the length of the content, decoded. */
type Row = readonly [
  name: string,
  response: Readonly<Record<string, string>>,
  accepted: string | undefined,
  shown: readonly string[],
  outcome: string,
  reason?: string | undefined,
]

const LONG = { length: '2048' }
const SHORT = { length: '12' }
const CODING = 'content-encoding'
const NO_DEFLATE =
  'compress() has no deflate, whose format clients disagree on (RFC 9110 §8.4.1.2). All browsers accept gzip.'

const coding = (accepted: string, chosen: string, reason?: string): Row => [
  `Accept-Encoding: ${accepted}`,
  LONG,
  accepted,
  [CODING, 'content'],
  `${CODING}: ${chosen}, content: 2048`,
  reason,
]

const ROWS: readonly Row[] = [
  coding('bogus', 'none'),
  coding('gzip', 'gzip'),
  coding('br', 'br'),
  coding('deflate', 'deflate', NO_DEFLATE),
  coding('gzip, deflate', 'gzip'),
  coding('deflate, gzip', 'gzip'),
  coding('gzip, br', 'br'),
  coding('deflate, gzip, br', 'br'),
  coding('gzip;q=1, br;q=0.3', 'gzip'),
  coding('gzip, br;q=0.8', 'gzip'),
  coding('gzip;q=0.001', 'gzip'),
  coding('deflate, br', 'br'),
  ['Vary', LONG, 'gzip', ['vary'], 'vary: Accept-Encoding'],
  [
    'Vary without Accept-Encoding',
    SHORT,
    undefined,
    ['vary', CODING],
    `vary: Accept-Encoding, ${CODING}: none`,
  ],
  [
    'no Vary for an image',
    { ...LONG, type: 'image/jpeg' },
    'gzip',
    ['vary', CODING],
    `vary: none, ${CODING}: none`,
  ],
  ['Vary of a HEAD', { ...LONG, method: 'HEAD' }, 'gzip', ['vary'], 'vary: Accept-Encoding'],
  [
    'the coding of a HEAD',
    { ...LONG, method: 'HEAD' },
    'gzip',
    [CODING],
    `${CODING}: none`,
    'RFC 9110 §9.3.2: HEAD has the fields that a GET would have.',
  ],
  [
    'a coding that the application has set',
    { ...LONG, 'Content-Encoding': 'x-custom' },
    'gzip',
    [CODING],
    `${CODING}: x-custom`,
  ],
  ['a short text', SHORT, 'gzip', [CODING, 'content'], `${CODING}: none, content: 12`],
  ['an empty text', { length: '0' }, 'gzip', [CODING, 'content'], `${CODING}: none, content: 0`],
  [
    'a short stream',
    { ...SHORT, stream: 'yes' },
    'gzip',
    [CODING, 'content'],
    `${CODING}: gzip, content: 12`,
  ],
  [
    'a long stream',
    { ...LONG, stream: 'yes' },
    'gzip',
    [CODING, 'content'],
    `${CODING}: gzip, content: 2048`,
  ],
  ['a large text', { length: '1048576' }, 'gzip', [CODING, 'content'], `${CODING}: gzip, content: 1048576`],
  [
    'no-transform',
    { ...LONG, 'Cache-Control': 'no-transform' },
    'gzip',
    ['cache-control', CODING, 'vary'],
    `cache-control: no-transform, ${CODING}: none, vary: none`,
  ],
]

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}

function outcomeOf({ headers, body }: Received, shown: readonly string[]): string {
  return shown
    .map((name) => {
      if (name !== 'content')
        return `${name}: ${headers[name]?.replace(/accept-encoding/i, 'Accept-Encoding') ?? 'none'}`
      const decode = DECODERS[headers[CODING] ?? '']
      return `content: ${decode === undefined ? body.length : decode(body).length}`
    })
    .join(', ')
}

export const compression = onSite({
  name: 'compression',
  version: '1.8.1 (fb4902f)',
  source:
    'https://github.com/expressjs/compression/blob/fb4902f1035649ed2a0baaf17ef3ffa1e62312ae/test/compression.js',
  judges: '`compress`',
  judge: (port) =>
    judge(
      ROWS.map(([name, { method = 'GET', ...query }, accepted, shown, outcome, reason]) => ({
        name,
        input: {
          method,
          path: `/compressed?${new URLSearchParams(query)}`,
          headers: accepted === undefined ? {} : { 'Accept-Encoding': accepted },
          shown,
        },
        allowed: [outcome],
        reason,
      })),
      async ({ shown, ...request }) => outcomeOf(await send(port, request), shown),
    ),
})
