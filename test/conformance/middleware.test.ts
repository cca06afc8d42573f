/** Middleware: cases of cors and compression, which Express uses. Lists in fields are compared as sets. */
import { describe } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { FrameworkApp, Mapper, Response } from 'propylon'
import { compress, cors } from 'propylon/middleware'
import type { WSGIApplication } from 'propylon/wsgi'
import { agrees } from './cases.ts'
import { type Received, send, servedFor } from './client.ts'

const varying: WSGIApplication = (_environ, start_response) => {
  start_response('200 OK', [
    ['Content-Type', 'text/plain'],
    ['Vary', 'Foo'],
  ])
  return ['hello']
}

const POLICIES = {
  any: cors({ origins: '*' }),
  listed: cors({
    origins: ['http://example.com'],
    methods: ['FOO', 'BAR'],
    headers: ['FIZZ', 'buzz'],
    expose: ['custom-header1', 'custom-header2'],
    credentials: true,
    maxAge: 123,
  }),
  pattern: cors({ origins: (origin) => /:\/\/(?:.+\.)?example\.com$/.test(origin), maxAge: 0 }),
}

/** A policy, and names of `Access-Control-…` or other fields. */
type PolicyRow = readonly [
  name: string,
  policy: keyof typeof POLICIES,
  method: 'GET' | 'OPTIONS',
  shown: readonly string[],
  outcome: string,
  reason?: string | undefined,
  fields?: Readonly<Record<string, string | undefined>>,
]

const ORIGIN = 'Access-Control-Allow-Origin'
const METHODS = 'Access-Control-Allow-Methods'
const HEADERS = 'Access-Control-Allow-Headers'
const CREDENTIALS = 'Access-Control-Allow-Credentials'
const EXPOSE = 'Access-Control-Expose-Headers'
const AGE = 'Access-Control-Max-Age'
const ELSEWHERE = { Origin: 'http://localhost' }

const POLICY_ROWS: readonly PolicyRow[] = [
  ['a request', 'any', 'GET', [ORIGIN, METHODS], `200, ${ORIGIN}: *, ${METHODS}: none`],
  ['a preflight', 'any', 'OPTIONS', [ORIGIN], `204, ${ORIGIN}: *`],
  ['the default methods', 'any', 'OPTIONS', [METHODS], `204, ${METHODS}: DELETE,GET,HEAD,PATCH,POST,PUT`],
  ['the requested fields', 'any', 'OPTIONS', [HEADERS], `204, ${HEADERS}: x-header-1,x-header-2`],
  ['Vary for the requested fields', 'any', 'OPTIONS', ['Vary'], '204, Vary: Access-Control-Request-Headers'],
  [
    'Content-Length of a preflight',
    'any',
    'OPTIONS',
    ['Content-Length'],
    '204, Content-Length: 0',
    'RFC 9110 §8.6 forbids Content-Length in a 204.',
  ],
  ['no credentials by default', 'any', 'OPTIONS', [CREDENTIALS], `204, ${CREDENTIALS}: none`],
  ['no time by default', 'any', 'OPTIONS', [AGE], `204, ${AGE}: none`],
  [
    'OPTIONS without Access-Control-Request-Method',
    'any',
    'OPTIONS',
    [ORIGIN],
    `204, ${ORIGIN}: *`,
    'The Fetch standard calls a request a preflight only if it has this field. The application responds to others.',
    { 'Access-Control-Request-Method': undefined },
  ],
  ['a listed origin', 'listed', 'GET', [ORIGIN], `200, ${ORIGIN}: http://example.com`],
  ['Vary, which the application has set', 'listed', 'GET', ['Vary'], '200, Vary: Foo,Origin'],
  ['exposed fields', 'listed', 'GET', [EXPOSE], `200, ${EXPOSE}: custom-header1,custom-header2`],
  ['credentials', 'listed', 'GET', [CREDENTIALS], `200, ${CREDENTIALS}: true`],
  [
    'a preflight of a listed origin',
    'listed',
    'OPTIONS',
    [ORIGIN, METHODS, HEADERS, CREDENTIALS, AGE],
    `204, ${ORIGIN}: http://example.com, ${METHODS}: BAR,FOO, ${HEADERS}: FIZZ,buzz, ${CREDENTIALS}: true, ${AGE}: 123`,
  ],
  [
    'an origin that is not listed',
    'listed',
    'GET',
    [ORIGIN, 'Vary'],
    `200, ${ORIGIN}: none, Vary: Foo,Origin`,
    undefined,
    ELSEWHERE,
  ],
  ['an origin of a pattern', 'pattern', 'GET', [ORIGIN], `200, ${ORIGIN}: http://example.com`],
  [
    'an origin that does not match the pattern',
    'pattern',
    'GET',
    [ORIGIN, 'Vary'],
    `200, ${ORIGIN}: none, Vary: Foo,Origin`,
    undefined,
    ELSEWHERE,
  ],
  ['a time of 0', 'pattern', 'OPTIONS', [AGE], `204, ${AGE}: 0`],
]

function policyOutcome({ status, headers }: Received, shown: readonly string[]): string {
  const fields = shown.map((name) => {
    const values = headers[name.toLowerCase()]?.split(',').map((value) => value.trim())
    return `${name}: ${values?.sort().join(',') ?? 'none'}`
  })
  return [status, ...fields].join(', ')
}

function defined(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

describe('cors', () => {
  const port = servedFor(() => {
    const map = new Mapper()
    for (const name of Object.keys(POLICIES)) map.connect(`/${name}`, { controller: name })
    const { any, listed, pattern } = POLICIES
    const controllers = { any: any(varying), listed: listed(varying), pattern: pattern(varying) }
    return new FrameworkApp({ map, controllers })
  })

  // https://github.com/expressjs/cors/blob/5317ebe670db2aaebc1d496eb5d33493deefb3ed/test/test.js
  agrees(
    'cors 2.8.6',
    POLICY_ROWS.map(([name, policy, method, shown, outcome, reason, fields]) => ({
      name,
      input: { policy, method, shown, fields },
      allowed: [outcome],
      reason,
    })),
    async ({ policy, method, shown, fields }) => {
      const preflight = {
        'Access-Control-Request-Method': policy === 'listed' ? 'FOO' : 'GET',
        'Access-Control-Request-Headers': policy === 'listed' ? 'buzz,fizz' : 'x-header-1, x-header-2',
      }
      const headers = defined({
        Origin: 'http://example.com',
        ...(method === 'OPTIONS' && preflight),
        ...fields,
      })
      return policyOutcome(await send(port(), { path: `/${policy}`, method, headers }), shown)
    },
  )
})

/** A text of the length, type and further fields that the query names. */
const text: WSGIApplication = (environ, start_response) => {
  const query = new URLSearchParams(environ.QUERY_STRING)
  const headers: Record<string, string> = { 'Content-Type': query.get('type') ?? 'text/plain' }
  for (const name of ['Cache-Control', 'Content-Encoding', 'ETag']) {
    const value = query.get(name)
    if (value !== null) headers[name] = value
  }
  const body = '.'.repeat(Number(query.get('length')))
  const chunks = [body.slice(0, 7), body.slice(7)]
  return new Response(query.has('stream') ? chunks.values() : body, { headers }).wsgi(environ, start_response)
}

/** `content` in `shown` is the length of the content, decoded. */
type CodingRow = readonly [
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

const coding = (accepted: string, chosen: string, reason?: string): CodingRow => [
  `Accept-Encoding: ${accepted}`,
  LONG,
  accepted,
  [CODING, 'content'],
  `${CODING}: ${chosen}, content: 2048`,
  reason,
]

const CODING_ROWS: readonly CodingRow[] = [
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
  ['Vary without Accept-Encoding', SHORT, undefined, ['vary', CODING], `vary: Accept-Encoding, ${CODING}: none`],
  ['no Vary for an image', { ...LONG, type: 'image/jpeg' }, 'gzip', ['vary', CODING], `vary: none, ${CODING}: none`],
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
  ['a short stream', { ...SHORT, stream: 'yes' }, 'gzip', [CODING, 'content'], `${CODING}: gzip, content: 12`],
  ['a long stream', { ...LONG, stream: 'yes' }, 'gzip', [CODING, 'content'], `${CODING}: gzip, content: 2048`],
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
  br: brotliDecompressSync,
}

function codingOutcome({ headers, body }: Received, shown: readonly string[]): string {
  return shown
    .map((name) => {
      if (name !== 'content')
        return `${name}: ${headers[name]?.replace(/accept-encoding/i, 'Accept-Encoding') ?? 'none'}`
      const decode = DECODERS[headers[CODING] ?? '']
      return `content: ${decode === undefined ? body.length : decode(body).length}`
    })
    .join(', ')
}

describe('compress', () => {
  const port = servedFor(() => compress()(text))

  // https://github.com/expressjs/compression/blob/fb4902f1035649ed2a0baaf17ef3ffa1e62312ae/test/compression.js
  agrees(
    'compression 1.8.1',
    CODING_ROWS.map(([name, { method = 'GET', ...query }, accepted, shown, outcome, reason]) => ({
      name,
      input: {
        method,
        path: `/?${new URLSearchParams(query)}`,
        headers: accepted === undefined ? {} : { 'Accept-Encoding': accepted },
        shown,
      },
      allowed: [outcome],
      reason,
    })),
    async ({ shown, ...request }) => codingOutcome(await send(port(), request), shown),
  )
})
